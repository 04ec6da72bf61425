// While many streams are open, the events of each are gathered for a moment before they are written.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSharedPace, gather, type SharedPace } from "../../../edge/stream/shared-pace.ts";

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
    let given = 0;
    async function* count(): AsyncGenerator<number[], void, void> {
      while (given < 1_000) yield [++given];
    }
    const gathered = gather(count(), { pace: crowd(63), sizeOf: () => 1_024, ...clock });
    expect(await gathered.next()).toMatchObject({ value: [1] });
    const second = gathered.next();
    for (let turn = 0; turn < 20; turn++) await clock.pass(1);
    expect(given).toBe(17);
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
