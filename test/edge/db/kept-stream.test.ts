import { sql } from "drizzle-orm";
import { afterEach, describe, expect, inject, it } from "vitest";
import { build, openDatabase, prepare } from "../../../edge/db/client.ts";
import { createKeptStream, type KeptStream } from "../../../edge/db/kept-stream.ts";

/** Time passes only while somebody sleeps; `work` by the millisecond at which it happens. */
function manualClock(work: Record<number, () => void> = {}) {
  const clock = {
    ms: 0,
    now: () => clock.ms,
    sleep: async (milliseconds: number) => {
      for (const end = clock.ms + milliseconds; clock.ms < end; ) work[++clock.ms]?.();
    },
  };
  return clock;
}

async function used(stream: KeptStream, baton: string | null = "b1"): Promise<KeptStream> {
  (await stream.take())!.giveBack(baton);
  return stream;
}

describe("createKeptStream", () => {
  it("goes on with the baton of the request before, and opens a stream for the first", async () => {
    const stream = createKeptStream(manualClock());
    const first = await stream.take();
    expect(first?.baton).toBeNull();
    first!.giveBack("b1");
    expect((await stream.take())?.baton).toBe("b1");
  });

  it("opens a new stream where the last answer closed it", async () => {
    const stream = await used(createKeptStream(manualClock()), null);
    expect((await stream.take())?.baton).toBeNull();
  });

  it.each([
    [8_999, "b1"],
    [9_000, null],
    [60_000, null],
  ])(
    "after %i ms without a request has the baton %s: sqld closes it after ten seconds",
    async (idleMs, baton) => {
      const clock = manualClock();
      const stream = await used(createKeptStream(clock));
      clock.ms += idleMs;
      expect((await stream.take())?.baton).toBe(baton);
    },
  );

  it("makes a request wait while another has the stream", async () => {
    const work: Record<number, () => void> = {};
    const clock = manualClock(work);
    const stream = createKeptStream(clock);
    const first = (await stream.take())!;
    work[6] = () => first.giveBack("b1");
    expect((await stream.take())?.baton).toBe("b1");
    expect(clock.ms).toBe(7);
  });

  it("makes no request wait for longer than 63 ms", async () => {
    const clock = manualClock();
    const stream = createKeptStream(clock);
    await stream.take();
    expect(await stream.take()).toBeUndefined();
    expect(clock.ms).toBe(63);
  });

  it("makes nobody wait for a request that has had it for half a second", async () => {
    const clock = manualClock();
    const stream = createKeptStream(clock);
    await stream.take();
    clock.ms = 500;
    expect(await stream.take()).toBeUndefined();
    expect(clock.ms).toBe(500);
  });

  it("replaces the stream of a request that was cut off when sqld has closed it, and not before", async () => {
    const clock = manualClock();
    const stream = await used(createKeptStream(clock));
    const cut = (await stream.take())!;
    clock.ms += 10_999;
    expect(await stream.take()).toBeUndefined();
    clock.ms += 1;
    const next = (await stream.take())!;
    expect(next.baton).toBeNull();
    cut.giveBack("late");
    next.giveBack("b2");
    expect((await stream.take())?.baton).toBe("b2");
  });
});

describe("a database with a kept stream", () => {
  const url = inject("libsqlUrl");
  const echo = prepare(build.all<{ answer: unknown }>(sql`SELECT ${sql.placeholder("value")} AS answer`));
  const wrong = prepare(
    build.run(sql`INSERT INTO accounts (id, email, created_at) VALUES ('acct_bad', NULL, 0)`),
  );
  const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  let stream: KeptStream = createKeptStream({ now: Date.now, sleep });

  function recording(answer?: () => Response | undefined) {
    const sent: { baton: string | null; closes: boolean }[] = [];
    const send = (async (address: string, init: RequestInit) => {
      const { baton, requests } = JSON.parse(String(init.body));
      sent.push({ baton, closes: requests.at(-1).type === "close" });
      return answer?.() ?? fetch(address, init);
    }) as typeof fetch;
    stream = createKeptStream({ now: Date.now, sleep });
    return { sent, open: () => openDatabase({ url, keptStream: stream, fetch: send }) };
  }

  // The other tests' sqld is the same, and has three connections.
  afterEach(async () => {
    const lease = await stream.take();
    if (!lease?.baton) return;
    await fetch(`${url}/v2/pipeline`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ baton: lease.baton, requests: [{ type: "close" }] }),
    }).then((response) => response.text());
  });

  it("goes on with the stream of the request before", async () => {
    const { sent, open } = recording();
    for (const value of [1, 2, 3]) expect(await open().execute(echo, { value })).toEqual([{ answer: value }]);
    expect(sent.map(({ closes }) => closes)).toEqual([false, false, false]);
    expect(sent.map(({ baton }) => baton === null)).toEqual([true, false, false]);
  });

  it("gives each of many requests at the same time its own answer", async () => {
    const { sent, open } = recording();
    const values = Array.from({ length: 40 }, (_, index) => index);
    const answers = await Promise.all(values.map((value) => open().execute(echo, { value })));
    expect(answers).toEqual(values.map((value) => [{ answer: value }]));
    expect(sent.filter(({ closes }) => !closes).length).toBeGreaterThan(1);
  });

  it("keeps a stream whose statement was refused", async () => {
    const { sent, open } = recording();
    await expect(open().execute(wrong)).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT" });
    await open().execute(echo, { value: 1 });
    expect(sent[1]!.baton).not.toBeNull();
  });

  it("runs a statement once on a new stream when the baton is unknown", async () => {
    const { sent, open } = recording();
    await used(stream, "of an sqld that has started again");
    expect(await open().execute(echo, { value: 1 })).toEqual([{ answer: 1 }]);
    expect(await open().execute(echo, { value: 2 })).toEqual([{ answer: 2 }]);
    expect(sent.map(({ baton }) => baton === null)).toEqual([false, true, false]);
  });

  it("does not use a stream again whose answer did not arrive", async () => {
    let lost = false;
    const { sent, open } = recording(() => {
      if (lost) return undefined;
      lost = true;
      throw new Error("connection lost");
    });
    await expect(open().execute(echo, { value: 1 })).rejects.toMatchObject({ code: "unreachable" });
    expect(await open().execute(echo, { value: 2 })).toEqual([{ answer: 2 }]);
    expect(sent[1]).toEqual({ baton: null, closes: true });
  });

  it("runs a batch on a stream of its own", async () => {
    const { sent, open } = recording();
    await open().execute(echo, { value: 1 });
    await open().batch([echo, echo], { value: 2 });
    expect(sent[1]).toEqual({ baton: null, closes: true });
  });
});
