// Trying stolen provider keys, from the operator's address and for nothing: counting tokens needs no credit, and a refused chat costs none.
import { describe, expect, test } from "vitest";
import { addKey, createTestApp, newCaller, openaiStream, openaiUsage, type Sent } from "../support/app.ts";
import { listed, newClient } from "../support/llm-keys-client.ts";

const limit = 120;
const messages = [{ role: "user", content: "go" }];
const paths = [
  ["/v1/messages/count_tokens", { model: "svc-x1ac-base-claude-sonnet-4-5", messages }, "x-beta-key"],
  ["/v1/messages", { model: "svc-x1ac-base-claude-sonnet-4-5", messages, max_tokens: 9 }, "x-beta-key"],
  ["/v1/chat/completions", { model: "svc-x1ac-base-gpt-4o", messages }, "x-alpha-key"],
  ["/v1/responses", { model: "svc-x1ac-base-gpt-4o", input: "go" }, "x-alpha-key"],
] as const;

async function setUp() {
  let now = Date.now();
  const app = createTestApp({ now: () => now, provider: [() => Response.json({}, { status: 401 })] });
  const caller = await newCaller(10_000_000);
  const attempt = async (at: number, apiKey = caller.apiKey) => {
    const [path, body, header] = paths[at % paths.length]!;
    const response = await app.post(path, apiKey, body, { [header]: `sk-stolen-${at}` });
    await response.settled();
    return response;
  };
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { ...app, caller, attempt, pass };
}

describe("an API key whose requests brought many wrong provider keys", () => {
  test("sends no more of them within the minute, on any path; the pool still serves it", async () => {
    const { attempt, caller, post, sent, pass, logs } = await setUp();
    for (let at = 0; at < limit; at++) expect((await attempt(at)).status).toBe(401);
    const charges = await caller.charges();
    for (const at of paths.keys()) {
      const refused = await attempt(at);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get("retry-after"))).toBe(60);
      expect(await refused.text()).toMatch(
        /Providers refused 120 requests within a minute for their provider keys/,
      );
    }
    expect(sent).toHaveLength(limit);
    expect(await caller.charges()).toHaveLength(charges.length);
    expect(logs.at(-1)).toMatchObject({ code: "rate_limit_exceeded", reason: "wrong-keys" });

    const [path, body] = paths[2];
    await post(path, caller.apiKey, body);
    expect(sent.at(-1)?.headers.get("authorization")).toBe("Bearer pool-canary-key");
    pass(60_000);
    expect((await attempt(0)).status).toBe(401);
  });

  test("of which one is revoked and tried again and again: the others still work", async () => {
    const { caller, post } = await setUp();
    const [path, body, header] = paths[0];
    const send = async (key: string) => {
      const response = await post(path, caller.apiKey, body, { [header]: key });
      await response.settled();
      return response.status;
    };
    for (let tries = 0; tries < limit; tries++) await send("sk-revoked");
    expect(await send("sk-revoked")).toBe(429);
    // The provider of this test refuses every key; it was asked.
    expect(await send("sk-other")).toBe(401);
  });

  test("keeps no other API key of its account from sending one", async () => {
    const { attempt, caller } = await setUp();
    const other = await addKey(caller.accountId);
    for (let at = 0; at < limit; at++) await attempt(at);
    expect((await attempt(0)).status).toBe(429);
    expect((await attempt(0, other.apiKey)).status).toBe(401);
  });
});

describe("a stored key that has been revoked since", () => {
  /** Anthropic, which refuses the stored key from `revoke` on. Counting tokens sends it without a hold. */
  async function storeAndRevoke() {
    let revoked = false;
    const answer = ({ headers, url }: Sent) => {
      if (revoked && headers.get("x-api-key") === "sk-ant-stored") return Response.json({}, { status: 401 });
      return url.endsWith("/count_tokens") ? Response.json({ input_tokens: 3 }) : listed();
    };
    const { ask, post, caller, sent } = await newClient({ provider: [answer] });
    const store = (key: string) => ask("POST", { body: { beta_key: key } });
    await store("sk-ant-stored");
    revoked = true;
    const [path, body] = paths[0];
    const send = async (inline: Record<string, string> = {}) => {
      const response = await post(path, caller.apiKey, body, inline);
      await response.settled();
      return response.status;
    };
    return { send, sent, store };
  }

  test("is sent 120 times a minute at most; its successor and an inline key are sent at once", async () => {
    const { send, sent, store } = await storeAndRevoke();
    for (let tries = 0; tries < limit; tries++) expect(await send()).toBe(401);
    const calls = sent.length;
    expect(await send()).toBe(429);
    expect(sent).toHaveLength(calls);
    expect(await send({ "x-beta-key": "sk-ant-right" })).toBe(200);
    await store("sk-ant-new");
    expect(await send()).toBe(200);
  });

  test("keeps no inline key back that came with it for another provider", async () => {
    const { send } = await storeAndRevoke();
    const other = { "x-alpha-key": "sk-right" };
    for (let tries = 0; tries < limit; tries++) expect(await send(other)).toBe(401);
    expect(await send(other)).toBe(429);
    expect(await send({ ...other, "x-beta-key": "sk-ant-right" })).toBe(200);
  });
});

test("a key that lacks a permission for one model is no wrong key", async () => {
  const denied = ({ body }: Sent) =>
    (body as { model: string }).model === "claude-sonnet-4-5"
      ? Response.json({}, { status: 403 })
      : Response.json({ input_tokens: 3 });
  const { post } = createTestApp({ provider: [denied] });
  const { apiKey } = await newCaller(1_000_000);
  const [path, body, header] = paths[0];
  const send = async (fields: object) =>
    (await post(path, apiKey, { ...body, ...fields }, { [header]: "sk-ant-right" })).status;
  for (let tries = 0; tries < limit; tries++) expect(await send({})).toBe(401);
  expect(await send({ model: "svc-x1ac-base-claude-haiku-4-5" })).toBe(200);
});

describe("a model to go on with whose key was refused too often", () => {
  const named = (llm: string) => `svc-x1ac-base-${llm}`;
  const own = { "x-beta-key": "sk-ant-wrong" };
  /** Anthropic refuses the key; `pool` answers at OpenRouter. */
  async function refuseTooOften(pool: () => Response) {
    const answer = ({ url }: Sent) =>
      url.includes("anthropic") ? Response.json({}, { status: 401 }) : pool();
    const { post, sent } = createTestApp({ provider: [answer] });
    const { apiKey } = await newCaller(10_000_000);
    const send = async (path: string, body: object) => {
      const response = await post(path, apiKey, body, own);
      await response.settled();
      return response;
    };
    const [path, body] = paths[0];
    for (let tries = 0; tries < limit; tries++) await send(path, body);
    sent.length = 0;
    const ask = (models: string[]) =>
      send("/v1/chat/completions", { model: models[0], models: models.slice(1), messages, max_tokens: 9 });
    return { ask, sent };
  }

  test("is left out: the others are asked, in their order", async () => {
    const models = ["gpt-4o", "claude-sonnet-4-5", "gemini-2.5-flash"].map(named);
    const whole = await refuseTooOften(() => openaiStream(["Hello"], openaiUsage(9, 1)));
    expect((await whole.ask(models)).status).toBe(200);
    const failing = await refuseTooOften(() => Response.json({}, { status: 503 }));
    const refused = await failing.ask(models);
    expect(refused.status).toBe(502);
    const asked = new Set(failing.sent.map(({ body }) => body.model));
    expect([...asked]).toEqual(["openai/gpt-4o", "google/gemini-2.5-flash"]);
  });

  test("is not where it is asked for first", async () => {
    const { ask, sent } = await refuseTooOften(() => openaiStream(["Hello"], openaiUsage(9, 1)));
    expect((await ask(["claude-sonnet-4-5", "gpt-4o"].map(named))).status).toBe(429);
    expect(sent).toEqual([]);
  });
});
