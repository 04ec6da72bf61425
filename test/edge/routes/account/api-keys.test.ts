import { sql } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { readAccount } from "../../../../edge/db/accounts.ts";
import { build, prepare } from "../../../../edge/db/client.ts";
import { openTestDatabase } from "../../support/accounts.ts";
import { createTestApp, newCaller } from "../../support/app.ts";

// Many at once on a busy machine.
vi.setConfig({ testTimeout: 30_000 });
const path = "/v1/account/api-keys";
const model = "svc-x1ac-base-gpt-4o";
const hello = { model, messages: [{ role: "user", content: "go" }], max_tokens: 20 };
const manager = (creditMicro = 1_000_000) => newCaller(creditMicro, { manage: true });

type Listed = Record<string, unknown> & { id: string; api_key: string };

function openKeys(app: ReturnType<typeof createTestApp>, apiKey: string) {
  const ask = async (method: string, at: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const response = await app.send(at, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json<Listed>() };
  };
  return {
    list: async () => (await ask("GET", path)).body.data as Listed[],
    get: () => ask("GET", path),
    create: (body: unknown) => ask("POST", path, body),
    change: (id: string, body: unknown) => ask("PATCH", `${path}/${id}`, body),
    end: (id: string) => ask("DELETE", `${path}/${id}`),
  };
}

describe("a list of keys", () => {
  test("holds the active ones and the newest of those that ended, five hundred in all", async () => {
    const caller = await manager();
    const ended = prepare(
      build.run(sql`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 600)
        INSERT INTO api_keys (id, account_id, name, hash, slot, created_at, revoked_at)
        SELECT ${sql.placeholder("accountId")} || n, ${sql.placeholder("accountId")}, 'ended ' || n,
          ${sql.placeholder("accountId")} || n, 1, 9999999000000 + n, 9999999000000 + n FROM numbers`),
    );
    await openTestDatabase().execute(ended, { accountId: caller.accountId });
    const keys = openKeys(createTestApp(), caller.apiKey);
    const listed = await keys.list();
    expect(listed).toHaveLength(500);
    expect(listed.filter(({ revoked_at: at }) => at === null)).toHaveLength(1);
    expect(listed.at(-1)).toMatchObject({ name: "ended 600" });
    expect(listed.some(({ name }) => name === "ended 1")).toBe(false);
  });
});

describe("keys by API", () => {
  test("are made, listed without their secret, used, changed and deleted at once", async () => {
    const app = createTestApp();
    const caller = await manager();
    const keys = openKeys(app, caller.apiKey);
    const made = await keys.create({ name: "laptop" });
    expect(made.status).toBe(201);
    expect(made.headers.get("cache-control")).toBe("no-store");
    const { api_key: apiKey, ...record } = made.body;
    expect(record).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{32}$/),
      name: "laptop",
      prefix: apiKey.slice(0, 16),
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      last_used_at: null,
      expires_at: null,
      monthly_budget: null,
      spent_this_month: 0,
      models: null,
      manage: false,
      revoked_at: null,
    });
    const charged = (await app.chat(apiKey, hello)).headers.get("x-svc-credits-charged");
    const listed = (await keys.list()).find(({ id }) => id === record.id)!;
    expect(listed).toMatchObject({ spent_this_month: Number(charged), last_used_at: expect.any(String) });
    expect(JSON.stringify(await keys.list())).not.toContain(apiKey.slice(16));

    const changed = await keys.change(record.id, { name: "desk", monthly_budget: 2.5, models: [model] });
    expect(changed).toMatchObject({
      status: 200,
      body: { name: "desk", monthly_budget: 2.5, models: [model] },
    });
    expect((await keys.change(record.id, { monthly_budget: null })).body).toMatchObject({
      name: "desk",
      monthly_budget: null,
      models: [model],
    });

    expect(await keys.end(record.id)).toMatchObject({ status: 200, body: { success: true } });
    expect((await app.chat(apiKey, hello)).status).toBe(401);
    expect((await keys.list()).find(({ id }) => id === record.id)?.revoked_at).toEqual(expect.any(String));
    expect(await keys.end(record.id)).toMatchObject({ status: 200 });
    expect(await keys.change(record.id, { name: "x" })).toMatchObject({
      status: 404,
      body: { error: "not_found" },
    });
  });

  test("need a key that may manage, and errors are flat", async () => {
    const app = createTestApp();
    const caller = await newCaller(1);
    const keys = openKeys(app, caller.apiKey);
    const answers = [
      await keys.get(),
      await keys.create({ name: "x" }),
      await keys.change("key_1", {}),
      await keys.end("key_1"),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(403);
      expect(body).toEqual({ error: "permission_denied", message: expect.any(String) });
    }
    expect(await openKeys(app, "svc_sk_live_x").get()).toMatchObject({
      status: 401,
      body: { error: "authentication_failed", message: expect.any(String) },
    });
  });

  test("made by a key never manage, nor can a key be made to", async () => {
    const app = createTestApp();
    const keys = openKeys(app, (await manager()).apiKey);
    expect(await keys.create({ name: "x", manage: true })).toMatchObject({ status: 400 });
    const made = await keys.create({ name: "x" });
    expect(await keys.change(made.body.id, { manage: true })).toMatchObject({ status: 400 });
    expect((await openKeys(app, made.body.api_key).get()).status).toBe(403);
  });

  test("are at most three active, under any race; the fourth is 409 limit_reached", async () => {
    const keys = openKeys(createTestApp(), (await manager()).apiKey);
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, index) => keys.create({ name: `k${index}` })),
    );
    expect(made.filter(({ status }) => status === 201)).toHaveLength(2);
    const refused = made.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(10);
    expect(refused[0]!.body).toEqual({
      error: "limit_reached",
      message: expect.stringContaining("3 active"),
    });
    await keys.end(made.find(({ status }) => status === 201)!.body.id);
    expect((await keys.create({ name: "again" })).status).toBe(201);
  });

  test("of other accounts do not exist", async () => {
    const app = createTestApp();
    const [one, two] = [await manager(), await manager()];
    const keys = openKeys(app, two.apiKey);
    expect(await keys.change(one.keyId, { name: "stolen" })).toMatchObject({ status: 404 });
    expect(await keys.end(one.keyId)).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect((await app.chat(one.apiKey, hello)).status).toBe(200);
    expect(await openKeys(app, one.apiKey).list()).toMatchObject([{ name: "test", revoked_at: null }]);
    expect((await keys.list()).map(({ id }) => id)).toEqual([two.keyId]);
  });

  test.each<[string, object]>([
    ["no name", {}],
    ["an empty name", { name: "  " }],
    ["a budget below nothing", { name: "x", monthly_budget: -1 }],
    ["a budget finer than a micro-credit", { name: "x", monthly_budget: 0.0000001 }],
    ["a budget that is no number", { name: "x", monthly_budget: "5" }],
    ["a time that is none", { name: "x", expires_at: "tomorrow" }],
    ["a time that has passed", { name: "x", expires_at: "2020-01-01T00:00:00Z" }],
    ["no model on the list", { name: "x", models: [] }],
    ["a model nobody knows", { name: "x", models: ["svc-x1ac-base-nonsense"] }],
    ["a field nobody knows", { name: "x", budget: 5 }],
  ])("with %s are 400 and none is made", async (_, body) => {
    const keys = openKeys(createTestApp(), (await manager()).apiKey);
    expect(await keys.create(body)).toMatchObject({
      status: 400,
      body: { error: "invalid_request", message: expect.any(String) },
    });
    expect(await keys.list()).toHaveLength(1);
  });
});

describe("a key's expiry", () => {
  test.each(["tomorrow", "2027-01-31"])(
    "that is no time is told how to be written: %s",
    async (expires_at) => {
      const keys = openKeys(createTestApp(), (await manager()).apiKey);
      const { body } = await keys.create({ name: "x", expires_at });
      expect(body).toMatchObject({
        message: expect.stringContaining("expires_at: must be a time such as 2027-01-31T00:00:00Z"),
      });
    },
  );

  test("is 401 invalid_api_key from that moment, and moved it works again", async () => {
    let now = Date.UTC(2026, 10, 22);
    const app = createTestApp({ now: () => now });
    const keys = openKeys(app, (await manager()).apiKey);
    const { body } = await keys.create({ name: "week", expires_at: "2026-11-29T00:00:00Z" });
    expect(body.expires_at).toBe("2026-11-29T00:00:00.000Z");
    expect((await app.chat(body.api_key, hello)).status).toBe(200);
    now = Date.parse("2026-11-29T00:00:00Z");
    const refused = await app.chat(body.api_key, hello);
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({
      error: { code: "invalid_api_key", message: expect.stringContaining("expired") },
    });
    const headers = { authorization: `Bearer ${body.api_key}` };
    expect((await app.send("/v1/account/balance", { headers })).status).toBe(401);
    await keys.change(body.id, { expires_at: "2026-12-24T00:00:00+01:00" });
    expect((await app.chat(body.api_key, hello)).status).toBe(200);
  });

  test("past makes room where all three places are taken", async () => {
    let now = Date.UTC(2026, 10, 22);
    const keys = openKeys(createTestApp({ now: () => now }), (await manager()).apiKey);
    const { body } = await keys.create({ name: "short", expires_at: new Date(now + 1000).toISOString() });
    expect((await keys.create({ name: "long" })).status).toBe(201);
    expect((await keys.create({ name: "more" })).status).toBe(409);
    now += 1000;
    expect((await keys.create({ name: "more" })).status).toBe(201);
    expect((await keys.create({ name: "even more" })).status).toBe(409);
    expect((await keys.change(body.id, { expires_at: null })).status).toBe(404);
  });

  test("past keeps its place while another is free, so that it can be moved", async () => {
    let now = Date.UTC(2026, 10, 22);
    const keys = openKeys(createTestApp({ now: () => now }), (await manager()).apiKey);
    const { body } = await keys.create({ name: "short", expires_at: new Date(now + 1000).toISOString() });
    now += 1000;
    expect((await keys.create({ name: "more" })).status).toBe(201);
    expect((await keys.change(body.id, { expires_at: null })).status).toBe(200);
  });
});

describe("a key's budget", () => {
  test("is 402 that says budget, exact under 30 requests at once, and nothing else of the account is touched", async () => {
    const app = createTestApp();
    const caller = await manager();
    const keys = openKeys(app, caller.apiKey);
    const { body } = await keys.create({ name: "small", monthly_budget: 0.002 });
    const answers = await Promise.all(Array.from({ length: 30 }, () => app.chat(body.api_key, hello)));
    const refused = answers.filter(({ status }) => status === 402);
    expect(answers.filter(({ status }) => status === 200).length + refused.length).toBe(30);
    expect(refused.length).toBeGreaterThan(0);
    expect(await refused[0]!.json()).toMatchObject({
      error: { code: "insufficient_credits", message: expect.stringContaining("budget") },
    });
    await Promise.all(answers.map(async (answer) => (answer.bodyUsed ? "" : answer.text())));
    await Promise.all(answers.map((answer) => answer.settled()));
    const spent = (await keys.list()).find(({ id }) => id === body.id)!.spent_this_month as number;
    const charged = (await caller.charges()).reduce((sum, { amountMicro }) => sum - amountMicro, 0);
    expect(Math.round(spent * 1_000_000)).toBe(charged);
    expect(spent).toBeLessThanOrEqual(0.002);
    expect((await app.chat(caller.apiKey, hello)).status).toBe(200);
    const account = await readAccount(app.database, caller.accountId);
    expect(account!.balanceMicro).toBeGreaterThan(980_000);
  });
});

describe("a key's list of models", () => {
  test.each<[string, object, number]>([
    ["a model on it", { model }, 200],
    ["an older name of a model on it", { model: "svc-x1ac-base-claude-sonnet-4" }, 200],
    ["another model", { model: "svc-x1ac-base-gpt-4o-mini" }, 403],
    ["another size", { model: "svc-x1ac-large-gpt-4o" }, 403],
    ["another model to fall back on", { model, models: ["svc-x1ac-base-gpt-4o-mini"] }, 403],
    ["a model nobody knows", { model: "svc-x1ac-base-nonsense" }, 404],
  ])("answers %s", async (_, asked, status) => {
    const app = createTestApp();
    const keys = openKeys(app, (await manager()).apiKey);
    const { body } = await keys.create({ name: "x", models: [model, "svc-x1ac-base-claude-sonnet-4"] });
    expect(body.models).toEqual([model, "svc-x1ac-base-claude-sonnet-4-6"]);
    const response = await app.chat(body.api_key, { ...hello, ...asked });
    expect(response.status).toBe(status);
    if (status === 403) {
      expect(await response.json()).toMatchObject({
        error: {
          type: "permission_error",
          code: "permission_denied",
          message: expect.stringContaining(model),
        },
      });
      expect(app.sent).toHaveLength(0);
    }
  });

  test.each<[string, string, object]>([
    ["messages", "/v1/messages", { ...hello, model: "svc-x1ac-base-gpt-4o-mini" }],
    ["count_tokens", "/v1/messages/count_tokens", { ...hello, model: "svc-x1ac-base-gpt-4o-mini" }],
    ["responses", "/v1/responses", { model: "svc-x1ac-base-gpt-4o-mini", input: "go" }],
    ["compact", "/v1/responses/compact", { model: "svc-x1ac-base-gpt-4o-mini", input: "go" }],
    ["input_tokens", "/v1/responses/input_tokens", { model: "svc-x1ac-base-gpt-4o-mini", input: "go" }],
    ["embeddings", "/v1/embeddings", { model: "svc-x1ac-base", input: "x" }],
    ["rollout", "/v1/rollout", { goal: "x" }],
  ])("holds on %s too", async (_, at, body) => {
    const app = createTestApp();
    const caller = await newCaller(1_000_000, { models: [model] });
    const headers = { "x-api-key": caller.apiKey, "content-type": "application/json" };
    const response = await app.send(at, { method: "POST", headers, body: JSON.stringify(body) });
    expect(response.status).toBe(403);
    expect(await response.text()).toMatch(/permission_(denied|error)/);
  });
});
