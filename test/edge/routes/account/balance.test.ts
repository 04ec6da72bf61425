import { describe, expect, test } from "vitest";
import { createApiKey, hashApiKey } from "../../../../edge/api-key.ts";
import { addApiKey } from "../../../../edge/db/api-keys.ts";
import { openDatabase } from "../../../../edge/db/client.ts";
import { createTestApp, newCaller } from "../../support/app.ts";

const path = "/v1/account/balance";
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe("the balance", () => {
  test.each<[string, (key: string) => Record<string, string>]>([
    ["bearer", bearer],
    ["the bare key", (key) => ({ authorization: key })],
    ["x-api-key", (key) => ({ "x-api-key": key })],
  ])("is told to %s", async (_, headers) => {
    const caller = await newCaller(12_345_678);
    const response = await createTestApp().send(path, { headers: headers(caller.apiKey) });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      balance: 12.345678,
      account_id: caller.accountId,
      email: "someone@example.com",
    });
  });

  test.each<[string, Record<string, string>, string]>([
    ["no key", {}, "missing_api_key"],
    ["another scheme", { authorization: "Basic abc" }, "missing_api_key"],
    ["a mistyped key", bearer("svc_sk_live_x"), "invalid_api_key"],
    ["a mistyped bare key", { authorization: "svc_sk_live_x" }, "invalid_api_key"],
  ])("with %s is refused", async (_, headers, code) => {
    const response = await createTestApp().send(path, { headers });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { type: "authentication_error", code } });
  });

  test("the bare key is for this path only", async () => {
    const caller = await newCaller(1);
    const response = await createTestApp().send("/v1/models", { headers: { authorization: caller.apiKey } });
    expect(response.status).toBe(401);
  });

  test("without a database is billing_unavailable", async () => {
    const caller = await newCaller(1);
    const gone = openDatabase({ url: "http://127.0.0.1:1", timeoutMs: 500 });
    const response = await createTestApp({ database: gone }).send(path, { headers: bearer(caller.apiKey) });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      error: { type: "service_error", code: "billing_unavailable" },
    });
  });
});

describe("its limit", () => {
  test("is 100 a minute for each key, exact over two isolates and 130 requests at once (failures 27)", async () => {
    const caller = await newCaller(1_000_000);
    const isolates = [createTestApp(), createTestApp()];
    const answers = await Promise.all(
      Array.from({ length: 130 }, (_, index) =>
        isolates[index % 2]!.send(path, { headers: bearer(caller.apiKey) }),
      ),
    );
    const admitted = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([admitted.length, refused.length]).toEqual([100, 30]);
    const left = admitted.map(({ headers }) => Number(headers.get("x-ratelimit-remaining")));
    expect(left.sort((one, two) => one - two)).toEqual(Array.from({ length: 100 }, (_, index) => index));
    for (const { headers } of refused) {
      expect(headers.get("ratelimit-limit")).toBe("100");
      expect(headers.get("ratelimit-remaining")).toBe("0");
      const wait = Number(headers.get("retry-after"));
      expect(wait).toBeGreaterThanOrEqual(1);
      expect(wait).toBeLessThanOrEqual(60);
    }
    expect(await refused[0]!.json()).toMatchObject({
      error: { type: "rate_limit_error", code: "rate_limit_exceeded" },
    });
    await Promise.all([...admitted, ...refused.slice(1)].map((answer) => answer.body?.cancel()));
  });

  test("slides: each request is free again a minute after it was made, and no minute sees more", async () => {
    const caller = await newCaller(1);
    let now = 1_000_000;
    const { send } = createTestApp({ now: () => now });
    const ask = async () => (await send(path, { headers: bearer(caller.apiKey) })).status;
    const many = async (count: number) =>
      (await Promise.all(Array.from({ length: count }, ask))).filter((status) => status === 200).length;
    expect(await many(40)).toBe(40);
    now += 30_000;
    expect(await many(70)).toBe(60);
    now += 29_999;
    expect(await many(1)).toBe(0);
    now += 1;
    expect(await many(45)).toBe(40);
    now += 30_000;
    expect(await many(65)).toBe(60);
  });

  test("counts each key of an account for itself", async () => {
    const caller = await newCaller(1);
    const { send, database } = createTestApp();
    const second = createApiKey(crypto.getRandomValues(new Uint8Array(32)));
    const key = { keyId: `key_${crypto.randomUUID()}`, accountId: caller.accountId, name: "2", now: 1 };
    await addApiKey(database, { ...key, hash: await hashApiKey(second) });
    const ask = (apiKey: string) => send(path, { headers: bearer(apiKey) });
    await Promise.all(Array.from({ length: 100 }, () => ask(caller.apiKey)));
    expect((await ask(caller.apiKey)).status).toBe(429);
    expect((await ask(second)).headers.get("x-ratelimit-remaining")).toBe("99");
  });

  test("is not there on health", async () => {
    const { send } = createTestApp();
    const answers = await Promise.all(Array.from({ length: 150 }, () => send("/health")));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });
});
