/** Reads the training and development rows (JSON Lines, gzipped) that the scripts beside it fit on. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";

const Tool = z.object({ name: z.string(), description: z.string().nullish() });
const Row = z.object({
  source: z.string(),
  goal: z.string().default(""),
  state: z.string().nullish(),
  actions: z.array(z.string()).default([]),
  tools: z.array(Tool).optional(),
  steps: z
    .array(z.object({ state: z.string().nullish(), action: z.string(), next: z.string().nullish() }))
    .optional(),
  name: z.string().optional(),
  description: z.string().nullish(),
});
export type Row = z.infer<typeof Row>;

/** Rows of a file such as "train/sgd_train", every `stride`-th. */
export function readRows(dataDir: string, name: string, stride = 1): Row[] {
  const lines = gunzipSync(readFileSync(join(dataDir, `${name}.jsonl.gz`)))
    .toString("utf8")
    .split("\n");
  return lines
    .filter((line, place) => line !== "" && place % stride === 0)
    .map((line) => Row.parse(JSON.parse(line)));
}
