import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchLength, createBatcher, hasRoom, type Outcome } from "../../gpu-worker/batcher.ts";
import type { QueueLimits } from "../../gpu-worker/config.ts";

const limits: QueueLimits = {
  maxQueuedRequests: 5,
  maxQueuedTokens: 600,
  maxBatchRequests: 3,
  maxBatchTokens: 100,
};
const tokens = fc.integer({ min: 1, max: 300 });
const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

describe("a batch", () => {
  it("takes from the head what the budget holds, never less than one, and could not take one more", () => {
    fc.assert(
      fc.property(fc.array(tokens, { minLength: 1, maxLength: 12 }), (sizes) => {
        const length = batchLength(sizes, limits);
        const fits = (count: number) =>
          count <= limits.maxBatchRequests && sumOf(sizes.slice(0, count)) <= limits.maxBatchTokens;
        expect(length).toBeGreaterThanOrEqual(1);
        expect(length === 1 || fits(length)).toBe(true);
        expect(length === sizes.length || !fits(length + 1)).toBe(true);
      }),
    );
  });
});

describe("the queue's bound", () => {
  it.each([
    ["an empty queue takes anything", [], 10_000, true],
    ["the last place", [50, 50, 50, 50], 50, true],
    ["too many requests", [50, 50, 50, 50, 50], 50, false],
    ["too many tokens", [550], 51, false],
    ["exactly the tokens", [550], 50, true],
  ])("%s", (_name, waiting, next, expected) => {
    expect(hasRoom({ requests: waiting.length, tokens: sumOf(waiting) }, next, limits)).toBe(expected);
  });
});

type Item = { id: number; tokens: number };

/** Lanes driven by hand: a batch ends when the test says so. */
function manualLanes(count: number) {
  const running: { items: Item[]; finish: (outcomes?: Outcome<number>[]) => void; fail: () => void }[] = [];
  const batches: Item[][] = [];
  return {
    running,
    batches,
    free: () => count - running.length,
    run: (items: Item[]) =>
      new Promise<Outcome<number>[]>((resolve, reject) => {
        batches.push(items);
        const end = () => void running.splice(running.indexOf(entry), 1);
        const entry = {
          items,
          finish: (outcomes?: Outcome<number>[]) => {
            end();
            resolve(outcomes ?? items.map(({ id }) => ({ ok: true, answer: id })));
          },
          fail: () => {
            end();
            reject(new Error("lane broke"));
          },
        };
        running.push(entry);
      }),
  };
}

function setUp(lanes: ReturnType<typeof manualLanes>) {
  let clock = 0;
  const seen = { batches: [] as number[], dropped: 0 };
  const batcher = createBatcher<Item, number>({
    lanes,
    tokensOf: (one) => one.tokens,
    limits,
    now: () => clock,
    observer: {
      onBatch: (requests) => void seen.batches.push(requests),
      onDrop: () => {
        seen.dropped += 1;
      },
    },
  });
  const tick = (ms: number) => {
    clock += ms;
  };
  return { batcher, seen, tick };
}

const flush = () => new Promise((resolve) => setImmediate(resolve));
const item = (id: number): Item => ({ id, tokens: 10 });
const never = new AbortController().signal;

describe("the batcher", () => {
  it("lets a request leave at once when idle, gathers while busy, and says how long each waited", async () => {
    const lanes = manualLanes(1);
    const { batcher, seen, tick } = setUp(lanes);
    const first = batcher.submit(item(1), never);
    expect(lanes.batches.map((batch) => batch.map(({ id }) => id))).toEqual([[1]]);
    const second = batcher.submit(item(2), never);
    tick(7);
    const third = batcher.submit(item(3), never);
    tick(5);
    lanes.running[0]?.finish();
    expect(await first).toEqual({ answer: 1, queueMs: 0 });
    expect(lanes.batches[1]?.map(({ id }) => id)).toEqual([2, 3]);
    lanes.running[0]?.finish();
    expect(await second).toEqual({ answer: 2, queueMs: 12 });
    expect(await third).toEqual({ answer: 3, queueMs: 5 });
    expect(seen.batches).toEqual([1, 2]);
  });

  it("refuses above its bound and takes requests again when there is room", async () => {
    const lanes = manualLanes(1);
    const { batcher } = setUp(lanes);
    const accepted = [1, 2, 3, 4, 5, 6].map((id) => batcher.submit(item(id), never));
    expect(batcher.isFull()).toBe(true);
    await expect(batcher.submit(item(7), never)).rejects.toMatchObject({ code: "overloaded" });
    lanes.running[0]?.finish();
    await accepted[0];
    await flush();
    expect(batcher.isFull()).toBe(false);
    accepted.push(batcher.submit(item(8), never));
    while (lanes.running.length > 0) {
      lanes.running[0]?.finish();
      await flush();
    }
    expect((await Promise.all(accepted)).map(({ answer }) => answer)).toEqual([1, 2, 3, 4, 5, 6, 8]);
  });

  it("drops a request whose caller leaves while it waits, before any work", async () => {
    const lanes = manualLanes(1);
    const { batcher, seen } = setUp(lanes);
    const first = batcher.submit(item(1), never);
    const leaving = new AbortController();
    const second = batcher.submit(item(2), leaving.signal);
    leaving.abort();
    await expect(second).rejects.toMatchObject({ code: "client_left" });
    expect(batcher.depth()).toBe(0);
    lanes.running[0]?.finish();
    await first;
    await batcher.whenIdle();
    expect(lanes.batches).toHaveLength(1);
    expect(seen.dropped).toBe(1);
  });

  it("fails every request of a batch whose lane broke, and goes on", async () => {
    const lanes = manualLanes(1);
    const { batcher } = setUp(lanes);
    const first = batcher.submit(item(1), never);
    const second = batcher.submit(item(2), never);
    lanes.running[0]?.fail();
    await expect(first).rejects.toThrow("lane broke");
    lanes.running[0]?.finish();
    await expect(second).resolves.toMatchObject({ answer: 2 });
  });

  it("answers every request exactly once, in order, within budget and bound, whatever happens", async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ do: fc.constant("submit" as const), tokens }) },
      {
        weight: 3,
        arbitrary: fc.record({ do: fc.constantFrom("finish" as const, "fail" as const), lane: fc.nat(3) }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constant("leave" as const), back: fc.nat(6) }) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, laneCount) => {
          const lanes = manualLanes(laneCount);
          const { batcher } = setUp(lanes);
          const answers = new Map<number, string[]>();
          const callers: AbortController[] = [];
          const sizes: number[] = [];
          const left = new Set<number>();
          for (const one of steps) {
            if (one.do === "submit") {
              const id = callers.length;
              const caller = new AbortController();
              callers.push(caller);
              sizes.push(one.tokens);
              const log = (entry: string) => void answers.set(id, [...(answers.get(id) ?? []), entry]);
              batcher.submit({ id, tokens: one.tokens }, caller.signal).then(
                ({ answer }) => log(`answer ${answer}`),
                (error: Error) => log(`error ${error.message}`),
              );
            } else if (one.do === "leave") {
              // One of the latest: an early one hardly ever still waits.
              const leaver = callers.length - 1 - one.back;
              const caller = callers[leaver];
              if (caller && !lanes.batches.flat().some(({ id }) => id === leaver)) left.add(leaver);
              caller?.abort();
            } else lanes.running[one.lane % Math.max(1, lanes.running.length)]?.[one.do]();
            await flush();
            expect(lanes.running.length).toBeLessThanOrEqual(laneCount);
            expect(batcher.depth()).toBeLessThanOrEqual(limits.maxQueuedRequests);
            expect(batcher.depth() === 0 || lanes.free() === 0).toBe(true);
            const begun = new Set(lanes.batches.flat().map(({ id }) => id));
            const waiting = sizes.filter((_, id) => !begun.has(id) && !answers.has(id));
            expect(batcher.depth()).toBe(waiting.length);
            const queued = { requests: waiting.length, tokens: sumOf(waiting) };
            expect(batcher.isFull()).toBe(!hasRoom(queued, 1, limits));
          }
          while (lanes.running.length > 0) {
            lanes.running[0]?.finish();
            await flush();
          }
          await batcher.whenIdle();
          const worked = lanes.batches.flat().map(({ id }) => id);
          expect(worked).toEqual([...worked].sort((a, b) => a - b));
          expect(new Set(worked).size).toBe(worked.length);
          expect(worked.filter((id) => left.has(id))).toEqual([]);
          for (const batch of lanes.batches) {
            expect(batch.length === 1 || sumOf(batch.map((one) => one.tokens)) <= limits.maxBatchTokens).toBe(
              true,
            );
            expect(batch.length).toBeLessThanOrEqual(limits.maxBatchRequests);
          }
          for (const id of callers.keys()) {
            expect(answers.get(id)).toHaveLength(1);
            const [entry] = answers.get(id) ?? [];
            if (entry?.startsWith("answer")) expect(entry).toBe(`answer ${id}`);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
