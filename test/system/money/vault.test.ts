// The vault and Idempotency-Key through the whole service: real workerd, real disconnects, restarts, files.
import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Caller, type Gateway, hello, readDeltas, startGateway } from "../../support/gateway.ts";
import { readFiles } from "../../support/read-files.ts";
import { root } from "../../support/service.ts";

const vaultCanary = "sk-proj-canary-vault-5c1f7a";
const promptCanary = "canaryprompt-quicksilver-8812";
const answerCanary = "canaryanswer-harlequin-3407";
const newKey = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;
const masterKeys = `${newKey("k2")},${newKey("k1")}`;

let gateway: Gateway;
let caller: Caller;
beforeAll(async () => {
  // The service seals by k1 and opens both; the CLI is given them in the new order.
  gateway = await startGateway({ VAULT_KEYS: masterKeys.split(",").reverse().join(",") });
  caller = await gateway.newCaller(100_000_000);
});
afterAll(() => gateway?.stop());

async function llmKeys(method: string, body?: unknown, query = "") {
  const response = await fetch(`${gateway.service.url}/v1/account/llm-keys${query}`, {
    method,
    headers: { authorization: `Bearer ${caller.apiKey}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const lastChat = () => gateway.provider.chats().at(-1);
const keySource = async (response: Response) => /"key_source":"(user|pool)"/.exec(await response.text())?.[1];

describe("a stored key", () => {
  test("is validated, used in JSON and in streams, kept over a killed edge, and gone when deleted", async () => {
    expect(await llmKeys("POST", { alpha_key: vaultCanary })).toMatchObject({
      status: 200,
      body: { success: true },
    });
    const validated = gateway.provider.requests.find(
      ({ kind, endpoint }) => kind === "alpha" && endpoint === "models",
    );
    expect(validated?.headers.authorization).toBe(`Bearer ${vaultCanary}`);
    for (const stream of [false, true]) {
      expect(await keySource(await caller.chat({ ...hello, stream }))).toBe("user");
      expect(lastChat()).toMatchObject({
        kind: "alpha",
        headers: { authorization: `Bearer ${vaultCanary}` },
      });
    }
    await gateway.service.kill("edge");
    await expect
      .poll(async () => (await caller.chat(hello).catch(() => undefined))?.status, { timeout: 20_000 })
      .toBe(200);
    expect(lastChat()?.headers.authorization).toBe(`Bearer ${vaultCanary}`);
    expect((await llmKeys("GET")).body).toMatchObject({ has_alpha_key: true, has_beta_key: false });
    expect((await llmKeys("DELETE", undefined, "?provider=alpha")).status).toBe(200);
    expect(await keySource(await caller.chat(hello))).toBe("pool");
  });

  test("rejected by its provider is not stored", async () => {
    gateway.provider.respond("beta", { status: 401 }, "models");
    expect(await llmKeys("POST", { beta_key: "sk-ant-wrong", alpha_key: vaultCanary })).toMatchObject({
      status: 400,
      body: {
        error: "validation_failed",
        provider: "beta",
        message: expect.stringMatching(/^Invalid API key/),
      },
    });
    expect((await llmKeys("GET")).body).toMatchObject({ has_alpha_key: false, has_beta_key: false });
  });

  test("goes on working while `vault rotate` moves it under another master key", async () => {
    await llmKeys("POST", { alpha_key: vaultCanary });
    let asking = true;
    const sources = new Set<string | undefined>();
    const clients = Promise.all(
      [1, 2].map(async () => {
        while (asking) sources.add(await keySource(await caller.chat(hello)));
      }),
    );
    const words = ["scripts/admin.ts", "vault", "rotate", "--json"];
    const env = { ...gateway.service.env, VAULT_KEYS: masterKeys };
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root, env });
    expect(JSON.parse(stdout)).toMatchObject({ sealed_by: "k2", resealed: 1, unreadable: [] });
    await keySource(await caller.chat(hello));
    asking = false;
    await clients;
    expect([...sources]).toEqual(["user"]);
    await llmKeys("DELETE");
  });
});

describe("Idempotency-Key", () => {
  const ask = (key: string, body: object, signal?: AbortSignal) =>
    caller.chat({ ...hello, ...body }, { headers: { "idempotency-key": key }, ...(signal && { signal }) });
  const chats = () => gateway.provider.chats().length;

  test.each([false, true])(
    "replays the same bytes without a call or a charge (stream: %s)",
    async (stream) => {
      const key = randomUUID();
      const body = { stream, messages: [{ role: "user", content: promptCanary }] };
      gateway.provider.respond("router", { text: answerCanary });
      const first = await (await ask(key, body)).text();
      const [calls, charges] = [chats(), (await caller.charges()).length];
      const again = await ask(key, body);
      expect(await again.text()).toBe(first);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      expect([chats(), (await caller.charges()).length]).toEqual([calls, charges]);
      expect(first).toContain(answerCanary);
    },
  );

  test.each([false, true])(
    "a caller that loses its connection comes back for the whole answer (stream: %s)",
    async (stream) => {
      const key = randomUUID();
      const { promise: goOn, resolve: open } = Promise.withResolvers<void>();
      gateway.provider.respond("router", { text: "one two three four five six seven", hangAfter: 6, goOn });
      const leaving = new AbortController();
      const calls = chats();
      const asked = ask(key, { stream }, leaving.signal);
      if (stream) await readDeltas(await asked, 2);
      else await expect.poll(chats).toBe(calls + 1);
      leaving.abort();
      await asked.catch(() => {});
      const while_ = await ask(key, { stream });
      expect(while_.status).toBe(409);
      expect(Number(while_.headers.get("retry-after"))).toBeGreaterThan(0);
      open();
      await expect.poll(async () => (await ask(key, { stream })).status).toBe(200);
      const whole = await (await ask(key, { stream })).text();
      expect(whole).toContain("seven");
      if (stream) expect(whole).toMatch(/data: \[DONE\]\n\n$/);
      expect(chats()).toBe(calls + 1);
      expect(lastChat()?.closedEarly).toBe(false);
    },
  );
});

test("nothing of it can be read in a file or in the log", async () => {
  await llmKeys("POST", { alpha_key: vaultCanary });
  const { dataDir } = gateway.service;
  const files = (await readFiles(join(dataDir, "db"))).map(([, text]) => text);
  expect(files.some((text) => text.includes(caller.accountId))).toBe(true);
  const secrets = [
    vaultCanary,
    vaultCanary.slice(8),
    promptCanary,
    answerCanary,
    ...masterKeys.split(",").map((key) => key.slice(3)),
  ];
  for (const text of [...files, gateway.service.stderr(), gateway.service.stdout()]) {
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  }
});
