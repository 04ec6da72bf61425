import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPump, createSharedPace, gather, type SharedPace } from "../../../edge/stream/flow-control.ts";

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A source of so many pieces, and how many of them it has given. */
function countTo(last: number) {
  const given = { count: 0 };
  async function* source(): AsyncGenerator<string, void, void> {
    while (given.count < last) yield String(++given.count);
  }
  return { given, source: source() };
}

function pump(
  source: AsyncGenerator<string, void, void>,
  maxWaiting: number,
  patienceMs?: number,
  signal?: AbortSignal,
) {
  const seen: string[] = [];
  let ends = 0;
  const made = createPump(source, {
    observe: (piece) => seen.push(piece),
    onEnd: () => {
      ends += 1;
    },
    sizeOf: () => 1,
    maxWaiting,
    patienceMs,
    stalled: "stalled",
    ...(signal && { signal }),
  });
  return { ...made, seen, ends: () => ends };
}

async function readAll(pieces: AsyncGenerator<string, void, void>): Promise<string[]> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

describe("a pump", () => {
  test("gives every piece in order, each counted once, and ends once", async () => {
    const { pieces, seen, ends } = pump(countTo(100).source, 7);
    expect(await readAll(pieces)).toEqual(seen);
    expect(seen).toHaveLength(100);
    expect(ends()).toBe(1);
  });

  test("counts without a reader as far as the queue goes, and no further", async () => {
    const { given, source } = countTo(100);
    const { seen } = pump(source, 10);
    await sleep(20);
    expect(seen).toHaveLength(10);
    expect(given.count).toBe(10);
  });

  test("counts all of it when its reader takes nothing for too long, and tells him so", async () => {
    const { pieces, seen, ends } = pump(countTo(100).source, 10, 30);
    await sleep(80);
    expect(seen).toHaveLength(100);
    expect(ends()).toBe(1);
    expect(await readAll(pieces)).toEqual([...seen.slice(0, 10), "stalled"]);
  });

  test("lets its source end when its reader has left with the queue full", async () => {
    const leaving = new AbortController();
    const broken = async function* () {
      for (let at = 0; !leaving.signal.aborted; at++) yield String(at);
      yield "broken";
    };
    const { seen, ends } = pump(broken(), 3, undefined, leaving.signal);
    await sleep(20);
    expect(seen).toEqual(["0", "1", "2"]);
    leaving.abort();
    await sleep(20);
    expect(seen).toEqual(["0", "1", "2", "broken"]);
    expect(ends()).toBe(1);
  });

  test("waits for a reader who is slow, however slow the whole is", async () => {
    const { pieces } = pump(countTo(12).source, 2, 60);
    const read: string[] = [];
    for await (const piece of pieces) {
      read.push(piece);
      await sleep(25);
    }
    expect(read).toHaveLength(12);
    expect(read).not.toContain("stalled");
  });

  test("neither counts nor gives what comes after the cut, and ends its source", async () => {
    let wake = () => {};
    let ended = false;
    async function* late(): AsyncGenerator<string, void, void> {
      try {
        yield "one";
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        yield "late";
        yield "later";
      } finally {
        ended = true;
      }
    }
    const { pieces, cut, seen } = pump(late(), 10);
    await sleep(5);
    cut("over");
    wake();
    expect(await readAll(pieces)).toEqual(["one", "over"]);
    await sleep(5);
    expect(seen).toEqual(["one"]);
    expect(ended).toBe(true);
  });

  test("is cut with a last word although its source never moves again", async () => {
    async function* stuck(): AsyncGenerator<string, void, void> {
      yield "one";
      await new Promise(() => {});
    }
    const { pieces, cut, ends } = pump(stuck(), 10);
    setTimeout(() => {
      cut("over");
      cut("again");
    }, 20);
    expect(await readAll(pieces)).toEqual(["one", "over"]);
    expect(ends()).toBe(1);
  });
});

/** A clock that the test moves; `sleep` resolves when it gets there. */
function createClock() {
  let now = 0;
  let sleepers: { at: number; wake: () => void }[] = [];
  return {
    now: () => now,
    sleep: (milliseconds: number) =>
      new Promise<void>((wake) => void sleepers.push({ at: now + milliseconds, wake })),
    async pass(milliseconds: number) {
      now += milliseconds;
      const due = sleepers.filter(({ at }) => at <= now);
      sleepers = sleepers.filter(({ at }) => at > now);
      for (const { wake } of due) wake();
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    },
  };
}

/** A source that gives what it is told to; whether it was returned. */
function createSource<T>() {
  const waiting: T[][] = [];
  let wake = () => {};
  let ended = false;
  const state = { asked: 0, returned: false };
  async function* read(): AsyncGenerator<T[], void, void> {
    try {
      for (;;) {
        state.asked += 1;
        while (waiting.length === 0 && !ended) await new Promise<void>((resolve) => (wake = resolve));
        const next = waiting.shift();
        if (next === undefined) return;
        yield next;
      }
    } finally {
      state.returned = true;
    }
  }
  const give = (...values: T[]) => {
    waiting.push(values);
    wake();
  };
  const end = () => {
    ended = true;
    wake();
  };
  return { source: read(), give, end, state };
}

const crowd = (streams: number): SharedPace => {
  const pace = createSharedPace();
  for (let count = 0; count < streams; count++) pace.enter();
  return pace;
};

function start(streams: number) {
  const clock = createClock();
  const { source, ...rest } = createSource<number>();
  const written: { at: number; values: number[] }[] = [];
  const gathered = gather(source, { pace: crowd(streams - 1), sizeOf: ({ length }) => length, ...clock });
  const done = (async () => {
    for await (const values of gathered) written.push({ at: clock.now(), values });
  })();
  return { ...clock, ...rest, written, done, gathered };
}

describe("the pace that streams share", () => {
  test.each([
    { streams: 1, restMs: 0 },
    { streams: 8, restMs: 0 },
    { streams: 9, restMs: 4.5 },
    { streams: 64, restMs: 32 },
    { streams: 200, restMs: 100 },
    { streams: 5_000, restMs: 100 },
  ])("of $streams is a write every $restMs ms for each", ({ streams, restMs }) => {
    expect(crowd(streams).restMs()).toBe(restMs);
  });

  test("forgets a stream that has ended, once", () => {
    const pace = crowd(9);
    const leave = pace.enter();
    leave();
    leave();
    expect(pace.restMs()).toBe(4.5);
  });
});

describe("gathering", () => {
  test("passes on each piece as it comes where streams are few", async () => {
    const { give, end, pass, written, done } = start(8);
    for (const value of [1, 2, 3]) {
      give(value);
      await pass(1);
    }
    end();
    await done;
    expect(written.map(({ values }) => values)).toEqual([[1], [2], [3]]);
  });

  test("writes the first piece at once, then at most one write in a rest, with all that came meanwhile", async () => {
    const { give, end, pass, written, done } = start(64);
    give(1);
    await pass(1);
    for (let value = 2; value <= 20; value++) {
      give(value);
      await pass(5);
    }
    end();
    await pass(0);
    await done;
    expect(written[0]).toEqual({ at: 1, values: [1] });
    expect(written.flatMap(({ values }) => values)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    for (const [at, { at: writtenAt }] of written.slice(1, -1).entries())
      expect(writtenAt - written[at]!.at).toBeGreaterThanOrEqual(32);
    expect(written.length).toBeLessThan(6);
  });

  test("does not keep a piece longer than the rest when nothing follows it", async () => {
    const { give, pass, written } = start(64);
    give(1);
    await pass(1);
    give(2);
    await pass(1);
    expect(written).toHaveLength(1);
    await pass(31);
    expect(written.at(-1)).toMatchObject({ values: [2] });
  });

  test("reads no further than a full list while a write is due, and goes on after it", async () => {
    const clock = createClock();
    const { given, source } = countTo(1_000);
    async function* lists(): AsyncGenerator<string[], void, void> {
      for await (const piece of source) yield [piece];
    }
    const gathered = gather(lists(), { pace: crowd(63), sizeOf: () => 1_024, ...clock });
    expect(await gathered.next()).toMatchObject({ value: ["1"] });
    const second = gathered.next();
    for (let turn = 0; turn < 20; turn++) await clock.pass(1);
    expect(given.count).toBe(17);
    await clock.pass(20);
    expect((await second).value).toHaveLength(16);
    await gathered.return();
  });

  test("loses and reorders nothing, whatever comes when", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ after: fc.nat({ max: 60 }), count: fc.integer({ min: 1, max: 3 }) }), {
          maxLength: 40,
        }),
        fc.integer({ min: 1, max: 300 }),
        async (pieces, streams) => {
          const { give, end, pass, written, done, state } = start(streams);
          let last = 0;
          for (const { after, count } of pieces) {
            give(...Array.from({ length: count }, () => ++last));
            await pass(after);
          }
          end();
          await pass(0);
          await done;
          expect(written.flatMap(({ values }) => values)).toEqual(
            Array.from({ length: last }, (_, at) => at + 1),
          );
          expect(state.returned).toBe(true);
        },
      ),
    );
  });

  test("ends its source when its reader stops", async () => {
    const clock = createClock();
    const { source, give, state } = createSource<number>();
    const pace = crowd(0);
    const gathered = gather(source, { pace, sizeOf: ({ length }) => length, ...clock });
    give(1);
    expect(await gathered.next()).toMatchObject({ value: [1] });
    expect(state.asked).toBe(1);
    await gathered.return();
    expect(state.returned).toBe(true);
  });
});
