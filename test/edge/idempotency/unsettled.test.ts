// A request whose settlement failed leaves a hold that the sweep may still charge: until then its key stays claimed.
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { build, type Database, prepare } from "../../../edge/db/client.ts";
import { DatabaseError } from "../../../edge/db/connection.ts";
import {
  createTestApp,
  eventStream,
  newCaller,
  openaiStream,
  openaiUsage,
  type TestAppOptions,
} from "../support/app.ts";

const minutes = 60_000;
/** As often as a settlement is tried (`settle` in edge/billing/ledger.ts). */
const settlementTries = 4;
const hello = { model: "svc-x1ac-base-gpt-4o", messages: [{ role: "user", content: "go" }], max_tokens: 50 };

/** The database that is away while requests settle, and back for the statement after it. */
function awayForSettling(database: Database) {
  let refused = 0;
  const comesBack: Database = {
    ...database,
    execute: async (statement, values) => {
      if (values !== undefined && "outcome" in values) {
        refused += 1;
        throw new DatabaseError("unreachable", true, "database unreachable");
      }
      return database.execute(statement, values);
    },
    batch: (statements, values) => database.batch(statements, values),
  };
  return { database: comesBack, refused: () => refused };
}

/** Says something, and ends when told. */
function slowProvider() {
  const ending = Promise.withResolvers<void>();
  const whole = openaiStream(["Hel", "lo"], openaiUsage(12, 2));
  const answer = () =>
    eventStream(
      new ReadableStream<Uint8Array>({
        async start(controller) {
          const first = 'data: {"choices":[{"index":0,"delta":{"content":"He"}}]}\n\n';
          controller.enqueue(new TextEncoder().encode(first));
          await ending.promise;
          controller.enqueue(new Uint8Array(await whole.arrayBuffer()));
          controller.close();
        },
      }),
    );
  return { answer, end: ending.resolve };
}

const tellsNothing = { progressMs: 10 * minutes };

async function runUnsettled(body: object, options: TestAppOptions, hasCharge: boolean) {
  const caller = await newCaller(1_000_000);
  const { database } = createTestApp();
  const provider = slowProvider();
  const away = awayForSettling(database);
  const app = createTestApp({ ...options, database: away.database, provider: [provider.answer] });
  const asked = app.chat(caller.apiKey, body, { "idempotency-key": "k" });
  const read = asked.then(async (response) => ({ status: response.status, text: await response.text() }));
  if (hasCharge) {
    const said = prepare(
      build.all(sql`SELECT hold_id FROM hold_progress JOIN holds ON holds.id = hold_id
        WHERE account_id = ${caller.accountId} AND charge_micro > 0`),
    );
    await expect.poll(() => database.execute(said)).toHaveLength(1);
  }
  provider.end();
  const first = await read;
  await (await asked).settled();
  expect(away.refused()).toBe(settlementTries);
  return { caller, first };
}

describe("a request that could not be settled, with the database back for the end of its claim", () => {
  test.each([false, true])(
    "is charged once, by the sweep, and never run again (stream: %s)",
    async (stream) => {
      const body = { ...hello, stream };
      const { caller, first } = await runUnsettled(body, { requestLimits: { progressMs: 20 } }, true);
      expect(first.text).toContain('"error"');
      let now = Date.now();
      const { chat, sent } = createTestApp({ now: () => now });
      const retry = async () => {
        const response = await chat(caller.apiKey, body, { "idempotency-key": "k" });
        return `${response.status} ${await response.text()}`;
      };
      expect(await retry()).toContain("409 ");
      expect(await retry()).toContain("idempotency_in_progress");
      now += 40 * minutes;
      // The first to come sweeps.
      await retry();
      expect(await retry()).toContain("idempotency_answer_lost");
      expect(sent).toEqual([]);
      expect(await caller.charges()).toMatchObject([{ flag: "settled_by_sweep" }]);
      expect(await caller.account()).toMatchObject({ openHolds: 0 });
    },
  );

  test("runs anew once the sweep has given its hold back for nothing", async () => {
    const { caller, first } = await runUnsettled(hello, { requestLimits: tellsNothing }, false);
    expect(first.status).toBe(503);
    let now = Date.now();
    const { chat } = createTestApp({ now: () => now });
    const retry = () => chat(caller.apiKey, hello, { "idempotency-key": "k" });
    expect((await retry()).status).toBe(409);
    now += 40 * minutes;
    expect((await retry()).status).toBe(200);
    expect(await caller.charges()).toMatchObject([{ outcome: "completed" }]);
  });
});

describe("a request that ends since the database's answer to a write of its was lost", () => {
  /** The database that carries out its `lost`th statement, and loses the answer. */
  function losing(database: Database, lost: number): Database {
    let sent = 0;
    const pass = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      sent += 1;
      const result = await work();
      if (sent === lost) throw new DatabaseError("timeout", true, "database timeout");
      return result;
    };
    return {
      ...database,
      execute: (statement, values) => pass(() => database.execute(statement, values)),
      batch: (statements, values) => pass(() => database.batch(statements, values)),
    };
  }

  // The caller is read first.
  test.each([
    ["claim of its key", 2],
    ["hold", 3],
  ])("runs anew some seconds later (the %s)", async (_, lost) => {
    const caller = await newCaller(1_000_000);
    const { database, chat } = createTestApp();
    const later = Promise.withResolvers<void>();
    const app = createTestApp({ database: losing(database, lost), sleep: () => later.promise });
    const first = await app.chat(caller.apiKey, hello, { "idempotency-key": "k" });
    expect([first.status, await first.text()]).toEqual([503, expect.stringContaining("billing_unavailable")]);
    const retry = () => chat(caller.apiKey, hello, { "idempotency-key": "k" });
    expect((await retry()).status).toBe(409);
    later.resolve();
    await first.settled();
    expect((await retry()).status).toBe(200);
    expect(app.sent).toEqual([]);
    expect(await caller.charges()).toMatchObject([{ outcome: "completed" }]);
    expect(await caller.account()).toMatchObject({ openHolds: 0 });
  });
});
