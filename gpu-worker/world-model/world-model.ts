/** A loaded checkpoint as one object: encoder, heads, vocabulary, tool reader and numbers, ready for a planner. */
import { z } from "zod";
import { type DeviceChoice, type OnnxSession, openSession } from "../onnx.ts";
import { Action, type ActionTable, createActionTable } from "./actions.ts";
import { createEncoder, type Encoder } from "./encoder.ts";
import { createHeads, HeadSettings, type Heads } from "./heads.ts";
import { createLexicon, type Lexicon, NameVerbTable, ObjectTable, VerbTable } from "./lexicon.ts";
import { decodeFloats, decodeJson, type Manifest, readCheckpoint } from "./manifest.ts";
import { createTokenizer, type Tokenizer, TokenizerFile } from "./tokenizer.ts";
import { createToolReader, type ToolReader } from "./tools.ts";

export type WorldModel = {
  manifest: Manifest;
  device: "cuda" | "cpu";
  /** Why `auto` did not take CUDA, where it did not. */
  fellBack?: string;
  encoder: Encoder;
  tokenizer: Tokenizer;
  lexicon: Lexicon;
  table: ActionTable;
  readTool: ToolReader;
  heads: Heads;
  close(): Promise<void>;
};

/** Vectors of about 2 KB each, for each thread: the tools of hundreds of callers, and the latest of their turns. */
const rememberedTexts = { lasting: 8_192, passing: 2_048 };

export type LoadOptions = { checkpointDir: string; device: DeviceChoice; intraOpThreads?: number };

/** Reads and checks a checkpoint folder and opens its encoder. Throws naming what is wrong with it. */
export async function loadWorldModel({ checkpointDir, device, ...rest }: LoadOptions): Promise<WorldModel> {
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
  const session = await openSession({ model: file("encoder.onnx"), device, ...rest });
  // All on one device: the first session finds out which.
  const open = (name: string): Promise<OnnxSession> =>
    openSession({ model: file(`${name}.onnx`), device: session.device, ...rest });
  const heads = createHeads(
    {
      latent: await open("latent"),
      act: await open("act"),
      next: await open("next"),
      tools: await open("tools"),
    },
    HeadSettings.parse(decodeJson(file("heads.json"))),
    decodeFloats(file("action-vectors.bin")),
    manifest.numActions,
  );
  return {
    manifest,
    device: session.device,
    ...(session.fellBack !== undefined && { fellBack: session.fellBack }),
    tokenizer,
    lexicon,
    table,
    readTool: createToolReader(table, lexicon),
    heads,
    encoder: createEncoder({
      session,
      tokenizer,
      dimension: manifest.encoderDimension,
      windowTokens: manifest.windowTokens,
      cacheSizes: rememberedTexts,
    }),
    async close() {
      await session.close();
      await heads.close();
    },
  };
}
