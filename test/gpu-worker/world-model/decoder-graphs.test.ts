/** The rewritten graphs of the plan decoder say what the checkpoint's own graphs say, step after step. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Floats, type OnnxSession, openSession } from "../../../gpu-worker/inference/session.ts";
import {
  toDecoderStart,
  toDecoderStep,
  toShortMemory,
} from "../../../gpu-worker/world-model/decoder-graphs.ts";
import { memoryRows } from "../../../gpu-worker/world-model/plan-decoder.ts";
import { loadWorldModel, type WorldModel } from "../../../gpu-worker/world-model/world-model.ts";
import { createNumbers } from "../support/numbers.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const checkpointDir = fileURLToPath(new URL("../../../gpu-worker/checkpoints/base", import.meta.url));
const read = (name: string) => readFileSync(`${checkpointDir}/${name}.onnx`);
const { unit, below } = createNumbers(7);

const block = (...shape: number[]): Floats => {
  return { kind: "float32", values: new Float32Array(shape.reduce((size, one) => size * one, 1)), shape };
};
const ids = (...values: number[]) =>
  ({ kind: "int64", values: BigInt64Array.from(values, BigInt), shape: [values.length] }) as const;

describe("the plan decoder's graphs", () => {
  let open: OnnxSession;
  let step: OnnxSession;
  let model: WorldModel;
  beforeAll(async () => {
    open = await openSession({ model: read("plan-open"), device: "cpu" });
    step = await openSession({ model: read("plan-step"), device: "cpu" });
    model = await loadWorldModel({ checkpointDir, device: "cpu" });
  });
  afterAll(async () => {
    for (const one of [open, step, model]) await one.close();
  });

  /** The logits of each action in turn, by the checkpoint's own graphs and a memory of 20 rows. */
  async function writeAsExported(memory: Floats, mask: Floats, actions: readonly number[]) {
    const rows = memory.shape[0]!;
    const [keys, values] = [block(rows, memoryRows.total, 256), block(rows, memoryRows.total, 256)];
    let hidden = block(rows, 384);
    await open.run({ memory, mask }, { hidden, keys, values });
    const owner = ids(...Array.from({ length: rows }, (_, row) => row));
    const found: Float32Array[] = [];
    for (const action of actions) {
      const [next_hidden, logits] = [block(rows, 384), block(rows, 903)];
      const last = ids(...Array.from({ length: rows }, () => action));
      await step.run({ hidden, last, owner, keys, values, memory, mask }, { next_hidden, logits });
      hidden = next_hidden;
      found.push(logits.values);
    }
    return found;
  }

  it.each([1, 4, 7])("give the logits of the exported ones for %i memories and four steps", async (rows) => {
    // The runtime computes a single row on another code path.
    const ofExported = Math.max(2, rows);
    const [memory, mask] = [block(ofExported, memoryRows.total, 384), block(ofExported, memoryRows.total)];
    const memories = Array.from({ length: rows }, (_, row) =>
      [0, 1, 2, 3, 10].slice(0, 2 + below(4)).map((at) => {
        const vector = unit(384);
        memory.values.set(vector, (row * memoryRows.total + at) * 384);
        mask.values[row * memoryRows.total + at] = 1;
        return { at, vector };
      }),
    );
    const actions = [2, 40, 41, 300];
    const exported = await writeAsExported(memory, mask, actions);
    const opened = await model.decoder.open(memories);
    let { hidden } = opened;
    for (const [at, last] of actions.entries()) {
      const results = await opened.step(hidden.map((one, owner) => ({ owner, hidden: one, last })));
      hidden = results.map((result) => result.hidden);
      for (const [row, { logits }] of results.entries()) {
        const expected = exported[at]!.subarray(row * 903, (row + 1) * 903);
        const off = logits.reduce((most, one, id) => Math.max(most, Math.abs(one - expected[id]!)), 0);
        expect(off).toBeLessThan(1e-4);
      }
    }
  });

  it("are not made of another graph", () => {
    expect(() => toDecoderStart(read("act"))).toThrow(/plan-step\.onnx does not/);
    expect(() => toDecoderStep(read("act"))).toThrow(/plan-step\.onnx does not/);
    expect(() => toShortMemory(read("act"))).toThrow(/adds nothing/);
  });
});
