import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createScratch, type Scratch } from "../../../gpu-worker/world-model/scratch.ts";

const bytes = 1024;
const turn = () => new Promise((resolve) => setImmediate(resolve));

type Taken = Float32Array | BigInt64Array;
type Move = { kind: "floats" | "longs" | "giveBack"; length: number };
const moves = fc.array(
  fc.record({
    kind: fc.constantFrom("floats", "longs", "giveBack"),
    length: fc.integer({ min: 0, max: 40 }),
  }) as fc.Arbitrary<Move>,
  { maxLength: 60 },
);

/** Takes and gives back, a turn between any two; every array that is held is full of its own number. */
async function work(scratch: Scratch, plan: readonly Move[], firstMark: number): Promise<void> {
  const held: { array: Taken; mark: number }[] = [];
  for (const [at, { kind, length }] of plan.entries()) {
    if (kind === "giveBack") {
      const last = held.pop();
      if (last) scratch.giveBack(last.array);
    } else {
      const mark = firstMark + at;
      const array =
        kind === "longs" ? scratch.longs(length).fill(BigInt(mark)) : scratch.floats(length).fill(mark);
      held.push({ array, mark });
    }
    await turn();
    for (const { array, mark } of held) for (const value of array) expect(Number(value)).toBe(mark);
  }
}

describe("scratch memory", () => {
  it("gives out nothing twice while it is held, whatever is taken at the same time", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(moves, { minLength: 1, maxLength: 3 }), async (plans) => {
        const scratch = createScratch(bytes);
        await Promise.all(plans.map((plan, of) => scratch.during(() => work(scratch, plan, 1 + of * 100))));
      }),
      { numRuns: 60 },
    );
  });

  it("uses its block again for the next work", async () => {
    const scratch = createScratch(bytes);
    const first = await scratch.during(async () => scratch.floats(8));
    const second = await scratch.during(async () => scratch.floats(4));
    expect(second.buffer).toBe(first.buffer);
    expect(second.byteOffset).toBe(first.byteOffset);
  });

  it("waits with that until nothing runs any more", async () => {
    const scratch = createScratch(bytes);
    let end = () => {};
    const long = scratch.during(() => {
      const kept = scratch.floats(4).fill(1);
      return new Promise<Float32Array>((resolve) => {
        end = () => resolve(kept);
      });
    });
    for (let work = 0; work < 3; work++) await scratch.during(async () => void scratch.floats(4).fill(9));
    end();
    expect([...(await long)]).toEqual([1, 1, 1, 1]);
  });

  it("is given up by work that fails, too", async () => {
    const scratch = createScratch(bytes);
    const failing = scratch.during(async () => {
      scratch.floats(8);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    const next = await scratch.during(async () => scratch.floats(8));
    expect(next.byteOffset).toBe(0);
  });

  it("takes an array back early where it was the last one, and else keeps it", async () => {
    const scratch = createScratch(bytes);
    await scratch.during(async () => {
      const first = scratch.floats(3);
      const second = scratch.floats(3);
      scratch.giveBack(first);
      const third = scratch.floats(3);
      expect(third.byteOffset).toBeGreaterThan(second.byteOffset);
      scratch.giveBack(third);
      expect(scratch.floats(1).byteOffset).toBe(third.byteOffset);
    });
  });

  it.each([
    ["outside of any work", async (scratch: Scratch) => scratch.floats(8)],
    ["when the block is full", (scratch: Scratch) => scratch.during(async () => scratch.floats(bytes))],
  ])("gives memory of its own %s", async (_when, take) => {
    const scratch = createScratch(bytes);
    const own = await take(scratch);
    expect(own.buffer.byteLength).toBe(own.byteLength);
    scratch.giveBack(own);
    expect((await take(scratch)).buffer).not.toBe(own.buffer);
  });
});
