import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type OnnxSession, openSession } from "../../../gpu-worker/inference/session.ts";
import { packTexts, shareRuns, toPackedEncoder } from "../../../gpu-worker/world-model/packed-encoder.ts";
import { createScratch } from "../../../gpu-worker/world-model/scratch.ts";
import { createNumbers } from "../support/numbers.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const model = readFileSync(new URL("../../../gpu-worker/checkpoints/base/encoder.onnx", import.meta.url));
const width = 384;
const { below } = createNumbers(3);
const rowOf = (length: number) => Int32Array.from({ length }, () => 1_000 + below(20_000));

describe("the encoder's graph for texts of different lengths", () => {
  let ofCheckpoint: OnnxSession;
  let packed: OnnxSession;
  beforeAll(async () => {
    ofCheckpoint = await openSession({ model, device: "cpu" });
    packed = await openSession({ model: toPackedEncoder(model), device: "cpu" });
  });
  afterAll(async () => {
    await ofCheckpoint.close();
    await packed.close();
  });

  const into = (rows: number) => {
    const values = new Float32Array(rows * width);
    return { embedding: { kind: "float32", values, shape: [rows, width] } } as const;
  };

  async function encodeAlone(row: Int32Array): Promise<Float32Array> {
    const shape = [1, row.length];
    const outputs = into(1);
    await ofCheckpoint.run(
      {
        input_ids: { kind: "int64", values: BigInt64Array.from(row, BigInt), shape },
        attention_mask: { kind: "int64", values: new BigInt64Array(row.length).fill(1n), shape },
      },
      outputs,
    );
    return outputs.embedding.values;
  }

  async function encodeTogether(rows: readonly Int32Array[]): Promise<Float32Array[]> {
    const outputs = into(rows.length);
    await packed.run(packTexts(rows, createScratch(0)), outputs);
    return rows.map((_, row) => outputs.embedding.values.slice(row * width, (row + 1) * width));
  }

  it.each([
    [[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]],
    [[14, 15, 16, 17, 18, 19]],
    [[7, 64]],
    [[20, 21, 22, 23, 47]],
    [[95, 96, 31]],
    [[255]],
  ])("gives texts of %j tokens the bits that the checkpoint's graph gives each alone", async (lengths) => {
    const rows = lengths.map(rowOf);
    const alone = [];
    for (const row of rows) alone.push(await encodeAlone(row));
    expect(await encodeTogether(rows)).toEqual(alone);
    for (const [at, row] of rows.entries()) expect(await encodeTogether([row])).toEqual([alone[at]]);
  });

  it("is not made of a graph that is no encoder", () => {
    const other = new URL("../../../gpu-worker/checkpoints/base/act.onnx", import.meta.url);
    expect(() => toPackedEncoder(readFileSync(other))).toThrow(/not a graph of/);
  });
});

describe("texts that share a run", () => {
  it("holds every text once, bounds tokens and padding, and runs alone what is too long for company", () => {
    const rows = [300, 3, 250, 4, 100, 90, 2, 2, 2, 180, 7].map(rowOf);
    const runs = shareRuns(rows, 256);
    expect(runs.flat().sort((left, right) => left - right)).toEqual([...rows.keys()]);
    for (const run of runs) {
      const lengths = run.map((place) => rows[place]!.length);
      const padded = run.length * Math.max(...lengths);
      if (run.length > 1) expect(lengths.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(256);
      if (run.length > 1) expect(padded).toBeLessThanOrEqual(384);
    }
    expect(runs.length).toBeLessThan(7);
  });
});
