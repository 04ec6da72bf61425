import { sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { build, openDatabase, prepare } from "../../../edge/db/client.ts";
import { SharedStream } from "../../../edge/db/shared-stream.ts";
import { databaseUrl as url } from "../support/database-url.ts";

const value = sql.placeholder("value");
const read = prepare(build.all<{ answer: unknown }>(sql`SELECT ${value} AS answer`));
/** A write that says which one it was. */
const echo = prepare(
  build.all<{ answer: unknown }>(sql`
    INSERT INTO accounts (id, email, created_at) VALUES (hex(randomblob(8)), hex(randomblob(8)), ${value})
    RETURNING created_at AS answer`),
);
const wrong = prepare(
  build.run(sql`INSERT INTO accounts (id, email, created_at) VALUES ('acct_bad', NULL, 0)`),
);

type Answering = (body: string, signal: AbortSignal) => Promise<Response | undefined> | Response | undefined;
const untilAborted = (signal: AbortSignal) =>
  new Promise<Response>((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("aborted")));
  });

type Group = { baton: string | null; statements: number; closes: boolean };

describe("a database with a shared stream", () => {
  let baton: string | null = null;

  function recording(answer?: Answering) {
    const sent: Group[] = [];
    const send = (async (address: string, init: RequestInit) => {
      const { baton: before, requests } = JSON.parse(String(init.body));
      const closes = requests.at(-1).type === "close";
      const steps = requests[0].batch?.steps.length - 3;
      sent.push({ baton: before, statements: steps || 1, closes });
      const answered = await answer?.(String(init.body), init.signal!);
      if (answered !== undefined) return answered;
      const response = await fetch(address, init);
      const body = await response.text();
      if (!closes && response.ok) baton = JSON.parse(body).baton;
      return new Response(body, response);
    }) as typeof fetch;
    const sharedStream = new SharedStream(Date.now);
    return { sent, open: () => openDatabase({ url, sharedStream, fetch: send, timeoutMs: 2_000 }) };
  }

  // The other tests' sqld is the same, and has three connections.
  afterEach(async () => {
    if (baton === null) return;
    const body = JSON.stringify({ baton, requests: [{ type: "close" }] });
    await fetch(`${url}/v2/pipeline`, { method: "POST", body }).then((response) => response.text());
    baton = null;
  });

  it("goes on with the stream of the request before", async () => {
    const { sent, open } = recording();
    for (const value of [1, 2, 3]) expect(await open().execute(echo, { value })).toEqual([{ answer: value }]);
    expect(sent.map(({ closes }) => closes)).toEqual([false, false, false]);
    expect(sent.map(({ baton }) => baton === null)).toEqual([true, false, false]);
  });

  it("gives each of many requests at the same time its own answer, in a few round trips", async () => {
    const { sent, open } = recording();
    const values = Array.from({ length: 160 }, (_, index) => index);
    const answers = await Promise.all(values.map((value) => open().execute(echo, { value })));
    expect(answers).toEqual(values.map((value) => [{ answer: value }]));
    expect(sent.map(({ statements }) => statements)).toEqual([1, 128, 31]);
  });

  it("tells a refused statement to its own request alone", async () => {
    const { sent, open } = recording();
    const outcomes = await Promise.allSettled([
      open().execute(echo, { value: 0 }),
      open().execute(echo, { value: 1 }),
      open().execute(wrong),
      open().execute(echo, { value: 2 }),
    ]);
    expect(outcomes).toMatchObject([
      { value: [{ answer: 0 }] },
      { value: [{ answer: 1 }] },
      { reason: { code: "SQLITE_CONSTRAINT" } },
      { value: [{ answer: 2 }] },
    ]);
    expect(sent.map(({ statements }) => statements)).toEqual([1, 3]);
  });

  it("runs a statement once on a new stream when the baton is unknown", async () => {
    let isFirst = true;
    const { sent, open } = recording(async (body) => {
      if (!isFirst) return undefined;
      isFirst = false;
      const response = await fetch(`${url}/v2/pipeline`, { method: "POST", body });
      const answer = JSON.parse(await response.text());
      return Response.json({ ...answer, baton: "of an sqld that has started again" });
    });
    for (const value of [1, 2, 3]) expect(await open().execute(echo, { value })).toEqual([{ answer: value }]);
    expect(sent.map(({ baton }) => baton === null)).toEqual([true, false, true, false]);
  });

  it.each([
    ["is lost", () => Promise.reject(new Error("connection lost")), "unreachable"],
    ["has no result", () => Response.json({ baton: null, results: [] }), "protocol"],
    ["is not Hrana's", () => new Response("ok"), "protocol"],
    ["never comes", untilAborted, "timeout"],
  ])(
    "does not run a statement again whose answer %s, and leaves the stream alone",
    async (_how, fail, code) => {
      let isFirst = true;
      const { sent, open } = recording((_body, signal) => {
        if (!isFirst) return undefined;
        isFirst = false;
        return fail(signal);
      });
      await expect(open().execute(echo, { value: 1 })).rejects.toMatchObject({ code, unavailable: true });
      expect(await open().execute(echo, { value: 2 })).toEqual([{ answer: 2 }]);
      expect(sent).toEqual([
        { baton: null, statements: 1, closes: false },
        { baton: null, statements: 1, closes: true },
      ]);
    },
  );

  it("reads on streams of their own, which hold up no write and no transaction", async () => {
    const { sent, open } = recording();
    const values = [1, 2, 3];
    const answers = await Promise.all(values.map((value) => open().execute(read, { value })));
    expect(answers).toEqual(values.map((value) => [{ answer: value }]));
    expect(sent).toEqual(values.map(() => ({ baton: null, statements: 1, closes: true })));
  });

  it("runs the statements of a group that sqld could not read one by one", async () => {
    const { sent, open } = recording((body) =>
      JSON.parse(body).requests[0].type === "batch" ? new Response("no", { status: 400 }) : undefined,
    );
    const values = [1, 2, 3];
    const answers = await Promise.all(values.map((value) => open().execute(echo, { value })));
    expect(answers).toEqual(values.map((value) => [{ answer: value }]));
    expect(sent.map(({ statements, closes }) => [statements, closes])).toEqual([
      [1, false],
      [2, false],
      [2, false],
      [1, true],
      [1, true],
    ]);
  });

  it("runs a batch on a stream of its own: a transaction that was not ended is nobody else's", async () => {
    const { sent, open } = recording();
    await open().execute(echo, { value: 1 });
    expect(await open().batch([echo, echo], { value: 2 })).toEqual([[{ answer: 2 }], [{ answer: 2 }]]);
    await open().execute(echo, { value: 3 });
    expect(sent.map(({ closes }) => closes)).toEqual([false, true, false]);
    expect(sent.map(({ baton }) => baton === null)).toEqual([true, true, false]);
  });

  it("is free again when sqld had no connection to open it with", async () => {
    let refusals = 2;
    const { sent, open } = recording(() =>
      refusals-- > 0 ? new Response("too many", { status: 429 }) : undefined,
    );
    expect(await open().execute(echo, { value: 1 })).toEqual([{ answer: 1 }]);
    expect(sent).toEqual(Array.from({ length: 3 }, () => ({ baton: null, statements: 1, closes: false })));
  });
});
