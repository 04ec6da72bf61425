import { describe, expect, test, vi } from "vitest";
import { createAccessToken, hashApiKey } from "../../../../edge/api-key.ts";
import { addAccessToken } from "../../../../edge/db/access-tokens.ts";
import { type NewApiKey, revokeApiKey } from "../../../../edge/db/api-keys.ts";
import { createTestApp, newCaller, type TestAppOptions } from "../../support/app.ts";

// Many at once on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const path = "/v1/account/tokens";
const model = "svc-x1ac-base-gpt-4o";
const hello = { model, messages: [{ role: "user", content: "go" }], max_tokens: 20 };
const post = (key: string, body: unknown) => ({
  method: "POST",
  headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  body: JSON.stringify(body),
});

async function start(options: { app?: TestAppOptions; key?: Partial<NewApiKey> } = {}) {
  const app = createTestApp(options.app);
  const caller = await newCaller(1_000_000, options.key);
  const make = async (body: object = {}, key = caller.apiKey) => {
    const response = await app.send(path, post(key, body));
    return {
      status: response.status,
      body: await response.json<{ token: string; expires_at: string; error: object }>(),
    };
  };
  return { app, caller, make };
}

describe("a token", () => {
  test("streams a chat, is charged to its key's account, and says when it ends", async () => {
    const now = Date.UTC(2026, 10, 22, 12, 0, 0, 250);
    const { app, caller, make } = await start({ app: { now: () => now } });
    const made = await make();
    expect(made).toEqual({
      status: 201,
      body: {
        token: expect.stringMatching(/^svc_tk_[0-9A-Za-z]{55}$/),
        expires_at: "2026-11-22T12:10:00.000Z",
      },
    });
    const response = await app.chat(made.body.token, { ...hello, stream: true });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("[DONE]");
    await response.settled();
    expect(await caller.charges()).toMatchObject([{ apiKeyId: caller.keyId, outcome: "completed" }]);
  });

  test.each([
    ["chat", "/v1/chat/completions", hello],
    ["messages", "/v1/messages", hello],
    ["messages", "/v1/messages/count_tokens", { model, messages: hello.messages }],
    ["responses", "/v1/responses", { model, input: "go" }],
    ["responses", "/v1/responses/compact", { model, input: "go" }],
    ["responses", "/v1/responses/input_tokens", { model, input: "go" }],
    ["embeddings", "/v1/embeddings", { model: "svc-x1ac-base", input: "x" }],
    ["rollout", "/v1/rollout", { goal: "x" }],
  ])("is for its endpoints only: %s at %s", async (endpoint, at, body) => {
    const { app, make } = await start();
    const others = ["chat", "messages", "responses", "embeddings", "rollout"].filter(
      (one) => one !== endpoint,
    );
    const wrong = await make({ endpoints: others });
    const refused = await app.send(at, post(wrong.body.token, body));
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain("This token may be used for");
    const right = await make({ endpoints: [endpoint] });
    expect((await app.send(at, post(right.body.token, body))).status).not.toBe(403);
  });

  test.each([
    ["GET", "/v1/account/api-keys"],
    ["POST", "/v1/account/api-keys"],
    ["PATCH", "/v1/account/api-keys/key_1"],
    ["DELETE", "/v1/account/api-keys/key_1"],
    ["GET", "/v1/account/balance"],
    ["GET", "/v1/account/usage"],
    ["GET", "/v1/account/llm-keys"],
    ["POST", "/v1/account/llm-keys"],
    ["DELETE", "/v1/account/llm-keys"],
    ["POST", "/v1/account/tokens"],
    ["GET", "/v1/models"],
    ["GET", "/v1/generation?id=x"],
  ])("manages and reads nothing, not even of a key that may manage: %s %s", async (method, at) => {
    const { app, make } = await start({ key: { manage: true } });
    const { body } = await make();
    const bearer = await app.send(at, {
      ...post(body.token, {}),
      method,
      ...(method === "GET" && { body: null }),
    });
    expect(bearer.status).toBe(403);
    expect(await bearer.text()).toContain("permission_denied");
    const header = await app.send(at, { method, headers: { "x-api-key": body.token } });
    expect(header.status).toBe(403);
  });

  test("ends on the second, without a database read; one that says otherwise is unknown", async () => {
    let now = Date.UTC(2026, 10, 22);
    const { app, caller, make } = await start({ app: { now: () => now } });
    const { body } = await make({ ttl_seconds: 60 });
    now += 59_999;
    expect((await app.chat(body.token, hello)).status).toBe(200);
    now += 1;
    const expired = await app.chat(body.token, hello);
    expect(expired.status).toBe(401);
    expect(await expired.json()).toMatchObject({
      error: { type: "authentication_error", code: "token_expired" },
    });
    const forged = createAccessToken(new Uint8Array(32), now + 60_000);
    expect(await (await app.chat(forged, hello)).json()).toMatchObject({
      error: { code: "invalid_api_key" },
    });
    // The time in the token is only a hint: the row's counts.
    const longer = createAccessToken(new Uint8Array(32).fill(9), now + 3_600_000);
    await addAccessToken(app.database, {
      tokenId: crypto.randomUUID(),
      keyId: caller.keyId,
      hash: await hashApiKey(longer),
      endpoints: ["chat"],
      models: null,
      maxMicro: null,
      now,
      expiresAt: now,
    });
    expect((await app.chat(longer, hello)).status).toBe(401);
  });

  test.each([
    ["/v1/chat/completions", hello],
    ["/v1/embeddings", { model: "svc-x1ac-base", input: "x" }],
  ])("that ends while a body arrives is an expired token, not missing credit: %s", async (at, body) => {
    let now = Date.UTC(2026, 10, 22);
    const { app, caller, make } = await start({ app: { now: () => now } });
    const { token } = (await make({ ttl_seconds: 60 })).body;
    const slow = new ReadableStream(
      {
        pull(controller) {
          now += 61_000;
          controller.enqueue(new TextEncoder().encode(JSON.stringify(body)));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const response = await app.send(at, { ...post(token, body), body: slow });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: "token_expired" } });
    expect(await caller.charges()).toEqual([]);
  });

  test("ends with its key, on the next request of another isolate", async () => {
    const { app, caller, make } = await start();
    const { body } = await make();
    expect((await app.chat(body.token, hello)).status).toBe(200);
    await revokeApiKey(app.database, caller.keyId, Date.now());
    const refused = await createTestApp().chat(body.token, hello);
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: { code: "invalid_api_key" } });
  });

  test("lives no longer than its key", async () => {
    let now = Date.UTC(2026, 10, 22);
    const { app, make } = await start({ app: { now: () => now }, key: { expiresAt: now + 90_000 } });
    const { body } = await make({ ttl_seconds: 3600 });
    expect(body.expires_at).toBe(new Date(now + 90_000).toISOString());
    now += 90_000;
    expect((await app.chat(body.token, hello)).status).toBe(401);
  });

  test("is refused in a suspended account, mistyped, or cut short", async () => {
    const { app, make } = await start();
    const { token } = (await make()).body;
    for (const wrong of [
      token.slice(0, -1),
      `${token}x`,
      token.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
    ]) {
      expect((await app.chat(wrong, hello)).status).toBe(401);
    }
  });
});

describe("a token's cap", () => {
  test("is 402, exact under 30 requests at once; the key itself goes on", async () => {
    const { app, caller, make } = await start();
    const { body } = await make({ max_credits: 0.02 });
    const answers = await Promise.all(Array.from({ length: 30 }, () => app.chat(body.token, hello)));
    const refused = answers.filter(({ status }) => status === 402);
    expect(answers.filter(({ status }) => status === 200).length + refused.length).toBe(30);
    expect(refused.length).toBeGreaterThan(0);
    expect(await refused[0]!.json()).toMatchObject({
      error: { code: "insufficient_credits", message: expect.stringContaining("max_credits") },
    });
    await Promise.all(answers.map((answer) => answer.settled()));
    const charged = (await caller.charges()).reduce((sum, { amountMicro }) => sum - amountMicro, 0);
    expect(charged).toBeLessThanOrEqual(20_000);
    expect(charged).toBeGreaterThan(0);
    expect((await app.chat(caller.apiKey, hello)).status).toBe(200);
  });
});

describe("a token's models", () => {
  test("narrow its key's list, never widen it", async () => {
    const mini = "svc-x1ac-base-gpt-4o-mini";
    const { app, make } = await start({ key: { models: [model, "svc-x1ac-base-gpt-5"] } });
    const status = async (models: string[] | undefined, asked: string) => {
      const { body } = await make(models === undefined ? {} : { models });
      return (await app.chat(body.token, { ...hello, model: asked })).status;
    };
    expect(await status([model], model)).toBe(200);
    expect(await status([model], "svc-x1ac-base-gpt-5")).toBe(403);
    expect(await status([mini], mini)).toBe(403);
    expect(await status(undefined, mini)).toBe(403);
    expect(await status(undefined, "svc-x1ac-base-gpt-5")).toBe(200);
  });

  test.each([
    [["svc-x1ac-base-gpt-4o-mini", model], "svc-x1ac-base-gpt-5", `use one of ${model}.`],
    [["svc-x1ac-base-gpt-4o-mini"], "svc-x1ac-base-gpt-4o-mini", "its API key may use none on its list."],
  ])("that its key may not use are not offered where it is refused: %s", async (models, asked, remedy) => {
    const { app, make } = await start({ key: { models: [model] } });
    const { body } = await make({ models });
    const refused = await app.chat(body.token, { ...hello, model: asked });
    expect(await refused.json()).toMatchObject({
      error: { message: `This token may not use the model ${asked}; ${remedy}`, param: "model" },
    });
  });
});

describe("making a token", () => {
  test.each<[string, object]>([
    ["too short a life", { ttl_seconds: 59 }],
    ["too long a life", { ttl_seconds: 3601 }],
    ["half a second", { ttl_seconds: 90.5 }],
    ["no endpoint", { endpoints: [] }],
    ["an endpoint that is none", { endpoints: ["balance"] }],
    ["a cap below nothing", { max_credits: -1 }],
    ["a field nobody knows", { ttl: 60 }],
  ])("with %s is 422, which names the field", async (_, body) => {
    const { make } = await start();
    expect(await make(body)).toMatchObject({
      status: 422,
      body: {
        error: { type: "validation_error", details: [expect.stringContaining(Object.keys(body)[0]!)] },
      },
    });
  });

  test("counts ten models of its list as one more token, so that no key fills the database", async () => {
    const { app, caller } = await start();
    const left = async (count: number) => {
      const response = await app.send(path, post(caller.apiKey, { models: Array(count).fill(model) }));
      return [response.status, response.headers.get("ratelimit-remaining")];
    };
    expect(await left(9)).toEqual([201, "599"]);
    expect(await left(100)).toEqual([201, "588"]);
    for (let times = 0; times < 53; times += 1) expect((await left(100))[0]).toBe(201);
    expect(await left(100)).toEqual([429, "4"]);
    expect(await left(1)).toEqual([201, "3"]);
  });

  test("with a model nobody knows is 400", async () => {
    const { make } = await start();
    expect(await make({ models: ["gpt-4o"] })).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_request", message: expect.stringContaining("models.0") } },
    });
  });

  test("needs a key", async () => {
    const { make } = await start();
    expect(await make({}, "svc_sk_live_x")).toMatchObject({
      status: 401,
      body: { error: { type: "authentication_error", code: "invalid_api_key" } },
    });
  });
});
