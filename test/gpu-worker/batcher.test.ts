import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  Batcher,
  batchLength,
  chatBatchesBeforeBulk,
  chooseUrgency,
  type Outcome,
} from "../../gpu-worker/batcher.ts";
import type { QueueLimits } from "../../gpu-worker/config.ts";
import type { Urgency } from "../../shared/worker-tasks.ts";

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

describe("the next batch", () => {
  it.each<[string, Record<Urgency, number>, number, Urgency | undefined]>([
    ["is none of nothing", { chat: 0, bulk: 0 }, 0, undefined],
    ["is of chat, whatever bulk waits", { chat: 1, bulk: 99 }, 0, "chat"],
    ["is of bulk where no chat waits", { chat: 0, bulk: 1 }, 3, "bulk"],
    ["is of bulk after many of chat", { chat: 9, bulk: 1 }, chatBatchesBeforeBulk, "bulk"],
    ["is of chat after many of chat without bulk", { chat: 9, bulk: 0 }, 99, "chat"],
  ])("%s", (_name, waiting, chatInARow, expected) => {
    expect(chooseUrgency(waiting, chatInARow)).toBe(expected);
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
  const seen = { batches: [] as number[], done: [] as [Urgency, number, number][], dropped: 0 };
  const batcher = new Batcher<Item, number>({
    lanes,
    limits,
    now: () => clock,
    observer: {
      onBatch: (requests) => void seen.batches.push(requests),
      onDone: (...one) => void seen.done.push(one),
      onDrop: () => {
        seen.dropped += 1;
      },
    },
  });
  const tick = (ms: number) => {
    clock += ms;
  };
  const submit = (one: Item, signal: AbortSignal = never, urgency: Urgency = "chat", share = "a") =>
    batcher.submit(one, { urgency, share, tokens: one.tokens, weight: one.tokens, signal });
  return { batcher, submit, seen, tick };
}

const flush = () => new Promise((resolve) => setImmediate(resolve));
const item = (id: number): Item => ({ id, tokens: 10 });
const never = new AbortController().signal;

describe("the batcher", () => {
  it("lets a request leave at once when idle, gathers while busy, and says how long each waited", async () => {
    const lanes = manualLanes(1);
    const { submit, seen, tick } = setUp(lanes);
    const first = submit(item(1));
    expect(lanes.batches.map((batch) => batch.map(({ id }) => id))).toEqual([[1]]);
    const second = submit(item(2));
    tick(7);
    const third = submit(item(3));
    tick(5);
    lanes.running[0]?.finish();
    expect(await first).toEqual({ answer: 1, queueMs: 0, start: expect.any(Number) });
    expect(lanes.batches[1]?.map(({ id }) => id)).toEqual([2, 3]);
    lanes.running[0]?.finish();
    expect(await second).toEqual({ answer: 2, queueMs: 12, start: expect.any(Number) });
    expect(await third).toEqual({ answer: 3, queueMs: 5, start: expect.any(Number) });
    expect(seen.batches).toEqual([1, 2]);
  });

  it("lets one batch of bulk leave after many of chat, then as many of chat again", async () => {
    const lanes = manualLanes(1);
    const { submit } = setUp(lanes);
    for (let id = 0; id < 4; id++) void submit({ id: 1_000 + id, tokens: 100 }, never, "bulk");
    for (let id = 0; id < 40; id++) void submit({ id, tokens: 100 });
    for (let batch = 0; batch < 40; batch++) {
      lanes.running[0]?.finish();
      await flush();
    }
    // The first of all was bulk: nothing else waited when it came.
    const bulkAt = [...lanes.batches.keys()].filter((at) => lanes.batches[at]![0]!.id >= 1_000);
    expect(bulkAt).toEqual([0, 1 + chatBatchesBeforeBulk, 2 * (1 + chatBatchesBeforeBulk)]);
  });

  it("tells how many tokens each batch had and how long it took, but not of one that failed", async () => {
    const lanes = manualLanes(1);
    const { submit, seen, tick } = setUp(lanes);
    const [first, second] = [submit(item(1)), submit(item(2), never, "bulk")];
    tick(7);
    lanes.running[0]?.finish();
    await first;
    tick(5);
    lanes.running[0]?.finish();
    await second;
    const failing = submit(item(3));
    lanes.running[0]?.fail();
    await expect(failing).rejects.toThrow("lane broke");
    expect(seen.done).toEqual([
      ["chat", 10, 7],
      ["bulk", 10, 5],
    ]);
  });

  it("lets a plan leave before the slices that waited before it, and alone", async () => {
    const lanes = manualLanes(1);
    const { submit } = setUp(lanes);
    const slices = [1, 2, 3, 4].map((id) => submit(item(id), never, "bulk", "heavy"));
    const plan = submit(item(5), never, "chat", "light");
    lanes.running[0]?.finish();
    await slices[0];
    await flush();
    expect(lanes.batches.map((batch) => batch.map(({ id }) => id))).toEqual([[1], [5]]);
    lanes.running[0]?.finish();
    expect(await plan).toMatchObject({ answer: 5 });
    expect(lanes.batches[2]?.map(({ id }) => id)).toEqual([2, 3, 4]);
    lanes.running[0]?.finish();
    await Promise.all(slices);
  });

  it("serves an account that has just come before the backlog of another", async () => {
    const lanes = manualLanes(1);
    const { submit } = setUp(lanes);
    const heavy = Array.from({ length: 12 }, (_, id) => submit({ id, tokens: 40 }, never, "chat", "heavy"));
    const light = submit({ id: 99, tokens: 40 }, never, "chat", "light");
    lanes.running[0]?.finish();
    await heavy[0];
    await flush();
    expect(lanes.batches[1]?.map(({ id }) => id)).toContain(99);
    while (lanes.running.length > 0) {
      lanes.running[0]?.finish();
      await flush();
    }
    await Promise.all([...heavy, light]);
  });

  it("drops a request whose caller leaves while it waits, before any work", async () => {
    const lanes = manualLanes(1);
    const { batcher, submit, seen } = setUp(lanes);
    const first = submit(item(1));
    const leaving = new AbortController();
    const second = submit(item(2), leaving.signal);
    leaving.abort();
    await expect(second).rejects.toMatchObject({ code: "client_left" });
    expect(batcher.depth()).toBe(0);
    lanes.running[0]?.finish();
    await first;
    await batcher.whenIdle();
    expect(lanes.batches).toHaveLength(1);
    expect(seen.dropped).toBe(1);
  });

  it("counts a request whose caller leaves while its batch runs as begun, not as dropped", async () => {
    const lanes = manualLanes(1);
    const { submit, seen } = setUp(lanes);
    const leaving = new AbortController();
    const first = submit(item(1), leaving.signal);
    leaving.abort();
    lanes.running[0]?.finish();
    expect(await first).toMatchObject({ answer: 1 });
    expect(seen.dropped).toBe(0);
  });

  it("is idle once the last that waits has left, also where no lane lives to serve it", async () => {
    const { batcher, submit } = setUp(manualLanes(0));
    const leaving = new AbortController();
    const only = submit(item(1), leaving.signal);
    const idle = batcher.whenIdle();
    leaving.abort();
    await expect(only).rejects.toMatchObject({ code: "client_left" });
    await idle;
  });

  it("is not idle while something waits that no lane takes yet", async () => {
    const lanes = manualLanes(0);
    const { batcher, submit } = setUp(lanes);
    const waiting = submit(item(1), new AbortController().signal);
    let isIdle = false;
    const idle = batcher.whenIdle().then(() => {
      isIdle = true;
    });
    await new Promise(setImmediate);
    expect([batcher.depth(), isIdle]).toEqual([1, false]);
    void [waiting, idle];
  });

  it("refuses what a lane gave no outcome for, and goes on", async () => {
    const lanes = manualLanes(1);
    const { submit } = setUp(lanes);
    const first = submit(item(1));
    const second = submit(item(2));
    lanes.running[0]?.finish([]);
    await expect(first).rejects.toMatchObject({ code: "internal_error" });
    lanes.running[0]?.finish();
    expect(await second).toMatchObject({ answer: 2 });
  });

  it("fails every request of a batch whose lane broke, and goes on", async () => {
    const lanes = manualLanes(1);
    const { submit } = setUp(lanes);
    const first = submit(item(1));
    const second = submit(item(2));
    lanes.running[0]?.fail();
    await expect(first).rejects.toThrow("lane broke");
    lanes.running[0]?.finish();
    await expect(second).resolves.toMatchObject({ answer: 2 });
  });

  it("answers every request exactly once, in order, within budget, whatever happens", async () => {
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
          const { batcher, submit } = setUp(lanes);
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
              submit({ id, tokens: one.tokens }, caller.signal).then(
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
            expect(batcher.depth() === 0 || lanes.free() === 0).toBe(true);
            const begun = new Set(lanes.batches.flat().map(({ id }) => id));
            const waiting = sizes.filter((_, id) => !begun.has(id) && !answers.has(id));
            expect(batcher.depth()).toBe(waiting.length);
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
