/** A loaded checkpoint as one object: encoder, heads, vocabulary, tool reader and numbers, ready for a planner. */
import { z } from "zod";
import {
  type DeviceChoice,
  mayUseCuda,
  type OnnxSession,
  openSession,
  writeForCpu,
} from "../inference/session.ts";
import { Action, type ActionTable, createActionTable } from "./actions.ts";
import { toDecoderStart, toDecoderStep, toShortMemory } from "./decoder-graphs.ts";
import { createEncoder, type Encoder, textCacheSizes } from "./encoder.ts";
import { createHeads, HeadSettings, type Heads } from "./heads.ts";
import { createLexicon, type Lexicon, NameVerbTable, ObjectTable, VerbTable } from "./lexicon.ts";
import { type Checkpoint, decodeFloats, decodeJson, type Manifest, readCheckpoint } from "./manifest.ts";
import { toPackedEncoder } from "./packed-encoder.ts";
import { createPlanDecoder, type PlanDecoder } from "./plan-decoder.ts";
import { createPlanLibrary, LibraryPlans, type PlanLibrary } from "./plan-library.ts";
import { createScratch, type Scratch } from "./scratch.ts";
import { createSessionReader, type SessionReader } from "./session-reader.ts";
import { type SharedGraphs, sharedGraphs, sharedPath, whenWritten } from "./shared-graphs.ts";
import { createTokenizer, type Tokenizer, TokenizerFile } from "./tokenizer.ts";
import { createToolReader, type ToolReader } from "./tools.ts";

export type WorldModel = {
  manifest: Manifest;
  device: "cuda" | "cpu";
  /** Why `auto` did not use CUDA, if it did not. */
  fellBack?: string;
  encoder: Encoder;
  tokenizer: Tokenizer;
  lexicon: Lexicon;
  table: ActionTable;
  readTool: ToolReader;
  heads: Heads;
  reader: SessionReader;
  decoder: PlanDecoder;
  library: PlanLibrary;
  /** Memory for the arrays of a batch. */
  scratch: Scratch;
  close(): Promise<void>;
};

/** Enough for a batch of 32 plans of ten steps. */
const scratchBytes = 12 * 1024 * 1024;

export type LoadOptions = {
  checkpointDir: string;
  device: DeviceChoice;
  intraOpThreads?: number;
  /** Files shared with the other threads that load the same checkpoint. */
  shared?: SharedGraphs | undefined;
};

/** Reads and checks a checkpoint folder and opens its graphs. Throws an error that says what is wrong with it. */
export async function loadWorldModel({ checkpointDir, ...options }: LoadOptions): Promise<WorldModel> {
  const { manifest, file } = await readCheckpoint(checkpointDir);
  const tokenizer = createTokenizer(TokenizerFile.parse(decodeJson(file("tokenizer.json"))));
  if (tokenizer.vocabularySize !== manifest.vocabularySize)
    throw new Error("tokenizer.json and manifest differ in vocabulary size");
  const lexicon = createLexicon(
    VerbTable.parse(decodeJson(file("verbs.json"))),
    ObjectTable.parse(decodeJson(file("objects.json"))),
    NameVerbTable.parse(decodeJson(file("name-verbs.json"))),
  );
  const table = createActionTable(
    z.array(Action).parse(decodeJson(file("actions.json"))),
    decodeFloats(file("action-latents.bin")),
    manifest.planning.toolAction,
  );
  const sessions = await openSessions(file, options);
  const { encoder, latent, act, next, tools } = sessions;
  const scratch = createScratch(scratchBytes);
  const heads = createHeads(
    { latent, act, next, tools, wishes: sessions["wish-reader"] },
    HeadSettings.parse(decodeJson(file("heads.json"))),
    decodeFloats(file("action-vectors.bin")),
    scratch,
  );
  const { encoderDimension } = manifest;
  const reader = createSessionReader(sessions["session-reader"], encoderDimension, scratch);
  const plan = { open: sessions["plan-open"], start: sessions["plan-start"], step: sessions["plan-step"] };
  const decoder = createPlanDecoder(plan, encoderDimension, scratch);
  const episodes = LibraryPlans.parse(decodeJson(file("plans.json")));
  const library = createPlanLibrary(sessions["plan-library"], episodes, scratch);
  return {
    manifest,
    device: encoder.device,
    ...(encoder.fellBack !== undefined && { fellBack: encoder.fellBack }),
    tokenizer,
    lexicon,
    table,
    readTool: createToolReader(table, lexicon),
    heads,
    reader,
    decoder,
    library,
    scratch,
    encoder: createEncoder({
      session: encoder,
      tokenizer,
      dimension: encoderDimension,
      windowTokens: manifest.windowTokens,
      cacheSizes: textCacheSizes,
      scratch,
      now: () => performance.now(),
    }),
    async close() {
      for (const session of Object.values(sessions)) await session.close();
    },
  };
}

/** The graphs of a checkpoint. */
export const graphs = [
  "encoder",
  "latent",
  "act",
  "next",
  "tools",
  "session-reader",
  "plan-open",
  "plan-start",
  "plan-step",
  "wish-reader",
  "plan-library",
] as const;
type Graph = (typeof graphs)[number];

/** Graphs that are rewritten when they are loaded, on any device. `from`: the file of another graph that it is made of. */
const rewritten: Readonly<Record<string, { from?: string; rewrite: (model: Uint8Array) => Uint8Array }>> = {
  encoder: { rewrite: toPackedEncoder },
  "plan-open": { rewrite: toShortMemory },
  "plan-start": { from: "plan-step", rewrite: toDecoderStart },
  "plan-step": { rewrite: toDecoderStep },
};

/** A graph in the form in which it is run. */
export function readRunGraph(name: Graph, file: Checkpoint["file"]): Uint8Array {
  const { from = name, rewrite } = rewritten[name] ?? {};
  const model = file(`${from}.onnx`);
  return rewrite?.(model) ?? model;
}

/** Opens all graphs on the device of the first one. A separate function, so that no closure keeps the files' bytes. */
async function openSessions(
  file: Checkpoint["file"],
  { device, shared, ...rest }: Omit<LoadOptions, "checkpointDir">,
): Promise<Record<Graph, OnnxSession>> {
  const read = (name: Graph) => readRunGraph(name, file);
  const written = await writeShared(read, device, shared);
  const opened: [string, OnnxSession][] = [];
  let chosen = device;
  for (const name of graphs) {
    const session = await openSession({
      model: () => read(name),
      device: chosen,
      written: written.get(name),
      ...rest,
    });
    chosen = session.device;
    opened.push([name, session]);
  }
  return Object.fromEntries(opened) as Record<Graph, OnnxSession>;
}

/** Paths of the graphs that all threads share, by name; none on a GPU. */
async function writeShared(
  read: (name: Graph) => Uint8Array,
  device: DeviceChoice,
  shared: SharedGraphs | undefined,
): Promise<ReadonlyMap<string, string>> {
  if (!shared || mayUseCuda(device)) return new Map();
  const isWritten = await whenWritten(shared, async () => {
    for (const name of sharedGraphs) await writeForCpu(read(name), sharedPath(shared, name));
  });
  return new Map(isWritten ? sharedGraphs.map((name) => [name, sharedPath(shared, name)]) : []);
}
