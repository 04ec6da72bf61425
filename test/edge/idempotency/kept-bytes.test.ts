// The kept answers of an account have a size limit: beyond it an answer is sent but not kept, and a retry is told so.
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { build, type Database, prepare } from "../../../edge/db/client.ts";
import { deleteExpiredAnswers } from "../../../edge/db/stored-answers.ts";
import {
  type AnswerStore,
  type Attempt,
  beginAttempt,
  closeAttempt,
} from "../../../edge/idempotency/attempt.ts";
import type { Recorded } from "../../../edge/idempotency/recorded-answer.ts";
import { newAccount, openTestDatabase } from "../support/accounts.ts";
import { createTestApp, createTestVault, newCaller } from "../support/app.ts";

const database = openTestDatabase();
const { sealer } = createTestVault();
const hex = (bytes: number) =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16)).join("");
const answerOf = (body: string): Recorded => ({ status: 200, headers: {}, body });
const run = (statement: ReturnType<typeof sql>) => database.execute(prepare(build.run(statement)));

type Sums = { counter: number; counted: number; stored: number };
/** The counter; what its rows say; what they hold. */
async function sumsOf(accountId: string): Promise<Sums> {
  const sums = sql`SELECT kept_answer_bytes AS counter,
    (SELECT coalesce(sum(answer_bytes), 0) FROM stored_answers WHERE account_id = accounts.id) AS counted,
    (SELECT coalesce(sum(length(CAST(answer AS BLOB))), 0) FROM stored_answers
      WHERE account_id = accounts.id AND answer_bytes > 0) AS stored
    FROM accounts WHERE id = ${accountId}`;
  return (await database.execute(prepare(build.all<Sums>(sums))))[0]!;
}

/** An account whose requests each cost something; `maxKeptBytes` is its bound. */
async function newKeeping(maxKeptBytes: number, on: Database = database) {
  const { accountId } = await newAccount(database, 1_000_000);
  const nothingWaits = () => expect.unreachable("no answer of the database was lost");
  const background = { waitUntil: nothingWaits, sleep: nothingWaits };
  const store = (now: number): AnswerStore => ({
    database: on,
    sealer,
    now: () => now,
    maxKeptBytes,
    ...background,
  });
  const attempt = (keyHash: string): Attempt => ({
    accountId,
    keyHash,
    holdId: `hold_${crypto.randomUUID()}`,
    fingerprint: "f",
  });
  /** Claimed and charged; what is left is to close it. */
  const work = async (keyHash: string, now = Date.now()) => {
    const claimed = attempt(keyHash);
    expect(await beginAttempt(store(now), claimed)).toEqual({ run: true });
    await run(sql`INSERT INTO ledger (account_id, kind, amount_micro, hold_id, outcome, created_at)
      VALUES (${accountId}, 'charge', -1, ${claimed.holdId}, 'completed', 1)`);
    return (recorded: Recorded) => closeAttempt(store(now), claimed, recorded);
  };
  const keep = async (keyHash: string, body: string, now?: number) =>
    (await work(keyHash, now))(answerOf(body));
  /** The body that a retry gets, or the error's code and reason. */
  const retry = (keyHash: string, now = Date.now()) =>
    beginAttempt(store(now), attempt(keyHash)).then(
      (beginning) => (beginning.run ? "runs" : beginning.answer.body),
      ({ code, reason }) => ({ code, reason }),
    );
  return { accountId, work, keep, retry, sums: () => sumsOf(accountId) };
}
const lost = { code: "idempotency_answer_lost", reason: "account_full" };

/** What this body takes once it is sealed. */
async function bytesOf(body: string): Promise<number> {
  const { keep, sums } = await newKeeping(1e9);
  await keep("k", body);
  return (await sums()).counter;
}

describe("the kept bytes of an account", () => {
  test("may reach the bound; one byte over it the answer is lost", async () => {
    const body = hex(500);
    const bytes = await bytesOf(body);
    const [at, over] = [await newKeeping(2 * bytes), await newKeeping(2 * bytes - 1)];
    expect([await at.keep("a", body), await at.keep("b", body)]).toEqual(["closed", "closed"]);
    expect(await at.retry("b")).toBe(body);
    expect(await at.sums()).toEqual({ counter: 2 * bytes, counted: 2 * bytes, stored: 2 * bytes });
    expect([await over.keep("a", body), await over.keep("b", body)]).toEqual(["closed", "account_full"]);
    expect([await over.retry("a"), await over.retry("b")]).toEqual([body, lost]);
    expect(await over.sums()).toEqual({ counter: bytes, counted: bytes, stored: bytes });
  });

  test("are nobody else's, and a small answer still finds room", async () => {
    const [large, small] = [hex(2_000), "ok"];
    const bound = (await bytesOf(large)) + (await bytesOf(small));
    const [one, two] = [await newKeeping(bound), await newKeeping(bound)];
    const kept = [await one.keep("a", large), await one.keep("b", large), await one.keep("c", small)];
    expect(kept).toEqual(["closed", "account_full", "closed"]);
    expect(await two.keep("a", large)).toBe("closed");
    expect(await two.retry("a")).toBe(large);
  });

  test("count no answer that is lost for another reason, which stays its reason", async () => {
    const { work, retry, sums } = await newKeeping(0);
    await (await work("a"))({ lost: "too_large" });
    expect(await retry("a")).toEqual({ ...lost, reason: "too_large" });
    expect((await sums()).counter).toBe(0);
  });

  test("are freed by the sweep", async () => {
    const body = hex(500);
    const { keep, retry, sums } = await newKeeping(await bytesOf(body));
    // Long ago, so that the sweep leaves other tests their rows.
    expect(await keep("a", body, 1_000)).toBe("closed");
    expect(await keep("b", body, 1_001)).toBe("account_full");
    await deleteExpiredAnswers(database, 1_001);
    expect(await sums()).toEqual({ counter: 0, counted: 0, stored: 0 });
    expect(await keep("b", body)).toBe("closed");
    expect(await retry("b")).toBe(body);
  });

  test("are deleted a portion at a time, and the rest by the next sweep: one long statement would be undone", async () => {
    const { keep, sums, accountId } = await newKeeping(1e6);
    for (const key of ["a", "b", "c", "d", "e"]) await keep(key, "ok", 500);
    const left = async () => {
      await deleteExpiredAnswers(database, 500, { rows: 2, times: 2 });
      const rows = sql`SELECT count(*) AS rows FROM stored_answers WHERE account_id = ${accountId}`;
      return (await database.execute(prepare(build.all<{ rows: number }>(rows))))[0]!.rows;
    };
    expect([await left(), await left()]).toEqual([1, 0]);
    expect(await sums()).toEqual({ counter: 0, counted: 0, stored: 0 });
  });

  test("are freed where an old key is used anew before the sweep", async () => {
    const { keep, sums } = await newKeeping(1e6);
    await keep("a", hex(500), 1_000);
    await keep("a", "ok");
    const bytes = await bytesOf("ok");
    expect(await sums()).toEqual({ counter: bytes, counted: bytes, stored: bytes });
  });

  test("have room for one of two answers that close at once", async () => {
    const body = hex(500);
    const { work, retry } = await newKeeping((await bytesOf(body)) * 2 - 1);
    const closings = [await work("a"), await work("b")];
    const kept = await Promise.all(closings.map((closing) => closing(answerOf(body))));
    expect(kept.sort()).toEqual(["account_full", "closed"]);
    expect(await Promise.all([retry("a"), retry("b")])).toEqual(expect.arrayContaining([body, lost]));
  });

  test("never exceed the bound, whatever closes together; what was kept can be given again", async () => {
    const round = fc.array(fc.nat({ max: 1_500 }), { minLength: 1, maxLength: 5 });
    const rounds = fc.array(round, { minLength: 1, maxLength: 3 });
    const play = async (bound: number, sizes: number[][]) => {
      const { work, retry, sums } = await newKeeping(bound);
      for (const [at, together] of sizes.entries()) {
        const bodies = together.map((size) => hex(size));
        const closings = await Promise.all(bodies.map((_, index) => work(`${at}-${index}`)));
        const kept = await Promise.all(closings.map((closing, index) => closing(answerOf(bodies[index]!))));
        const { counter, counted, stored } = await sums();
        expect([counted, stored]).toEqual([counter, counter]);
        expect(counter).toBeLessThanOrEqual(bound);
        for (const [index, body] of bodies.entries())
          expect(await retry(`${at}-${index}`)).toEqual(kept[index] === "closed" ? body : lost);
      }
    };
    await fc.assert(fc.asyncProperty(fc.nat({ max: 12_000 }), rounds, play), { numRuns: 25 });
  });

  test("are closed in one round trip, and twice is once", async () => {
    let trips = 0;
    const counting: Database = {
      ...database,
      execute: (statement, values) => database.execute(statement, values),
      batch: (statements, values) => {
        trips += 1;
        return database.batch(statements, values);
      },
    };
    const body = hex(500);
    const { work, sums } = await newKeeping(await bytesOf(body), counting);
    const closing = await work("a");
    trips = 0;
    expect(await closing(answerOf(body))).toBe("closed");
    expect(trips).toBe(1);
    const once = await sums();
    expect(await closing(answerOf(body))).toBe("closed");
    expect(await sums()).toEqual(once);
  });
});

test("an account at 256 MiB gets its answer, pays once, and is told that a retry cannot have it", async () => {
  const { apiKey, accountId, charges } = await newCaller(1_000_000);
  const { chat, logs, sent } = createTestApp();
  const ask = async (key: string) => {
    const hello = { model: "svc-x1ac-base-gpt-4o", messages: [{ role: "user", content: "canary" }] };
    const response = await chat(apiKey, { ...hello, max_tokens: 20 }, { "idempotency-key": key });
    const text = await response.text();
    await response.settled();
    return { status: response.status, text };
  };
  await ask("first");
  await run(
    sql`UPDATE stored_answers SET answer_bytes = ${256 * 1024 * 1024} WHERE account_id = ${accountId}`,
  );
  expect((await ask("second")).status).toBe(200);
  const line = { level: "warn", event: "answer_not_kept", account_id: accountId, reason: "account_full" };
  expect(logs.filter(({ event }) => event === "answer_not_kept")).toEqual([line]);
  expect((await ask("second")).status).toBe(409);
  expect((await ask("second")).text).toContain("idempotency_answer_lost");
  expect(logs).toContainEqual(expect.objectContaining({ status: 409, reason: "account_full" }));
  expect((await ask("first")).status).toBe(200);
  expect(sent).toHaveLength(2);
  expect(await charges()).toHaveLength(2);
});
