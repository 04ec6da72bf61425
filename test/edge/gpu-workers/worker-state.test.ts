import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  beginCall,
  chooseWorker,
  createWorkerState,
  endCall,
  isSkipped,
  lacksSize,
  listUsable,
  recordAnswer,
  recordFailure,
  recordSizes,
  type WorkerState,
} from "../../../edge/gpu-workers/worker-state.ts";

const now = 1_000_000;
const fast = recordAnswer(createWorkerState("fast"), 5, now);
const slow = recordAnswer(createWorkerState("slow"), 50, now);
/** Always the pair (0, 1). */
const firstTwo = () => 0;

it("a worker's first answer says how fast it is, and each later one a part of it", () => {
  const known = recordAnswer(createWorkerState("w"), 100, now);
  expect(known.latencyMs).toBe(100);
  expect(recordAnswer(known, 200, now).latencyMs).toBeCloseTo(130, 9);
});

describe("choosing a worker", () => {
  it.each<[string, WorkerState[], string]>([
    ["the one that answers faster", [slow, fast], "fast"],
    ["one never tried, before one known", [fast, createWorkerState("new")], "new"],
    ["the one with fewer open calls", [beginCall(fast, now), createWorkerState("idle")], "idle"],
    [
      "a slow idle one, once the fast one has many calls",
      [slow, Array(12).fill(now).reduce(beginCall, fast)],
      "slow",
    ],
  ])("prefers %s", (_name, candidates, expected) => {
    expect(chooseWorker(candidates, firstTwo, now)?.url).toBe(expected);
  });

  it("forgets with time that a worker was slow", () => {
    const busyFast = beginCall(recordAnswer(fast, 5, now + 60_000), now + 60_000);
    expect(chooseWorker([busyFast, slow], firstTwo, now)?.url).toBe("fast");
    expect(chooseWorker([busyFast, slow], firstTwo, now + 60_000)?.url).toBe("slow");
  });

  it("always compares two different workers, and reaches every one", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 6 }),
        fc.nat(5),
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        (count, idle, stream) => {
          // All but one are busy: whenever the idle one is in the pair it wins, whoever the other is.
          const workers = Array.from({ length: count }, (_, index) => {
            const worker = createWorkerState(`w${index}`);
            return index === idle % count ? worker : beginCall(worker, now);
          });
          const draws: number[] = [];
          const random = () => {
            const value = stream.next().value as number;
            draws.push(value);
            return value;
          };
          const chosen = chooseWorker(workers, random, now);
          const first = Math.floor((draws[0] ?? 0) * count);
          expect(chosen).toBeDefined();
          if (first === idle % count) expect(chosen?.url).toBe(`w${first}`);
          if (count === 2) expect(chosen?.url).toBe(`w${idle % count}`);
        },
      ),
    );
  });

  it("has nobody to choose among none, and no choice among one", () => {
    expect(chooseWorker([], firstTwo, now)).toBeUndefined();
    expect(chooseWorker([slow], firstTwo, now)?.url).toBe("slow");
  });
});

describe("open calls", () => {
  it("end one by one, and one whose end was never heard is forgotten", () => {
    const two = beginCall(beginCall(createWorkerState("w"), now), now);
    expect(endCall(two, now).openCalls).toEqual([now]);
    expect(endCall(two, now - 1).openCalls).toHaveLength(2);
    expect(beginCall(two, now + 20_000).openCalls).toEqual([now + 20_000]);
  });
});

describe("a worker's failures", () => {
  it("set it aside exactly when three come in a row, whatever came before", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 30 }), (answers) => {
        let state = createWorkerState("w");
        let failures = 0;
        for (const answered of answers) {
          state = answered ? recordAnswer(state, 5, now) : recordFailure(state, now);
          failures = answered ? 0 : failures + 1;
          expect(isSkipped(state, now)).toBe(failures >= 3);
          expect(isSkipped(state, now + 10_000)).toBe(false);
        }
      }),
    );
  });

  it("are asked while they are being tried, rather than the one that has just failed once more", () => {
    const back = beginCall(
      [1, 2, 3].reduce((state) => recordFailure(state, now - 20_000), slow),
      now,
    );
    const list = (tried: string[]) =>
      listUsable([fast, back], { size: "base", tried: new Set(tried), mayRepeat: true }, now);
    expect(list([]).map(({ url }) => url)).toEqual(["fast"]);
    expect(list(["fast"]).map(({ url }) => url)).toEqual(["slow"]);
    expect(list(["fast", "slow"]).map(({ url }) => url)).toEqual(["fast"]);
  });

  it("let one request try it when it was set aside long enough, and all when it has answered", () => {
    const later = now + 10_000;
    const named = (worker: WorkerState) => worker.url;
    const usable = (worker: WorkerState) =>
      listUsable(
        [worker, createWorkerState("other")],
        { size: "base", tried: new Set(), mayRepeat: false },
        later,
      );
    const aside = [1, 2, 3].reduce((state) => recordFailure(state, now), createWorkerState("ill"));
    expect(usable(aside).map(named)).toEqual(["ill", "other"]);
    const tried = beginCall(aside, later);
    expect(usable(tried).map(named)).toEqual(["other"]);
    expect(usable(recordAnswer(tried, 5, later)).map(named)).toEqual(["ill", "other"]);
    // One whose end nobody heard of is no try.
    expect(usable(beginCall(aside, later - 15_000)).map(named)).toEqual(["ill", "other"]);
  });
});

it("what was recorded before the clock was set back counts no more: it would count for as long as that", () => {
  const anHourBack = now - 3_600_000;
  const failed = [1, 2, 3].reduce((state) => recordFailure(state, now), createWorkerState("a"));
  expect([isSkipped(failed, now), isSkipped(failed, anHourBack)]).toEqual([true, false]);
  const without = recordSizes(createWorkerState("b"), ["small"], now);
  expect([lacksSize(without, "base", now), lacksSize(without, "base", anHourBack)]).toEqual([true, false]);
  const busy = [1, 2, 3].reduce(
    (state) => beginCall(state, now),
    recordAnswer(createWorkerState("c"), 5, now),
  );
  expect(chooseWorker([busy, slow], firstTwo, anHourBack)?.url).toBe("c");
});
