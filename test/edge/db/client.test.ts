import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { build, openDatabase, prepare } from "../../../edge/db/client.ts";
import { DatabaseError, isDatabaseUnavailable } from "../../../edge/db/connection.ts";
import { databaseUrl as url } from "../support/database-url.ts";

const echo = prepare(build.all<{ answer: unknown }>(sql`SELECT ${sql.placeholder("value")} AS answer`));
const wrong = prepare(
  build.run(sql`INSERT INTO accounts (id, email, created_at) VALUES ('acct_bad', NULL, 0)`),
);

function counting() {
  const calls: Request[] = [];
  const send = ((input: Request, init?: RequestInit) => {
    calls.push(input);
    return fetch(input, init);
  }) as typeof fetch;
  return { calls, database: openDatabase({ url, fetch: send }) };
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("openDatabase", () => {
  it.each(["text", 7, 2 ** 52, 0.5, null])("gives back %s as it was bound", async (value) => {
    const { database } = counting();
    expect(await database.execute(echo, { value })).toEqual([{ answer: value }]);
  });

  it("needs one round trip for a statement, and one for a batch", async () => {
    const { calls, database } = counting();
    await database.execute(echo, { value: 1 });
    expect(calls).toHaveLength(1);
    const answers = await database.batch([echo, echo, echo], { value: 2 });
    expect(calls).toHaveLength(2);
    expect(answers).toEqual([[{ answer: 2 }], [{ answer: 2 }], [{ answer: 2 }]]);
  });

  it("opens without a round trip", () => {
    expect(counting().calls).toHaveLength(0);
  });

  it("does none of a batch when one statement is refused", async () => {
    const { database } = counting();
    const insert = prepare(
      build.run(sql`INSERT INTO accounts (id, email, created_at) VALUES ('acct_half', 'a@example.com', 0)`),
    );
    const select = prepare(build.all(sql`SELECT id FROM accounts WHERE id = 'acct_half'`));
    await expect(database.batch([insert, wrong])).rejects.toThrow(DatabaseError);
    expect(await database.execute(select)).toEqual([]);
  });
});

describe("a database that fails", () => {
  const hang = ((_input: Request, init?: RequestInit) =>
    new Promise((_, reject) => {
      init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
    })) as typeof fetch;
  const hangInBody = (async (_input: Request, init?: RequestInit) => {
    const body = new ReadableStream({
      start: (controller) =>
        init?.signal?.addEventListener("abort", () => controller.error(new Error("aborted"))),
    });
    return new Response(body);
  }) as typeof fetch;
  /** What sqld answers to a statement and the stream's close that follows it. */
  const locked = {
    baton: null,
    base_url: null,
    results: [
      { type: "error", error: { message: "SQLite error: database is locked", code: "SQLITE_BUSY" } },
      { type: "ok", response: { type: "close" } },
    ],
  };
  const status = (code: number) => (async () => new Response("no", { status: code })) as typeof fetch;

  it.each([
    { what: "nobody listens", options: { url: "http://127.0.0.1:9" }, code: "unreachable" },
    { what: "it never answers", options: { url, fetch: hang, timeoutMs: 20 }, code: "timeout" },
    { what: "its answer never ends", options: { url, fetch: hangInBody, timeoutMs: 20 }, code: "timeout" },
    { what: "it answers 500", options: { url, fetch: status(500) }, code: "SERVER_ERROR" },
    {
      what: "it stays busy",
      options: { url, fetch: status(429), timeoutMs: 50 },
      code: "too_many_connections",
    },
  ])("is unavailable when $what", async ({ options, code }) => {
    const database = openDatabase(options);
    for (const work of [
      () => database.execute(echo, { value: 1 }),
      () => database.batch([echo, echo], { value: 1 }),
    ]) {
      const error = await failure(work());
      expect(isDatabaseUnavailable(error)).toBe(true);
      expect(error).toMatchObject({ code });
    }
  });

  it.each([
    { what: "sqld has no connection to give", refuse: () => new Response("too many", { status: 429 }) },
    { what: "another writer has the lock", refuse: () => Response.json(locked) },
  ])("is tried again while $what, for that has done nothing", async ({ refuse }) => {
    const pending = [refuse(), refuse(), refuse()];
    const send = (async (input: Request, init?: RequestInit) =>
      pending.pop() ?? fetch(input, init)) as typeof fetch;
    expect(await openDatabase({ url, fetch: send }).execute(echo, { value: 1 })).toEqual([{ answer: 1 }]);
    expect(pending).toEqual([]);
  });

  it("is not tried again when it may have done something", async () => {
    let calls = 0;
    const send = (async () => {
      calls += 1;
      throw new Error("connection lost");
    }) as typeof fetch;
    await failure(openDatabase({ url, fetch: send }).execute(echo, { value: 1 }));
    expect(calls).toBe(1);
  });

  it("is not unavailable when it refuses a statement", async () => {
    const error = await failure(counting().database.execute(wrong));
    expect(error).toMatchObject({ name: "DatabaseError", code: expect.stringMatching(/^SQLITE_CONSTRAINT/) });
    expect(isDatabaseUnavailable(error)).toBe(false);
    expect(isDatabaseUnavailable(new TypeError("other"))).toBe(false);
  });

  it("never puts a bound value into an error", async () => {
    const insert = prepare(
      build.run(
        sql`INSERT INTO accounts (id, email, balance_micro, created_at) VALUES ('a', ${sql.placeholder("value")}, 5, 0)`,
      ),
    );
    const error = (await failure(counting().database.execute(insert, { value: "canary" }))) as Error;
    expect(error).toBeInstanceOf(DatabaseError);
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)} ${error.cause}`).not.toContain("canary");
  });
});
