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
    ...database,
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
  test.each([
    ["none", {}, 'Bearer realm="svc"'],
    [
      "an unknown one",
      { authorization: `Bearer ${randomKey()}` },
      'Bearer realm="svc", error="invalid_token"',
    ],
  ])("is answered with the challenge that each 401 needs: %s", async (_what, headers, challenge) => {
    for (const path of ["/v1/models", "/v1/account/llm-keys"]) {
      const response = await createTestApp().send(path, { headers });
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, challenge]);
      await response.body?.cancel();
    }
  });

  test.each<[string, Record<string, string>]>([
    ["OpenAI's", { authorization: "Bearer sk-proj-abc" }],
    ["Anthropic's", { "x-api-key": "sk-ant-abc" }],
  ])("that is %s is told where a provider's key goes", async (_whose, headers) => {
    const response = await createTestApp().send("/v1/models", { headers });
    expect(response.status).toBe(401);
    const said = await response.text();
    expect(said).toContain("svc_sk_live_");
    expect(said).toContain("x-alpha-key, x-beta-key, x-gamma-key, x-router-key");
    expect(said).not.toContain("abc");
  });

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

describe("a right key", () => {
  const other = "eyJhbGciOiJSUzI1NiJ9.e30.c2ln";
  test.each<[string, string, (key: string) => Record<string, string>]>([
    ["x-api-key", "/v1/models", (key) => ({ authorization: `Bearer ${other}`, "x-api-key": key })],
    ["Authorization", "/v1/models", (key) => ({ authorization: `Bearer ${key}`, "x-api-key": other })],
    ["Authorization, bare", "/v1/account/balance", (key) => ({ authorization: key, "x-api-key": other })],
  ])("in %s is found beside a token of something else in the other header", async (_where, path, write) => {
    const { send } = createTestApp();
    const status = async (key: string) => (await send(path, { headers: write(key) })).status;
    expect(await status((await newCaller(1)).apiKey)).toBe(200);
    expect(await status(other)).toBe(401);
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
