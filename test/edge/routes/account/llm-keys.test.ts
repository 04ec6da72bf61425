import { describe, expect, test } from "vitest";
import { type ProviderKind, providerKinds } from "../../../../shared/providers.ts";
import { createTestApp, newCaller, type Sent } from "../../support/app.ts";
import { listed, newClient, path } from "../../support/llm-keys-client.ts";

const goodKeys = {
  alpha_key: "sk-proj-alpha-canary",
  beta_key: "sk-ant-beta-canary",
  gamma_key: "AIzaGammaCanary",
  router_key: "sk-or-v1-router-canary",
};

const nothing = {
  pool_keys_available: true,
  has_alpha_key: false,
  has_beta_key: false,
  has_gamma_key: false,
  has_router_key: false,
  alpha_last_validated: null,
  beta_last_validated: null,
  gamma_last_validated: null,
  router_last_validated: null,
};

describe("storing provider keys", () => {
  test("tries 120 keys a minute: further wrong ones are not sent from the operator's address", async () => {
    const wrong = () => Response.json({}, { status: 401 });
    const { ask, sent } = await newClient({ provider: [wrong] });
    for (let tries = 0; tries < 30; tries++)
      expect(await ask("POST", { body: goodKeys })).toMatchObject({ status: 400 });
    const refused = await ask("POST", { body: { alpha_key: "sk-proj-one-more-key" } });
    expect(refused).toMatchObject({ status: 429, body: { error: "rate_limit_exceeded" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(sent).toHaveLength(120);
  });

  test("asks each provider with the key in its own header, stores them and says when", async () => {
    const { ask, sent, status } = await newClient();
    expect(await status()).toEqual(nothing);
    const before = Date.now();
    expect(await ask("POST", { body: goodKeys })).toMatchObject({
      status: 200,
      body: { success: true, message: expect.stringMatching(/validated and stored/) },
    });
    const asked = Object.fromEntries(sent.map(({ url, headers }) => [url, headers]));
    expect(asked["https://api.openai.com/v1/models"]?.get("authorization")).toBe(
      "Bearer sk-proj-alpha-canary",
    );
    expect(asked["https://api.anthropic.com/v1/models"]?.get("x-api-key")).toBe("sk-ant-beta-canary");
    expect(asked["https://api.anthropic.com/v1/models"]?.get("anthropic-version")).toBe("2023-06-01");
    const gamma = "https://generativelanguage.googleapis.com/v1beta/models";
    expect(asked[gamma]?.get("x-goog-api-key")).toBe("AIzaGammaCanary");
    expect(asked["https://openrouter.ai/api/v1/key"]?.get("authorization")).toBe(
      "Bearer sk-or-v1-router-canary",
    );
    const after = await status();
    for (const kind of providerKinds) {
      expect(after[`has_${kind}_key`]).toBe(true);
      const at = after[`${kind}_last_validated`] as string;
      expect(at).toBe(new Date(at).toISOString());
      expect(Date.parse(at)).toBeGreaterThanOrEqual(before);
    }
    expect(JSON.stringify(after)).not.toMatch(/canary/i);
  });

  test("takes a Gemini key of either form", async () => {
    const { ask, sent } = await newClient();
    const keys = ["AIzaOlder", "AQ.Ab8RN6-Newer_1"];
    for (const gamma_key of keys) {
      expect(await ask("POST", { body: { gamma_key } })).toMatchObject({ status: 200 });
    }
    expect(sent.map(({ headers }) => headers.get("x-goog-api-key"))).toEqual(keys);
  });

  test("leaves omitted keys as they are and replaces sent ones", async () => {
    const { ask, status } = await newClient();
    await ask("POST", { body: { alpha_key: "sk-one", beta_key: "sk-ant-one" } });
    const first = await status();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await ask("POST", { body: { beta_key: "sk-ant-two" } });
    const second = await status();
    expect(second).toMatchObject({
      has_alpha_key: true,
      alpha_last_validated: first.alpha_last_validated,
    });
    expect(second.beta_last_validated).not.toBe(first.beta_last_validated);
    expect(await ask("POST", { body: {} })).toMatchObject({ status: 200, body: { success: true } });
    expect(await status()).toEqual(second);
  });

  test.each<[string, unknown, ProviderKind | undefined]>([
    ["a key of the wrong form", { alpha_key: "pk-1" }, "alpha"],
    ["another provider's key", { alpha_key: "sk-ant-1" }, "alpha"],
    ["a router key for beta", { beta_key: "sk-or-1" }, "beta"],
    ["a form without its rest", { gamma_key: "AIza" }, "gamma"],
    ["Google's newer form without its rest", { gamma_key: "AQ." }, "gamma"],
    ["an empty key", { router_key: "" }, "router"],
    ["line breaks in a key", { router_key: "sk-or-1\r\nx: y" }, "router"],
    ["letters that no header takes", { alpha_key: "sk-ключ" }, "alpha"],
    ["a key that is no string", { alpha_key: 5 }, "alpha"],
    ["null", { alpha_key: null }, "alpha"],
    ["a key without end", { alpha_key: `sk-${"x".repeat(600)}` }, "alpha"],
    ["a misspelt field", { openai_key: "sk-1" }, undefined],
    ["a list", [], undefined],
    ["no JSON", "{", undefined],
    ["one bad key among good ones", { ...goodKeys, gamma_key: "nope" }, "gamma"],
  ])("refuses %s before asking anybody", async (_, body, provider) => {
    const { ask, sent, status } = await newClient();
    const refused = await ask("POST", { body });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: "invalid_request", message: expect.any(String) },
    });
    expect(refused.body.provider).toBe(provider);
    expect(refused.headers.get("x-should-retry")).toBe("false");
    expect(sent).toEqual([]);
    expect(await status()).toEqual(nothing);
  });

  test.each<[ProviderKind, string, string, number]>([
    ["alpha", "alpha_key", "api.openai.com", 401],
    ["beta", "beta_key", "api.anthropic.com", 401],
    ["gamma", "gamma_key", "googleapis.com", 400],
    ["router", "router_key", "openrouter.ai", 401],
  ])("stores nothing when %s refuses its key", async (provider, _field, host, code) => {
    const answer = ({ url }: Sent) => (url.includes(host) ? new Response("{}", { status: code }) : listed());
    const { ask, status } = await newClient({ provider: [answer] });
    const refused = await ask("POST", { body: goodKeys });
    expect(refused).toMatchObject({ status: 400, body: { error: "validation_failed", provider } });
    expect(refused.headers.get("x-should-retry")).toBe("false");
    expect(refused.body.message).toMatch(new RegExp(`^Invalid API key.*${provider}`));
    expect(JSON.stringify(refused.body)).not.toMatch(/canary/i);
    expect(await status()).toEqual(nothing);
  });

  test.each<[string, (sent: Sent) => Response | Promise<Response>]>([
    ["fails", () => new Response("", { status: 500 })],
    ["is asked too often", () => new Response("", { status: 429 })],
    ["redirects", () => Response.redirect("https://elsewhere.example/models")],
    ["cannot be reached", () => Promise.reject(new TypeError("refused"))],
  ])("is unavailable, not a rejection, when a provider %s", async (_, answer) => {
    const { ask, status } = await newClient({ provider: [answer] });
    const refused = await ask("POST", { body: { alpha_key: "sk-1" } });
    expect(refused).toMatchObject({ status: 503, body: { error: "service_unavailable", provider: "alpha" } });
    expect(await status()).toEqual(nothing);
  });
});

describe("deleting provider keys", () => {
  test("takes one, or all", async () => {
    const { ask, status } = await newClient();
    await ask("POST", { body: goodKeys });
    expect(await ask("DELETE", { query: "?provider=beta" })).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect(await status()).toMatchObject({
      has_alpha_key: true,
      has_beta_key: false,
      beta_last_validated: null,
    });
    expect(await ask("DELETE")).toMatchObject({ status: 200, body: { success: true } });
    expect(await status()).toEqual(nothing);
    expect(await ask("DELETE")).toMatchObject({ status: 200, body: { success: true } });
  });

  test.each([
    "?provider=openai",
    "?provider=",
    "?provider=__proto__",
    "?providers=alpha",
    "?provider=alpha&all=1",
    "?provider=alpha&provider=beta",
    "?__proto__=alpha",
  ])("refuses %s", async (query) => {
    const { ask, status } = await newClient();
    await ask("POST", { body: { alpha_key: "sk-1" } });
    expect(await ask("DELETE", { query })).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(await status()).toMatchObject({ has_alpha_key: true });
  });

  test("does not touch another account", async () => {
    const [first, second] = [await newClient(), await newClient()];
    await first.ask("POST", { body: { alpha_key: "sk-1" } });
    await second.ask("DELETE");
    expect(await first.status()).toMatchObject({ has_alpha_key: true });
  });
});

describe("errors of the key endpoints", () => {
  test.each(["GET", "POST", "DELETE"])("%s is unavailable without a vault", async (method) => {
    const { ask } = await newClient({ vault: undefined });
    const body = method === "POST" ? { body: { alpha_key: "sk-1" } } : {};
    expect(await ask(method, body)).toMatchObject({
      status: 503,
      body: { error: "service_unavailable", message: expect.stringMatching(/vault is disabled/) },
    });
  });

  test.each(["GET", "POST", "DELETE"])("%s with a wrong key is flat", async (method) => {
    const { ask } = await newClient();
    expect(await ask(method, { key: "svc_sk_live_wrong" })).toMatchObject({
      status: 401,
      body: { error: "authentication_failed", message: expect.any(String) },
    });
  });

  test("another method is flat too, and says which there are", async () => {
    const { ask } = await newClient();
    const refused = await ask("PUT", { body: {} });
    expect(refused).toMatchObject({ status: 405, body: { error: "method_not_allowed" } });
    expect(refused.headers.get("allow")).toBe("GET, HEAD, POST, DELETE");
  });

  test("whether the pool is there is said", async () => {
    const { status } = await newClient({ pool: { on: false } });
    expect(await status()).toEqual({ ...nothing, pool_keys_available: false });
  });
});

describe("a key that was made for less than the account", () => {
  test.each([
    ["a list of models", { models: ["svc-x1ac-base-gpt-4o"] }],
    ["a budget", { monthlyBudgetMicro: 1 }],
    ["an end", { expiresAt: Date.now() + 3_600_000 }],
  ])("with %s changes none of its provider keys, and sees which there are", async (_name, limit) => {
    const caller = await newCaller(0, limit);
    const app = createTestApp({ provider: [listed] });
    const headers = { authorization: `Bearer ${caller.apiKey}`, "content-type": "application/json" };
    const body = JSON.stringify({ router_key: goodKeys.router_key });
    for (const init of [{ method: "POST", body }, { method: "DELETE" }]) {
      const response = await app.send(path, { ...init, headers });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ error: "permission_denied" });
    }
    expect(app.sent).toEqual([]);
    expect((await app.send(path, { headers })).status).toBe(200);
  });

  test("may, where it was made to manage the account", async () => {
    const caller = await newCaller(0, { manage: true, expiresAt: Date.now() + 3_600_000 });
    const app = createTestApp({ provider: [listed] });
    const headers = { authorization: `Bearer ${caller.apiKey}`, "content-type": "application/json" };
    const response = await app.send(path, { method: "DELETE", headers });
    expect(response.status).toBe(200);
  });
});
