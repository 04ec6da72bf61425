import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { actionIds } from "../../../gpu-worker/world-model/actions.ts";
import { type MemoryRow, memoryRows } from "../../../gpu-worker/world-model/plan-decoder.ts";
import { loadWorldModel, type WorldModel } from "../../../gpu-worker/world-model/world-model.ts";
import { actionCount } from "../../../shared/planning.ts";
import { createNumbers } from "../support/numbers.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const checkpointDir = fileURLToPath(new URL("../../../gpu-worker/checkpoints/base", import.meta.url));

let model: WorldModel;
beforeAll(async () => {
  model = await loadWorldModel({ checkpointDir, device: "cpu" });
});
afterAll(() => model.close());

/** Memories of many sizes: goal and state always, some parts, some actions taken. */
function createMemories(count: number): MemoryRow[][] {
  const { unit, below } = createNumbers(1);
  const row = (at: number): MemoryRow => ({ at, vector: unit(model.manifest.encoderDimension) });
  const { goal, state, firstPart, parts, firstTaken, taken } = memoryRows;
  return Array.from({ length: count }, () => [
    row(goal),
    row(state),
    ...Array.from({ length: below(parts + 1) }, (_, at) => row(firstPart + at)),
    ...Array.from({ length: below(taken + 1) }, (_, at) => row(firstTaken + at)),
  ]);
}

/** The logits of two actions written over each memory, the second after the one that `lasts` names. */
async function write(memories: readonly (readonly MemoryRow[])[], lasts: readonly number[]) {
  const { hidden, step } = await model.decoder.open(memories);
  const first = await step(
    memories.map((_, owner) => ({ owner, hidden: hidden[owner]!, last: actionIds.start })),
  );
  const second = await step(
    memories.map((_, owner) => ({ owner, hidden: first[owner]!.hidden, last: lasts[owner]! })),
  );
  return memories.map((_, row) => [first[row]!.logits.slice(), second[row]!.logits.slice()]);
}

describe("the plan decoder", () => {
  it("gives the logits of 903 actions", async () => {
    for (const logits of (await write(createMemories(3), [10, 20, 30])).flat()) {
      expect(logits).toHaveLength(actionCount);
      for (const logit of logits) expect(Number.isFinite(logit)).toBe(true);
    }
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 9, 13, 17])("writes the same bits in runs of %i and of all", async (size) => {
    const memories = createMemories(34);
    const lasts = memories.map((_, row) => 10 + row);
    const all = await write(memories, lasts);
    const found = [];
    for (let begin = 0; begin < memories.length; begin += size)
      found.push(...(await write(memories.slice(begin, begin + size), lasts.slice(begin, begin + size))));
    expect(found).toEqual(all);
  });

  it("writes the same bits in a step of one and of hundreds, whoever they belong to", async () => {
    const memories = createMemories(5);
    const { hidden, step } = await model.decoder.open(memories);
    const steps = Array.from({ length: 150 }, (_, row) => {
      return { owner: row % 5, hidden: hidden[row % 5]!, last: 10 + (row % 7) };
    });
    const together = (await step(steps)).map(({ logits }) => logits.slice());
    for (const row of [0, 1, 63, 64, 127, 128, 149])
      expect((await step([steps[row]!]))[0]!.logits).toEqual(together[row]);
  });

  it("writes the same bits for a row that is alone in the last run", async () => {
    const { hidden, step } = await model.decoder.open(createMemories(1));
    const one = { owner: 0, hidden: hidden[0]!, last: 10 };
    const together = (await step(Array.from({ length: 65 }, () => one))).map(({ logits }) => logits.slice());
    expect(together[64]).toEqual(together[0]);
    expect((await step([one]))[0]!.logits).toEqual(together[64]);
  });

  it("writes the same bits whatever the batch's memory held before", async () => {
    const memories = createMemories(3);
    const inMemoryOf = (content: number) =>
      model.scratch.during(async () => {
        const dirty = model.scratch.floats(model.scratch.bytes / 4 - 8).fill(content);
        model.scratch.giveBack(dirty);
        return write(memories, [10, 20, 30]);
      });
    expect(await inMemoryOf(Number.NaN)).toEqual(await inMemoryOf(0));
  });

  it("reads what is remembered: another goal, part or action taken makes other plans", async () => {
    const [memory] = createMemories(1);
    const { unit } = createNumbers(9);
    const [plain] = await write([memory!], [10]);
    for (const at of [memoryRows.goal, memoryRows.state, memoryRows.firstPart, memoryRows.firstTaken]) {
      const changed = [...memory!.filter((row) => row.at !== at), { at, vector: unit(384) }];
      expect((await write([changed], [10]))[0]![0]).not.toEqual(plain![0]);
    }
  });
});
