// A shared stream whose answer was lost, or that nobody used: when the next one is opened.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { open, settled } from "../support/open-shared-stream.ts";

describe("a shared stream whose answer was lost", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("opens no second stream until sqld has closed that of a lost answer", async () => {
    const { groups, send } = open();
    const sent = [send("a"), send("b")];
    await settled();
    groups[0]!.lose();
    expect(await Promise.all(sent)).toEqual(["lost", undefined]);
    await vi.advanceTimersByTimeAsync(10_999);
    expect(await send("c")).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    send("d");
    await settled();
    expect(groups.map(({ baton, statements }) => [baton, statements])).toEqual([
      [null, ["a"]],
      [null, ["d"]],
    ]);
  });

  it("gives up a sender that was cut off when sqld has closed its stream, and not before", async () => {
    const { groups, send } = open();
    const first = send("a");
    groups[0]!.answer();
    await first;
    const cut = send("cut off");
    await vi.advanceTimersByTimeAsync(10_999);
    expect(await send("b")).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    send("c");
    await settled();
    expect(groups[2]).toMatchObject({ baton: null, statements: ["c"] });
    // What it says later does not touch the stream of the other.
    groups[1]!.lose();
    expect(await cut).toBe("lost");
    groups[2]!.answer();
    await settled();
    send("d");
    await settled();
    expect(groups[3]!.baton).toBe("b3");
  });

  it.each([
    [8_999, "b1"],
    [9_000, null],
  ])(
    "after %i ms without a request goes on with %s: sqld closes a stream after ten seconds",
    async (idleMs, baton) => {
      const { groups, send } = open();
      const first = send("a");
      groups[0]!.answer();
      await first;
      await vi.advanceTimersByTimeAsync(idleMs);
      send("b");
      await settled();
      expect(groups[1]!.baton).toBe(baton);
    },
  );
});
