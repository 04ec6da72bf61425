import { describe, expect, test } from "vitest";
import { createApiKey, hashApiKey } from "../../../edge/api-key.ts";
import { revokeApiKey } from "../../../edge/db/api-keys.ts";
import type { Database } from "../../../edge/db/client.ts";
import { openTestDatabase } from "../support/accounts.ts";
import { createTestApp, newCaller } from "../support/app.ts";

/** A database that counts the round trips made. */
function counted() {
  const database = openTestDatabase();
  let trips = 0;
  const counting: Database = {
    execute: (statement, values) => {
      trips += 1;
      return database.execute(statement, values);
    },
    batch: (statements, values) => {
      trips += 1;
      return database.batch(statements, values);
    },
  };
  return { database: counting, trips: () => trips };
}
const hello = { model: "svc-x1ac-base-gpt-4o", messages: [{ role: "user", content: "go" }], max_tokens: 20 };
const randomKey = () => createApiKey(crypto.getRandomValues(new Uint8Array(32)));
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

describe("a wrong key", () => {
  test("of a wrong checksum costs no database read: 1,000 of them, one character off", async () => {
    const caller = await newCaller(1);
    const { database, trips } = counted();
    const { send } = createTestApp({ database });
    const statuses = new Set<number>();
    for (let index = 0; index < 1_000; index++) {
      const at = 12 + (index % 49);
      const next = digits[(digits.indexOf(caller.apiKey[at]!) + 1 + (index % 61)) % 62]!;
      const key = caller.apiKey.slice(0, at) + next + caller.apiKey.slice(at + 1);
      const response = await send("/v1/models", { headers: { authorization: `Bearer ${key}` } });
      statuses.add(key === caller.apiKey ? 401 : response.status);
      await response.body?.cancel();
    }
    expect([...statuses]).toEqual([401]);
    expect(trips()).toBe(0);
  });

  test("is looked up by its hash alone, which shares nothing with that of a key nearly the same", async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const near = Uint8Array.from(bytes);
    near[31]! ^= 1;
    const [right, wrong] = [createApiKey(bytes), createApiKey(near)];
    expect(wrong.slice(0, 50)).toBe(right.slice(0, 50));
    const [one, two] = await Promise.all([hashApiKey(right), hashApiKey(wrong)]);
    const same = [...one].filter((digit, index) => digit === two[index]).length;
    expect(same).toBeLessThan(20);
  });

  test("that was revoked is wrong on the very next request of another isolate", async () => {
    const caller = await newCaller(1_000_000);
    const [first, second] = [createTestApp(), createTestApp()];
    expect((await first.chat(caller.apiKey, hello)).status).toBe(200);
    expect((await second.chat(caller.apiKey, hello)).status).toBe(200);
    await revokeApiKey(openTestDatabase(), caller.keyId, 1);
    for (const { chat } of [first, second]) {
      const refused = await chat(caller.apiKey, hello);
      expect(refused.status).toBe(401);
      expect(await refused.json()).toMatchObject({ error: { code: "invalid_api_key" } });
    }
  });

  test("and an unknown one are answered in the same words", async () => {
    const { send } = createTestApp();
    const caller = await newCaller(1);
    const texts = await Promise.all(
      [randomKey(), "svc_sk_live_x", `${caller.apiKey}x`, caller.apiKey.slice(0, -1)].map(async (key) =>
        (await send("/v1/models", { headers: { "x-api-key": key } })).text(),
      ),
    );
    expect(new Set(texts).size).toBe(1);
  });
});

/** As a client over a socket sends it: with its length. */
const sized = (key: string, body: string, type = "application/json"): RequestInit => ({
  method: "POST",
  headers: { "x-api-key": key, "content-type": type, "content-length": String(body.length) },
  body,
});

describe("a body is judged while its sender is looked up, and", () => {
  test.each([
    { what: "malformed", body: "{", status: 400, messagesStatus: 400 },
    {
      what: "of the wrong shape",
      body: JSON.stringify({ ...hello, model: 7 }),
      status: 422,
      messagesStatus: 400,
    },
    { what: "not JSON", body: "x", type: "text/plain", status: 415, messagesStatus: 415 },
    {
      what: "for no model",
      body: JSON.stringify({ ...hello, model: "none" }),
      status: 404,
      messagesStatus: 404,
    },
  ])("one that is $what is a stranger's 401 and a caller's $status", async (wrong) => {
    const caller = await newCaller(1_000);
    const { send } = createTestApp();
    const statusOf = async (path: string, key: string) => {
      const response = await send(path, sized(key, wrong.body, wrong.type));
      await response.body?.cancel();
      return response.status;
    };
    const paths = ["/v1/chat/completions", "/v1/messages"];
    expect(await Promise.all(paths.map((path) => statusOf(path, randomKey())))).toEqual([401, 401]);
    expect(await Promise.all(paths.map((path) => statusOf(path, caller.apiKey)))).toEqual([
      wrong.status,
      wrong.messagesStatus,
    ]);
  });

  test("a large one is not read before its sender is known", async () => {
    let pulled = 0;
    const body = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new TextEncoder().encode(" ".repeat(1_000)));
      },
    });
    const never: Database = { execute: () => new Promise(() => {}), batch: () => new Promise(() => {}) };
    const { send } = createTestApp({ database: never });
    const headers = {
      "x-api-key": randomKey(),
      "content-type": "application/json",
      "content-length": "70000",
    };
    const answer = send("/v1/chat/completions", { method: "POST", headers, body });
    expect(await Promise.race([answer, scheduler.wait(50)])).toBeUndefined();
    expect(pulled).toBeLessThanOrEqual(1);
  });
});

describe("planning begins", () => {
  /** A database whose lookups wait until `release`. */
  function gated() {
    const database = openTestDatabase();
    const gate = Promise.withResolvers<void>();
    const execute: Database["execute"] = async (statement, values) => {
      await gate.promise;
      return database.execute(statement, values);
    };
    return { database: { execute, batch: database.batch }, release: gate.resolve };
  }
  const body = JSON.stringify(hello);
  const path = "/v1/chat/completions";

  test("for a caller admitted lately while his key is looked up again, and for nobody else", async () => {
    const caller = await newCaller(1_000_000);
    expect((await createTestApp().chat(caller.apiKey, hello)).status).toBe(200);
    for (const [key, plansAhead, status] of [
      [caller.apiKey, 1, 200],
      [randomKey(), 0, 401],
      [(await newCaller(1_000_000)).apiKey, 0, 200],
    ] as const) {
      const { database, release } = gated();
      const { send, plans, sent } = createTestApp({ database });
      const answer = send(path, sized(key, body));
      await scheduler.wait(30);
      expect([plans.length, sent.length]).toEqual([plansAhead, 0]);
      release();
      const response = await answer;
      expect(response.status).toBe(status);
      await response.text();
      await response.settled();
      expect(plans.length).toBe(status === 200 ? 1 : 0);
    }
  });

  test("once at most for a key that was revoked, tells its holder nothing, and is called off", async () => {
    const caller = await newCaller(1_000_000);
    expect((await createTestApp().chat(caller.apiKey, hello)).status).toBe(200);
    await revokeApiKey(openTestDatabase(), caller.keyId, 1);
    const signals: AbortSignal[] = [];
    const { send, sent, plans } = createTestApp({
      plan: (_request, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    for (const attempt of [1, 2]) {
      const response = await send(path, sized(caller.apiKey, body));
      expect([attempt, response.status]).toEqual([attempt, 401]);
      await response.body?.cancel();
    }
    expect([plans.length, sent.length]).toEqual([1, 0]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

describe("round trips to the database", () => {
  test.each<[string, Record<string, string>, number, number]>([
    ["a request", {}, 2, 3],
    // The key is claimed before, and its answer kept after.
    ["a request with an Idempotency-Key", { "idempotency-key": "k" }, 3, 5],
  ])("of %s", async (_, headers, beforeProvider, inAll) => {
    const caller = await newCaller(1_000_000);
    const { database, trips } = counted();
    let before = 0;
    const { chat } = createTestApp({
      database,
      provider: [
        () => {
          before = trips();
          return Response.json({ choices: [{ index: 0, message: { content: "x" }, finish_reason: "stop" }] });
        },
      ],
    });
    const response = await chat(caller.apiKey, hello, headers);
    await response.text();
    await response.settled();
    expect([before, trips()]).toEqual([beforeProvider, inAll]);
  });
});
