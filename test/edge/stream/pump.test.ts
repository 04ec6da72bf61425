// What waits between a provider's answer and its reader: bounded, counted, and cut when it must end.
import { describe, expect, test } from "vitest";
import { createPump, type PumpOptions } from "../../../edge/stream/pump.ts";

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
  extend?: PumpOptions<string>["extend"],
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
    extend,
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

  test("has a longer queue where there is room for it, and gives the room back when the queue is empty", async () => {
    const { given, source } = countTo(12);
    let taken = 0;
    let rooms = 0;
    const extend = async () => {
      taken += 1;
      rooms += 1;
      const end = () => {
        rooms -= 1;
      };
      return { maxWaiting: 8, end };
    };
    const { pieces } = pump(source, 3, undefined, undefined, extend);
    await sleep(20);
    expect([given.count, taken, rooms]).toEqual([8, 1, 1]);
    expect(await readAll(pieces)).toHaveLength(12);
    expect(rooms).toBe(0);
  });

  test("keeps its short queue where there is no room", async () => {
    const { given, source } = countTo(12);
    const { pieces } = pump(source, 3, undefined, undefined, async () => undefined);
    await sleep(20);
    expect(given.count).toBe(3);
    expect(await readAll(pieces)).toHaveLength(12);
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

test("a source that breaks all the same ends the reader's side, which would wait for ever", async () => {
  async function* breaking(): AsyncGenerator<string, void, void> {
    yield "one";
    throw new Error("broke");
  }
  const { pieces, ends } = pump(breaking(), 10);
  expect(await readAll(pieces)).toEqual(["one", "stalled"]);
  expect(ends()).toBe(1);
});
