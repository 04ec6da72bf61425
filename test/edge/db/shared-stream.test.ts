import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DatabaseError } from "../../../edge/db/connection.ts";
import type { SharedStream } from "../../../edge/db/shared-stream.ts";
import { noAbort, open, resultOf, settled } from "../support/open-shared-stream.ts";

describe("a shared stream", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("sends at once where nobody sends, and goes on with the baton of the answer before", async () => {
    const { groups, send } = open();
    for (const [index, request] of ["a", "b"].entries()) {
      const sent = send(request);
      await settled();
      groups[index]!.answer();
      expect(await sent).toEqual(resultOf(request));
    }
    expect(groups.map(({ baton, statements }) => [baton, statements])).toEqual([
      [null, ["a"]],
      ["b1", ["b"]],
    ]);
  });

  it("sends what has gathered behind a group as one more, and gives each its own result", async () => {
    const { groups, send } = open();
    const sent = ["a", "b", "c", "d"].map((request) => send(request));
    await settled();
    groups[0]!.answer();
    await settled();
    expect(groups.map(({ statements }) => statements)).toEqual([["a"], ["b", "c", "d"]]);
    groups[1]!.answer();
    expect(await Promise.all(sent)).toEqual(["a", "b", "c", "d"].map(resultOf));
  });

  it.each([
    ["128 statements", "x", 130, 128],
    ["256 KiB", "x".repeat(100 * 1024), 5, 2],
    ["one statement of any length", "x".repeat(300 * 1024), 2, 1],
  ])("takes at most %s along", async (_what, request, waiting, taken) => {
    const { groups, send } = open();
    send("first");
    for (let index = 0; index < waiting; index++) send(request);
    await settled();
    groups[0]!.answer();
    await settled();
    expect(groups[1]!.statements).toHaveLength(taken);
    groups[1]!.answer();
    await settled();
    expect(groups[2]!.statements.length).toBeGreaterThan(0);
  });

  it("sends nothing of those who wait, nor of newcomers, while a group takes three seconds", async () => {
    const { groups, send } = open();
    const slow = send("slow");
    await vi.advanceTimersByTimeAsync(10);
    const waiting = send("waiting");
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await waiting).toBeUndefined();
    expect(await send("newcomer")).toBeUndefined();
    groups[0]!.answer();
    expect(await slow).toEqual(resultOf("slow"));
    send("next");
    await settled();
    expect(groups.map(({ statements }) => statements)).toEqual([["slow"], ["next"]]);
  });

  it("lets a long queue wait as long as it moves", async () => {
    const { groups, send } = open();
    const sent = Array.from({ length: 1 + 2 * 128 }, (_, index) => send(`${index}`));
    for (let group = 0; group < 3; group++) {
      await vi.advanceTimersByTimeAsync(2_900);
      groups[group]!.answer();
    }
    expect(await Promise.all(sent)).toEqual(sent.map((_, index) => resultOf(`${index}`)));
  });

  it("does not send for a request whose time is over while it waits", async () => {
    const { groups, send } = open();
    send("first");
    const given = new AbortController();
    // Who waited before it runs first, and takes along what is still there.
    send("before");
    const waiting = send("given up", given.signal);
    send("after");
    await vi.advanceTimersByTimeAsync(100);
    given.abort();
    groups[0]!.answer();
    await settled();
    expect(groups.map(({ statements }) => statements)).toEqual([["first"], ["before", "after"]]);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await waiting).toBeUndefined();
  });

  describe("with waiting requests that have gone", () => {
    /** A request whose context has ended: it waits, and none of its code runs again. */
    const sendAndGo = (stream: SharedStream, statement: string) => {
      vi.spyOn(Promise, "race").mockReturnValueOnce(new Promise(() => {}));
      void stream.send(statement, () => Promise.reject(new Error("it has gone")), noAbort);
    };

    it("is sent on by the first of the others that runs, with what the gone had asked for in time", async () => {
      const { stream, groups, send } = open();
      send("first");
      sendAndGo(stream, "gone");
      sendAndGo(stream, "gone too");
      const waiting = [send("a"), send("b")];
      await settled();
      groups[0]!.answer();
      await settled();
      expect(groups[1]!.statements).toEqual(["gone", "gone too", "a", "b"]);
      groups[1]!.answer();
      expect(await Promise.all(waiting)).toEqual([resultOf("a"), resultOf("b")]);
    });

    it("drops what they had asked for after six seconds", async () => {
      const { stream, groups, send } = open();
      send("first");
      sendAndGo(stream, "gone");
      await settled();
      groups[0]!.answer();
      await vi.advanceTimersByTimeAsync(6_000);
      send("next");
      await settled();
      expect(groups.map(({ statements }) => statements)).toEqual([["first"], ["next"]]);
    });
  });

  it("keeps the order in which statements came, also among groups", async () => {
    const { groups, send } = open();
    const names = Array.from({ length: 300 }, (_, index) => `${index}`);
    const sent = names.map((name) => send(name));
    for (let group = 0; group < 4; group++) {
      await settled();
      groups[group]!.answer();
    }
    await Promise.all(sent);
    expect(groups.map(({ statements }) => statements.length)).toEqual([1, 128, 128, 43]);
    expect(groups.flatMap(({ statements }) => statements)).toEqual(names);
  });

  it("leaves the statements of a refused group to their callers, tells a refusal to one alone, and keeps the stream", async () => {
    const { groups, send } = open();
    const first = send("a");
    groups[0]!.answer();
    await first;
    const sent = [send("b"), send("c"), send("d")];
    await settled();
    groups[1]!.answer();
    await settled();
    groups[2]!.refuse();
    expect(await Promise.all(sent)).toEqual([resultOf("b"), undefined, undefined]);
    const alone = send("e");
    await settled();
    groups[3]!.refuse();
    expect(await alone).toBe("refused");
    send("f");
    await settled();
    expect(groups[4]!.baton).toBe("b2");
  });

  it.each(["SQLITE_BUSY", "too_many_connections"])(
    "tells all of a group that the database was busy (%s), and none to open a stream of its own",
    async (code) => {
      const { groups, send } = open();
      const sent = ["a", "b", "c"].map((statement) => send(statement));
      await settled();
      groups[0]!.answer();
      await settled();
      groups[1]!.refuse(new DatabaseError(code, true, "busy"));
      expect(await Promise.all(sent)).toEqual([resultOf("a"), "busy", "busy"]);
    },
  );

  it("is slow while a group takes a second, and for a second after it", async () => {
    const { stream, groups, send } = open();
    expect(stream.isSlow).toBe(false);
    const seen: boolean[] = [];
    const look = async (afterMs: number) => {
      await vi.advanceTimersByTimeAsync(afterMs);
      seen.push(stream.isSlow);
    };
    send("a");
    await look(999);
    await look(1);
    groups[0]!.answer();
    await look(0);
    await look(999);
    await look(1);
    expect(seen).toEqual([false, true, true, true, false]);
  });

  it("is not slow for hours where the clock was set back after a slow group", async () => {
    const { stream, groups, send } = open();
    send("a");
    await vi.advanceTimersByTimeAsync(1_500);
    groups[0]!.answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(stream.isSlow).toBe(true);
    vi.setSystemTime(Date.now() - 3 * 3_600_000);
    expect(stream.isSlow).toBe(false);
  });

  it.each<[string, (lose: () => void) => void]>([
    ["a sender that was cut off", () => {}],
    ["a lost answer", (lose) => lose()],
  ])("is not kept shut for hours by %s where the clock was set back", async (_, end) => {
    const { groups, send } = open();
    send("a");
    await settled();
    end(groups[0]!.lose);
    await settled();
    vi.setSystemTime(Date.now() - 3 * 3_600_000);
    const sent = send("b");
    await settled();
    expect(groups.map(({ statements }) => statements)).toEqual([["a"], ["b"]]);
    groups[1]!.answer();
    expect(await sent).toEqual(resultOf("b"));
  });

  it("is not slow after quick groups, nor while one is no longer waited for, nor after it was lost", async () => {
    const { stream, groups, send } = open();
    send("a");
    await vi.advanceTimersByTimeAsync(999);
    groups[0]!.answer();
    await settled();
    expect(stream.isSlow).toBe(false);
    send("b");
    await vi.advanceTimersByTimeAsync(3_000);
    expect(stream.isSlow).toBe(false);
    groups[1]!.lose();
    await settled();
    expect(stream.isSlow).toBe(false);
  });

  it("sends each statement at most once, and gives each its own outcome or says that it was not sent", async () => {
    const event = fc.oneof(
      { weight: 4, arbitrary: fc.constant("send" as const) },
      { weight: 4, arbitrary: fc.constant("answer" as const) },
      fc.constantFrom("refuse" as const, "lose" as const, "hang" as const, "give up" as const),
      fc.constantFrom(1, 2_999, 3_000, 9_000, 11_000),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 60 }), async (events) => {
        const { groups, send } = open();
        const outcomes = new Map<string, unknown>();
        const askers: AbortController[] = [];
        let answered = 0;
        for (const next of events) {
          if (next === "send") {
            const request = `request ${askers.length}`;
            const asker = new AbortController();
            askers.push(asker);
            void send(request, asker.signal).then((outcome) => outcomes.set(request, outcome));
          } else if (next === "give up") askers[Math.floor(askers.length / 2)]?.abort();
          else if (typeof next === "number") await vi.advanceTimersByTimeAsync(next);
          else if (answered < groups.length) {
            const group = groups[answered++]!;
            if (next !== "hang") group[next]();
          }
          await settled();
        }
        await vi.advanceTimersByTimeAsync(6_000);
        const requests = groups.flatMap(({ statements }) => statements);
        expect(new Set(requests).size).toBe(requests.length);
        for (const [request, outcome] of outcomes) {
          const mayHaveRun = groups.some((group) => group.statements.includes(request) && !group.isRefused);
          expect(mayHaveRun).toBe(outcome !== undefined && outcome !== "refused");
          if (mayHaveRun) expect([resultOf(request), "lost"]).toContainEqual(outcome);
        }
        // Who was not told anything has been sent, and its group is not answered.
        for (const index of askers.keys()) {
          const request = `request ${index}`;
          expect(outcomes.has(request) || requests.includes(request)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});
