// An edge that dies, or a database that fails, in the middle of a request with an Idempotency-Key.
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { noteProgress } from "../../../edge/billing/sweep.ts";
import { build, type Database, prepare, value } from "../../../edge/db/client.ts";
import { DatabaseError } from "../../../edge/db/connection.ts";
import { createTestApp, openaiStream, openaiUsage } from "../support/app.ts";
import { hello, newClient } from "../support/retrying-client.ts";

const selectHold = prepare(
  build.all<{ id: string }>(sql`SELECT id FROM holds WHERE account_id = ${value("accountId")}`),
);

describe("a request that died", () => {
  /** The database as seen by an edge that is killed at its n-th statement: nothing returns any more. */
  function dyingAfter(database: Database, statements: number) {
    let left = statements;
    const death = Promise.withResolvers<void>();
    const pass = <T>(work: () => Promise<T>): Promise<T> => {
      if (left-- > 0) return work();
      death.resolve();
      return new Promise<never>(() => {});
    };
    const dying: Database = {
      ...database,
      execute: (statement, values) => pass(() => database.execute(statement, values)),
      batch: (statements_, values) => pass(() => database.batch(statements_, values)),
    };
    return { database: dying, death: death.promise };
  }

  test.each([
    ["before it reserved", 2, 0],
    ["before it settled", 3, 0],
    ["after it was charged", 4, 1],
  ])("%s: its key is charged at most once", async (_, statements, charges) => {
    const { caller, database } = await newClient();
    const dying = dyingAfter(database, statements);
    void createTestApp({ database: dying.database }).chat(caller.apiKey, hello, { "idempotency-key": "k" });
    await dying.death;
    expect(await caller.charges()).toHaveLength(charges);
    let now = Date.now();
    const { chat } = createTestApp({ now: () => now });
    const ask = async () => {
      const response = await chat(caller.apiKey, hello, { "idempotency-key": "k" });
      return { status: response.status, body: await response.json() };
    };
    expect(await ask()).toMatchObject({ status: 409, body: { error: { code: "idempotency_in_progress" } } });
    now += 16 * 60_000;
    expect(await ask()).toMatchObject(
      charges === 0 ? { status: 200 } : { status: 409, body: { error: { code: "idempotency_answer_lost" } } },
    );
    expect(await caller.charges()).toHaveLength(1);
    expect(await caller.account()).toMatchObject({ openHolds: 0 });
  });

  test("a request that said late that it lives keeps its key until the sweep may end it", async () => {
    const { caller, database } = await newClient();
    const dying = dyingAfter(database, 3);
    void createTestApp({ database: dying.database }).chat(caller.apiKey, hello, { "idempotency-key": "k" });
    await dying.death;
    let now = Date.now();
    const [hold] = await database.execute(selectHold, { accountId: caller.accountId });
    const said = { executionLlm: "m", keySource: "pool", markup: 0, chargeMicro: 0 } as const;
    const about = { requestId: "r", model: "m", accountId: caller.accountId };
    await noteProgress(database, { ...about, ...said, holdId: hold!.id, now: now + 10 * 60_000 });
    const { chat } = createTestApp({ now: () => now });
    for (const [minutes, status] of [
      [17, 409],
      [26, 200],
    ] as const) {
      now = Date.now() + minutes * 60_000;
      expect((await chat(caller.apiKey, hello, { "idempotency-key": "k" })).status).toBe(status);
    }
  });

  /** The database, which fails some batches of a keyed request: the first claims the key, the second keeps the answer. */
  function failingAt(database: Database, batches: readonly number[]): Database {
    let seen = 0;
    return {
      ...database,
      execute: (statement, values) => database.execute(statement, values),
      batch: (statements, values) => {
        seen += 1;
        if (batches.includes(seen)) throw new DatabaseError("unreachable", true, "database unreachable");
        return database.batch(statements, values);
      },
    };
  }

  test.each([
    ["once: the answer is kept some seconds later", [2], 200, 0, "short"],
    ["twice: the answer is lost, and the log says so", [2, 3], 409, 1, "short"],
    // Until it is kept, nobody has claimed memory for it.
    ["once: an answer over 64 Ki characters is lost at once", [2], 409, 1, "long".repeat(17_000)],
  ])("a database that fails to keep the answer, %s", async (_, batches, status, lines, word) => {
    const { caller, database } = await newClient();
    const later = Promise.withResolvers<void>();
    const { chat, logs } = createTestApp({
      database: failingAt(database, batches),
      sleep: () => later.promise,
      provider: [() => openaiStream([word], openaiUsage(1, 1))],
    });
    const response = await chat(caller.apiKey, hello, { "idempotency-key": "k" });
    const text = await response.text();
    expect(response.status).toBe(200);
    const retry = () => createTestApp().chat(caller.apiKey, hello, { "idempotency-key": "k" });
    expect((await retry()).status).toBe(409);
    later.resolve();
    await response.settled();
    const again = await retry();
    expect(again.status).toBe(status);
    expect((await again.text()) === text).toBe(status === 200);
    expect(logs.filter(({ event }) => event === "answer_not_kept")).toHaveLength(lines);
    expect(await caller.charges()).toHaveLength(1);
  });
});
