import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  Batcher,
  batchLength,
  chatBatchesBeforeBulk,
  chooseUrgency,
  createFairQueue,
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
  const seen = { batches: [] as number[], dropped: 0 };
  const batcher = new Batcher<Item, number>({
    lanes,
    limits,
    now: () => clock,
    observer: {
      onBatch: (requests) => void seen.batches.push(requests),
      onDone: () => {},
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

const takeOne = <Item>(queue: ReturnType<typeof createFairQueue<Item>>) => queue.take(() => 1)[0];

describe("the fair queue", () => {
  it("puts a further piece behind the piece before it, among other accounts' work, and before its account's next", () => {
    const queue = createFairQueue<string>();
    const first = queue.push("first piece", "a", 10, 1_000);
    queue.take(() => 1);
    queue.push("next of a", "a", 10, 10);
    for (let at = 0; at < 6; at++) queue.push(`b${at}`, "b", 10, 100);
    queue.push("second piece", "a", 10, 250, first.start);
    const order = Array.from({ length: 8 }, () => takeOne(queue)!.item);
    expect(order).toEqual(["b0", "b1", "b2", "second piece", "b3", "b4", "b5", "next of a"]);
  });

  it("takes by turns of accounts that wait together, however much each has", () => {
    const queue = createFairQueue<string>();
    for (const item of ["a1", "a2", "a3", "a4", "a5", "a6"]) queue.push(item, "a", 10, 10);
    for (const item of ["b1", "b2"]) queue.push(item, "b", 10, 10);
    expect(Array.from({ length: 8 }, () => takeOne(queue)?.item)).toEqual([
      "a1",
      "b1",
      "a2",
      "b2",
      "a3",
      "a4",
      "a5",
      "a6",
    ]);
  });

  it("gives an account that was idle no credit for it", () => {
    const queue = createFairQueue<string>();
    for (let count = 0; count < 50; count++) queue.push("a", "a", 10, 10);
    for (let count = 0; count < 40; count++) takeOne(queue);
    for (let count = 0; count < 20; count++) queue.push("b", "b", 10, 10);
    const first = Array.from({ length: 10 }, () => takeOne(queue)?.item);
    expect(first.filter((item) => item === "a").length).toBeGreaterThanOrEqual(4);
  });

  it("is first in, first out for one account, and forgets what left", () => {
    const queue = createFairQueue<number>();
    const entries = [1, 2, 3, 4].map((item) => queue.push(item, "a", item * 100, 10));
    queue.remove(entries[1]!);
    queue.remove(entries[1]!);
    expect(queue.size()).toBe(3);
    expect(queue.take((tokens) => tokens.length).map(({ item }) => item)).toEqual([1, 3, 4]);
  });

  it("serves two accounts that always wait the same tokens, within one request of each", () => {
    const tokens = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(tokens, tokens, (ofA, ofB) => {
        const queue = createFairQueue<string>();
        for (const one of ofA) queue.push("a", "a", one, one);
        for (const one of ofB) queue.push("b", "b", one, one);
        const served = { a: 0, b: 0 };
        const left = { a: 60, b: 60 };
        while (left.a > 0 && left.b > 0) {
          const taken = takeOne(queue)!;
          served[taken.item as "a" | "b"] += taken.tokens;
          left[taken.item as "a" | "b"] -= 1;
          expect(Math.abs(served.a - served.b)).toBeLessThanOrEqual(200);
        }
      }),
    );
  });

  it("puts what an account asks for later behind what it has asked for, also after a piece that went before that", () => {
    const queue = createFairQueue<string>();
    for (const item of ["a1", "a2", "a3", "a4"]) queue.push(item, "a", 10, 10);
    const [first] = queue.take(() => 1);
    queue.push("a1, second piece", "a", 10, 10, first!.start);
    queue.push("a5", "a", 10, 10);
    for (const item of ["b1", "b2", "b3", "b4"]) queue.push(item, "b", 10, 10);
    const order = queue.take((tokens) => tokens.length).map(({ item }) => item);
    expect(order.indexOf("a5")).toBeGreaterThan(order.indexOf("b4"));
  });
});
