/** A loaded checkpoint as one object: encoder, vocabulary, tool reader and numbers, ready for a planner. */
import { z } from "zod";
import { type DeviceChoice, openSession } from "../onnx.ts";
import { Action, type ActionTable, createActionTable } from "./actions.ts";
import type { Idf } from "./candidates.ts";
import { createEncoder, type Encoder } from "./encoder.ts";
import { createLexicon, type Lexicon, ObjectTable, VerbTable } from "./lexicon.ts";
import { decodeFloats, decodeJson, type Manifest, readCheckpoint } from "./manifest.ts";
import { createTokenizer, type Tokenizer, TokenizerFile } from "./tokenizer.ts";
import { createToolReader, type ToolReader } from "./tools.ts";

export type WorldModel = {
  manifest: Manifest;
  device: "cuda" | "cpu";
  encoder: Encoder;
  tokenizer: Tokenizer;
  lexicon: Lexicon;
  table: ActionTable;
  readTools: ToolReader;
  idf: Idf;
  close(): Promise<void>;
};

/** Vectors of tools and other texts that come again: about 2 KB each. */
const rememberedTexts = 8_192;
/** idf.bin holds idf x 20 in a byte. */
const idfSteps = 20;

export type LoadOptions = { checkpointDir: string; device: DeviceChoice; intraOpThreads?: number };

/** Reads and checks a checkpoint folder and opens its encoder. Throws naming what is wrong with it. */
export async function loadWorldModel({ checkpointDir, ...sessionOptions }: LoadOptions): Promise<WorldModel> {
  const { manifest, file } = await readCheckpoint(checkpointDir);
  const tokenizer = createTokenizer(TokenizerFile.parse(decodeJson(file("tokenizer.json"))));
  if (tokenizer.vocabularySize !== manifest.vocabularySize)
    throw new Error("tokenizer.json and manifest differ in vocabulary size");
  const lexicon = createLexicon(
    VerbTable.parse(decodeJson(file("verbs.json"))),
    ObjectTable.parse(decodeJson(file("objects.json"))),
  );
  const table = createActionTable(
    z.array(Action).parse(decodeJson(file("actions.json"))),
    decodeFloats(file("action-latents.bin")),
    tokenizer,
    manifest.planning.toolAction,
  );
  const session = await openSession({ model: file("encoder.onnx"), ...sessionOptions });
  return {
    manifest,
    device: session.device,
    tokenizer,
    lexicon,
    table,
    readTools: createToolReader(table, lexicon, tokenizer),
    idf: Float32Array.from(file("idf.bin"), (step) => step / idfSteps),
    encoder: createEncoder({
      session,
      tokenizer,
      dimension: manifest.dimension,
      windowTokens: manifest.windowTokens,
      cacheSize: rememberedTexts,
    }),
    close: session.close,
  };
}
