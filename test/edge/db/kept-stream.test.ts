import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { build, openDatabase, prepare } from "../../../edge/db/client.ts";
import { createKeptStream, type KeptStream } from "../../../edge/db/kept-stream.ts";
import { databaseUrl as url } from "../support/database-url.ts";

function used(stream: KeptStream, baton: string | null = "b1"): KeptStream {
  stream.take()!.giveBack(baton);
  return stream;
}

describe("createKeptStream", () => {
  it("goes on with the baton of the request before, and opens a stream for the first", () => {
    const stream = createKeptStream(() => 0);
    const first = stream.take();
    expect(first?.baton).toBeNull();
    first!.giveBack("b1");
    expect(stream.take()?.baton).toBe("b1");
  });

  it("is one request's at a time", () => {
    const stream = createKeptStream(() => 0);
    const first = stream.take()!;
    expect(stream.take()).toBeUndefined();
    first.giveBack("b1");
    expect(stream.take()?.baton).toBe("b1");
  });

  it("opens a new stream where the last answer closed it", () => {
    expect(
      used(
        createKeptStream(() => 0),
        null,
      ).take()?.baton,
    ).toBeNull();
  });

  it.each([
    [8_999, "b1"],
    [9_000, null],
    [60_000, null],
  ])("after %i ms without a request has the baton %s: sqld closes it after ten seconds", (idleMs, baton) => {
    let ms = 0;
    const stream = used(createKeptStream(() => ms));
    ms += idleMs;
    expect(stream.take()?.baton).toBe(baton);
  });

  it("replaces the stream of a request that was cut off when sqld has closed it, and not before", () => {
    let ms = 0;
    const stream = used(createKeptStream(() => ms));
    const cut = stream.take()!;
    ms += 10_999;
    expect(stream.take()).toBeUndefined();
    ms += 1;
    const next = stream.take()!;
    expect(next.baton).toBeNull();
    cut.giveBack("late");
    expect(stream.take()).toBeUndefined();
    next.giveBack("b2");
    expect(stream.take()?.baton).toBe("b2");
  });
});

describe("a database with a kept stream", () => {
  const echo = prepare(build.all<{ answer: unknown }>(sql`SELECT ${sql.placeholder("value")} AS answer`));
  const wrong = prepare(
    build.run(sql`INSERT INTO accounts (id, email, created_at) VALUES ('acct_bad', NULL, 0)`),
  );
  let stream: KeptStream = createKeptStream(Date.now);

  function recording(answer?: () => Response | undefined) {
    const sent: { baton: string | null; closes: boolean }[] = [];
    const send = (async (address: string, init: RequestInit) => {
      const { baton, requests } = JSON.parse(String(init.body));
      sent.push({ baton, closes: requests.at(-1).type === "close" });
      return answer?.() ?? fetch(address, init);
    }) as typeof fetch;
    stream = createKeptStream(Date.now);
    return { sent, open: () => openDatabase({ url, keptStream: stream, fetch: send }) };
  }

  // The other tests' sqld is the same, and has three connections.
  afterEach(async () => {
    const lease = stream.take();
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
    expect(sent.filter(({ closes }) => !closes)).toHaveLength(1);
  });

  it("keeps a stream whose statement was refused", async () => {
    const { sent, open } = recording();
    await expect(open().execute(wrong)).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT" });
    await open().execute(echo, { value: 1 });
    expect(sent[1]!.baton).not.toBeNull();
  });

  it("runs a statement once on a new stream when the baton is unknown", async () => {
    const { sent, open } = recording();
    used(stream, "of an sqld that has started again");
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

  it("closes the stream with a batch: a transaction that was not ended is nobody else's", async () => {
    const { sent, open } = recording();
    await open().execute(echo, { value: 1 });
    expect(await open().batch([echo, echo], { value: 2 })).toEqual([[{ answer: 2 }], [{ answer: 2 }]]);
    await open().execute(echo, { value: 3 });
    expect(sent.map(({ closes }) => closes)).toEqual([false, true, false]);
    expect(sent.map(({ baton }) => baton === null)).toEqual([true, false, true]);
  });

  it("is free again when sqld had no connection to open it with", async () => {
    let refusals = 2;
    const { sent, open } = recording(() =>
      refusals-- > 0 ? new Response("too many", { status: 429 }) : undefined,
    );
    expect(await open().execute(echo, { value: 1 })).toEqual([{ answer: 1 }]);
    expect(sent).toEqual(Array.from({ length: 3 }, () => ({ baton: null, closes: false })));
  });
});
