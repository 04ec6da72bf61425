// Turns of an account at what keeps others waiting: long lists and large bodies.
import { describe, expect, test } from "vitest";
import type { Database } from "../../../edge/db/client.ts";
import { openTestDatabase } from "../support/accounts.ts";
import { createTestApp, newCaller } from "../support/app.ts";

const large = {
  model: "svc-x1ac-base-gpt-4o",
  messages: [{ role: "user", content: "x".repeat(80 * 1024) }],
  max_tokens: 20,
};

/** An app whose clock runs only while it waits, and which is told before it waits. */
function setUp(database: Database = openTestDatabase()) {
  let waitedMs = 0;
  const app = createTestApp({
    database,
    now: () => Date.now() + waitedMs,
    sleep: async (milliseconds) => {
      waitedMs += milliseconds;
      await new Promise((resolve) => setTimeout(resolve));
    },
  });
  const read = (path: string, apiKey: string) =>
    app.send(path, { headers: { authorization: `Bearer ${apiKey}` } });
  /** Takes the turn of an account, as a request that is at this work. */
  const occupy = (work: string, accountId: string) =>
    app.turns.take({ name: `${work} ${accountId}`, atOnce: 1, lastsMs: 60_000 }, 0, {
      now: Date.now,
      sleep: async () => {},
    });
  return { ...app, read, occupy };
}

describe("while an account is at such work", () => {
  test.each(["/v1/account/usage", "/v1/account/api-keys"])(
    "its reads of %s wait, and are refused after half a minute; another's are served (failures 64)",
    async (path) => {
      const { read, occupy } = setUp();
      const [busy, other] = [await newCaller(1, { manage: true }), await newCaller(1, { manage: true })];
      const turn = await occupy("list", busy.accountId);
      const refused = await read(path, busy.apiKey);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(await refused.text()).toContain("at the same work");
      expect((await read(path, other.apiKey)).status).toBe(200);
      turn!.end();
      expect((await read(path, busy.apiKey)).status).toBe(200);
      expect((await read(path, busy.apiKey)).status).toBe(200);
    },
  );

  test("its large bodies wait, and its small ones do not", async () => {
    const { chat, occupy } = setUp();
    const [busy, other] = [await newCaller(10_000_000), await newCaller(10_000_000)];
    const turn = await occupy("parse", busy.accountId);
    expect((await chat(busy.apiKey, large)).status).toBe(503);
    expect((await chat(busy.apiKey, { ...large, messages: [{ role: "user", content: "go" }] })).status).toBe(
      200,
    );
    expect((await chat(other.apiKey, large)).status).toBe(200);
    turn!.end();
    expect((await chat(busy.apiKey, large)).status).toBe(200);
    expect((await chat(busy.apiKey, large)).status).toBe(200);
  });

  test("so do its short bodies of many values, which take as long to check", async () => {
    const { chat, occupy } = setUp();
    const [busy, other] = [await newCaller(10_000_000), await newCaller(10_000_000)];
    const many = { ...large, messages: Array.from({ length: 600 }, () => ({ role: "user", content: "x" })) };
    expect(JSON.stringify(many).length).toBeLessThan(32 * 1024);
    const turn = await occupy("parse", busy.accountId);
    expect((await chat(busy.apiKey, many)).status).toBe(503);
    expect((await chat(other.apiKey, many)).status).toBe(200);
    turn!.end();
    expect((await chat(busy.apiKey, many)).status).toBe(200);
    expect((await chat(busy.apiKey, many)).status).toBe(200);
  });

  test("one list is read at a time, also by callers who leave", async () => {
    const database = openTestDatabase();
    let reading = 0;
    let most = 0;
    const watched: Database = {
      ...database,
      execute: async (statement, values) => {
        const isList = statement.text.includes("usage_days");
        reading += isList ? 1 : 0;
        most = Math.max(most, reading);
        if (isList) await new Promise((resolve) => setTimeout(resolve, 20));
        const result = await database.execute(statement, values);
        reading -= isList ? 1 : 0;
        return result;
      },
    };
    const { send } = createTestApp({ database: watched });
    const caller = await newCaller(1);
    const reads = Array.from({ length: 6 }, async (_, at) => {
      const leaving = new AbortController();
      const headers = { authorization: `Bearer ${caller.apiKey}` };
      const asked = send("/v1/account/usage", { headers, signal: leaving.signal });
      if (at % 2 === 0) setTimeout(() => leaving.abort(), 10);
      return (await asked).status;
    });
    expect(await Promise.all(reads)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(most).toBe(1);
  });
});
