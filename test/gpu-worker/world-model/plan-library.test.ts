import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Asked, createPlanLibrary } from "../../../gpu-worker/world-model/plan-library.ts";
import { createScratch } from "../../../gpu-worker/world-model/scratch.ts";
import { loadWorldModel, type WorldModel } from "../../../gpu-worker/world-model/world-model.ts";
import { createNumbers } from "../support/numbers.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const checkpointDir = fileURLToPath(new URL("../../../gpu-worker/checkpoints/base", import.meta.url));

let model: WorldModel;
beforeAll(async () => {
  model = await loadWorldModel({ checkpointDir, device: "cpu" });
});
afterAll(() => model.close());

function createAsked(count: number): Asked[] {
  const { unit } = createNumbers(4);
  const width = model.manifest.encoderDimension;
  return Array.from({ length: count }, () => ({ goal: unit(width), state: unit(width) }));
}

describe("the library of plans", () => {
  it("recalls the nearest episodes, nearest first, each with what was done", async () => {
    for (const recalled of await model.library.recall(createAsked(20))) {
      expect(recalled.length).toBeGreaterThan(0);
      const similarities = recalled.map(({ similarity }) => similarity);
      expect(similarities).toEqual(similarities.toSorted((left, right) => right - left));
      for (const { actions, similarity } of recalled) {
        expect(Math.abs(similarity)).toBeLessThanOrEqual(1.01);
        expect(actions.length).toBeGreaterThan(0);
        for (const id of actions) expect(id).toBeLessThan(903);
      }
    }
    expect(await model.library.recall([])).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 9, 13, 17])(
    "recalls the same bits in runs of %i and of all",
    async (size) => {
      const asked = createAsked(34);
      const all = await model.library.recall(asked);
      const found = [];
      for (let begin = 0; begin < asked.length; begin += size)
        found.push(...(await model.library.recall(asked.slice(begin, begin + size))));
      expect(found).toEqual(all);
    },
  );

  it("joins what the graph finds with what was done then", async () => {
    const session = {
      device: "cpu" as const,
      rowShapes: { similarity: [2], episode: [2] },
      async run(
        _inputs: unknown,
        { similarity, episode }: Record<string, { values: Float32Array | BigInt64Array }>,
      ) {
        similarity!.values.set([0.9, 0.5, 0.8, 0.1] as never);
        episode!.values.set([2, 0, 1, 2] as never);
      },
      close: async () => {},
    };
    const library = createPlanLibrary(session, [[10], [11, 12], [13]], createScratch(1_024));
    const one = { goal: new Float32Array(4), state: new Float32Array(4) };
    const told = (await library.recall([one, one])).map((some) => some.map(({ actions }) => actions));
    expect(told).toEqual([
      [[13], [10]],
      [[11, 12], [13]],
    ]);
  });
});
