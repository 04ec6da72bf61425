/**
 * `npm run files`: how many files one request passes, which is what somebody has to read to follow it. A file is
 * passed when a function of it is called (V8's precise coverage), not when it is loaded: one streamed chat request
 * through the edge, for each pair of dialects, and one plan through the gpu-worker. Ends with 1 over a bound.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createApiKey, hashApiKey } from "../edge/api-key.ts";
import { createAccount } from "../edge/db/accounts.ts";
import { addApiKey } from "../edge/db/api-keys.ts";
import { openDatabase } from "../edge/db/client.ts";
import { migrate } from "../scripts/migrate.ts";
import { startSqld } from "../scripts/self-host/sqld.ts";
import { createSigningKeys } from "../shared/signature.ts";
import { fixedPlan } from "./bench/rig/fixed-planner.ts";
import { launch } from "./gpu-worker/support/process.ts";
import { planRequest } from "./gpu-worker/support/worker.ts";
import { startFakeProvider } from "./support/fake-provider.ts";
import { ownKeys } from "./support/gateway.ts";
import { listenOnLoopback } from "./support/loopback.ts";

/**
 * How many files are passed today, by an OpenAI caller of OpenAI and by a plan. Whatever puts another file on these paths raises the bound
 * in the same commit, so that the growth is seen. The files of the chat hold 14,000 lines: at 250 a file it takes at least 56.
 */
const maxChatFiles = 110;
const maxPlanFiles = 47;

type Worker = { fetch(request: Request, bindings: object, context: object): Promise<Response> };

/** By a name that the compiler does not follow: the Worker's types are those of workerd, this file's are Node's. */
const entry: string = "../edge/index.ts";
const { default: worker } = (await import(entry)) as { default: Worker };

const root = fileURLToPath(new URL("..", import.meta.url));

type Coverage = {
  url: string;
  functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[];
};

/** Calls of each function, by file and place. */
function countCalls(scripts: readonly Coverage[]): Map<string, number> {
  const calls = new Map<string, number>();
  for (const { url, functions } of scripts) {
    if (!url.startsWith("file://")) continue;
    for (const { ranges } of functions) {
      const [{ startOffset, count }] = ranges as [{ startOffset: number; count: number }];
      const key = `${fileURLToPath(url).slice(root.length)}:${startOffset}`;
      calls.set(key, (calls.get(key) ?? 0) + count);
    }
  }
  return calls;
}

/** Files of these folders with a function that was called more often than before. */
function listFiles(
  folders: RegExp,
  after: Map<string, number>,
  before = new Map<string, number>(),
): string[] {
  const called = [...after].filter(([key, count]) => count > (before.get(key) ?? 0));
  const files = new Set(called.map(([key]) => key.slice(0, key.lastIndexOf(":"))));
  return [...files].filter((file) => folders.test(file)).sort();
}

/** A gpu-worker that gives one plan. */
const startFixedWorker = () =>
  listenOnLoopback(
    createServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(fixedPlan));
    }),
  );

const callers = {
  "chat/completions": {},
  messages: { max_tokens: 100 },
} as const;

/** The files that one streamed request passes, by caller's path and provider. */
async function followChats(): Promise<Map<string, string[]>> {
  const directory = await mkdtemp(join(tmpdir(), "svc-files-"));
  const sqld = await startSqld({ directory, port: 0 });
  const provider = await startFakeProvider();
  const fixed = await startFixedWorker();
  try {
    await migrate(sqld.url);
    const database = openDatabase({ url: sqld.url });
    await createAccount(database, {
      accountId: "acct_files",
      email: "a@example.com",
      creditMicro: 1e7,
      now: 1,
    });
    const apiKey = createApiKey(randomBytes(32));
    const key = {
      keyId: "key_files",
      accountId: "acct_files",
      name: "files",
      hash: await hashApiKey(apiKey),
    };
    await addApiKey(database, { ...key, now: 1 });
    const { privateJwk } = await createSigningKeys();
    const bindings = {
      LIBSQL_URL: sqld.url,
      GPU_WORKER_URLS: fixed.url,
      EDGE_SIGNING_KEY: JSON.stringify(privateJwk),
      ...Object.fromEntries(
        ownKeys.map(({ kind }) => [`${kind.toUpperCase()}_BASE_URL`, provider.url(kind)]),
      ),
    };
    const ask = async (path: string, model: string, headers: Record<string, string>) => {
      const work: Promise<unknown>[] = [];
      const context = {
        waitUntil: (given: Promise<unknown>) => void work.push(given),
        passThroughOnException() {},
      };
      const content = "Find the cheapest flight to Lisbon in May";
      const extra = callers[path as keyof typeof callers];
      const request = new Request(`http://127.0.0.1/v1/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
        body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content }], ...extra }),
      });
      const response = await worker.fetch(request, bindings, context);
      const text = await response.text();
      if (!response.ok) throw new Error(`${path} ${model}: ${response.status} ${text}`);
      await Promise.allSettled(work);
    };
    const session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    const passed = new Map<string, string[]>();
    for (const path of Object.keys(callers)) {
      for (const { kind, model, headers } of ownKeys) {
        await ask(path, model, headers);
        await session.post("Profiler.takePreciseCoverage");
        await ask(path, model, headers);
        const { result } = await session.post("Profiler.takePreciseCoverage");
        passed.set(`${path} from ${kind}`, listFiles(/^(edge|shared)\//, countCalls(result)));
      }
    }
    return passed;
  } finally {
    await fixed.stop();
    await provider.stop();
    await sqld.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Calls of each function in a gpu-worker, all its threads, that starts, makes so many plans, and ends. */
async function runWorker(plans: number): Promise<Map<string, number>> {
  const directory = await mkdtemp(join(tmpdir(), "svc-files-"));
  try {
    const started = await launch(join(root, "gpu-worker/main.ts"), {
      WORKER_THREADS: "1",
      NODE_V8_COVERAGE: directory,
    });
    for (let index = 0; index < plans; index++) {
      const answer = await started.plan(planRequest(`Find the cheapest flight to city ${index}`));
      if (!answer.ok) throw new Error(`plan: ${answer.status} ${await answer.text()}`);
      await answer.text();
    }
    started.process.kill("SIGTERM");
    await started.exited;
    const files = await readdir(directory);
    const scripts = await Promise.all(
      files.map(
        async (file) => JSON.parse(await readFile(join(directory, file), "utf8")).result as Coverage[],
      ),
    );
    return countCalls(scripts.flat());
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const chats = await followChats();
for (const [pair, files] of chats)
  process.stdout.write(`${pair}: ${files.length} files of edge and shared\n`);
const chat = chats.get("chat/completions from alpha")!;
process.stdout.write(`\n${chat.join("\n")}\n\n`);
const planned = listFiles(/^gpu-worker\//, await runWorker(2), await runWorker(1));
process.stdout.write(`a plan: ${planned.length} files of gpu-worker\n\n${planned.join("\n")}\n`);
if (chat.length > maxChatFiles || planned.length > maxPlanFiles) process.exitCode = 1;
