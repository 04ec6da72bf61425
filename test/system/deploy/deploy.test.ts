// The steps of README, "Deploy", walked on one machine: an outside database, printed keys, a gpu-worker with the public
// ones, the Worker of wrangler.toml on miniflare, the operator's CLI on the outside database.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startSqld } from "../../../scripts/self-host/sqld.ts";
import { launch } from "../../gpu-worker/support/process.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fake-provider.ts";
import { root } from "../../support/service.ts";
import { dryRun, startOnMiniflare } from "./wrangler.ts";

// wrangler bundles the Worker, and five processes are started: slow on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 300_000 });

const poolKey = "sk-or-v1-deployed-pool-key";
const gitSha = "0123456789abcdef0123456789abcdef01234567";
const fakeWorker = fileURLToPath(
  new URL("../../gpu-worker/support/run-with-fake-planner.ts", import.meta.url),
);
/** Ends of what was started, called in reverse order. */
const ends: (() => unknown)[] = [];
let edge: Awaited<ReturnType<typeof startOnMiniflare>>;
let upload: Awaited<ReturnType<typeof dryRun>>;
let provider: FakeProvider;
let apiKey: string;
let secrets: Record<string, string>;
let admin: (...words: string[]) => Promise<Record<string, unknown>>;

async function run(script: string, words: string[], env: Record<string, string> = {}) {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, script), ...words], {
    env: { PATH: process.env.PATH, ...env },
  });
  return stdout;
}

beforeAll(async () => {
  // Before the Worker is served: both build the console into the same folder.
  upload = await dryRun(["--var", "LIBSQL_URL:libsql://db.example.com"]);
  const directory = await mkdtemp(join(tmpdir(), "svc-deploy-"));
  ends.push(() => rm(directory, { recursive: true, force: true }));
  const database = await startSqld({ directory, port: 0 });
  ends.push(() => database.stop());
  admin = async (...words) =>
    JSON.parse(await run("scripts/admin.ts", [...words, "--json"], { LIBSQL_URL: database.url }));
  await admin("migrate");

  const printed = await run("scripts/print-keys.ts", []);
  secrets = Object.fromEntries(
    [...printed.matchAll(/^(\w+)='(.*)'$/gm)].map(([, name, value]) => [name!, value!]),
  );
  const worker = await launch(fakeWorker, { EDGE_PUBLIC_KEYS: secrets.EDGE_PUBLIC_KEYS! });
  ends.push(() => worker.process.kill("SIGKILL"));
  provider = await startFakeProvider();
  ends.push(() => provider.stop());
  provider.respond("router", { text: "A word from far away." });

  edge = await startOnMiniflare(
    {
      LIBSQL_URL: database.url,
      GPU_WORKER_URLS: worker.url!,
      ROUTER_BASE_URL: provider.url("router"),
      GIT_SHA: gitSha,
    },
    {
      EDGE_SIGNING_KEY: secrets.EDGE_SIGNING_KEY!,
      VAULT_KEYS: secrets.VAULT_KEYS!,
      POOL_ROUTER_KEY: poolKey,
      LIBSQL_AUTH_TOKEN: "",
    },
  );
  ends.push(() => edge.stop());
  const { account_id: account } = await admin(
    ...["account", "create", "--email", "you@example.com", "--credits", "5"],
  );
  const key = await admin("key", "create", "--account", String(account), "--name", "laptop");
  apiKey = String(key.api_key ?? key.key);
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

test("what would be uploaded is below 1 MiB compressed, and needs nothing that is not in the repository", async () => {
  const { gzipKib, output } = upload;
  process.stdout.write(`the edge's script: ${gzipKib} KiB compressed\n`);
  expect(gzipKib).toBeGreaterThan(50);
  expect(gzipKib).toBeLessThan(1024);
  expect(output).toContain("env.ASSETS");
  expect(output).toContain("LIBSQL_URL");
  expect(output).not.toMatch(/warn/i);
});

test("the Worker tells its release and what is loaded, serves the console, and lets nobody in without a key", async () => {
  const health = await fetch(`${edge.url}/health`);
  expect(health.status).toBe(200);
  expect(JSON.stringify(await health.json())).toContain(gitSha.slice(0, 7));
  const page = await fetch(`${edge.url}/`, { headers: { accept: "text/html" } });
  expect(page.headers.get("content-type")).toContain("text/html");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect((await fetch(`${edge.url}/v1/account/balance`)).status).toBe(401);
});

// The fake planner's only step has the goal as its name, so the goal is a name that the edge accepts.
test("a request is planned by the worker, answered by the provider with the pool's key, and charged", async () => {
  const response = await fetch(`${edge.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "svc-x1ac-base-gpt-4o-mini",
      messages: [{ role: "user", content: "find_train" }],
    }),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  expect(response.status, JSON.stringify(answer)).toBe(200);
  expect(answer).toMatchObject({
    choices: [{ message: { content: "A word from far away." } }],
    svc: { action_sequence: ["find_train"] },
  });
  const asked = provider.chats()[0];
  expect(asked?.headers.authorization).toBe(`Bearer ${poolKey}`);
  const books = await admin("ledger", "check");
  expect(books).toMatchObject({ ok: true });
});

test("the timer's work runs, and no secret is in what the Worker wrote", async () => {
  const swept = await fetch(`${edge.url}/cdn-cgi/handler/scheduled?cron=*+*+*+*+*`);
  expect(swept.status).toBe(200);
  const written = edge.output();
  for (const secret of [poolKey, apiKey, JSON.parse(secrets.EDGE_SIGNING_KEY!).d]) {
    expect(written).not.toContain(secret);
  }
});
