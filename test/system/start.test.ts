// `npm start` from outside: its output, its files, restarts of its parts, its end.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAlive, root, startService, type TestService, untilGone } from "../support/service.ts";

const children = ["edge", "sqld", "gpu-worker", "offline"] as const;

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "svc-start-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

async function pidsOf(service: TestService): Promise<number[]> {
  const run = JSON.parse(await readFile(join(service.dataDir, "run.json"), "utf8"));
  return [run.pid, ...run.children.map(({ pid }: { pid: number }) => pid)];
}

async function portsOf(service: TestService): Promise<number[]> {
  const run = JSON.parse(await readFile(join(service.dataDir, "run.json"), "utf8"));
  return [run.url, run.libsqlUrl].map((url: string) => Number(new URL(url).port));
}

/** Processes that `pid` has started and that still run (proc(5): the threads of a process each list their own). */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  // A thread may end between the two readings.
  const lists = threads.map((thread) =>
    readFile(`/proc/${pid}/task/${thread}/children`, "utf8").catch(() => ""),
  );
  return (await Promise.all(lists)).flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((answer) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => answer(true)).once("error", () => answer(false));
    socket.once("connect", () => socket.destroy());
  });
}

/** Nothing of the service is left: no process, no port. */
async function expectGone(pids: number[], ports: number[]): Promise<void> {
  await Promise.all(pids.map(untilGone));
  expect(await Promise.all(ports.map(isOpen))).toEqual(ports.map(() => false));
}

/** Runs a start that is refused. `before`: a shell command that is run first. @returns its exit status and what it wrote */
async function refusedStart(
  env: Record<string, string>,
  before = ":",
): Promise<{ code: number; stderr: string }> {
  const child = spawn("/bin/sh", ["-c", `${before}; exec "$0" scripts/start.ts`, process.execPath], {
    cwd: root,
    env: { PATH: process.env.PATH, PORT: "0", WORKER_PORT: "0", DB_PORT: "0", ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  // Not "exit", after which the rest of what it wrote may still come.
  const [code] = await once(child, "close");
  return { code, stderr };
}

const health = async (url: string) =>
  (await fetch(`${url}/health`)).json() as Promise<Record<string, unknown>>;

describe("the first start", () => {
  let service: TestService;
  let pids: number[];
  let ports: number[];
  beforeAll(async () => {
    service = await startService({ dataDir, by: "npm" });
    pids = await pidsOf(service);
    ports = await portsOf(service);
  });

  test("leaves nothing running but its parts", async () => {
    const [supervisor, ...parts] = pids;
    await expect.poll(async () => (await childrenOf(supervisor!)).sort()).toEqual(parts.sort());
  });
  afterAll(() => service?.stop());

  test("ends its output with the ready line, and is then ready", async () => {
    expect(service.stdout().trimEnd().split("\n").at(-1)).toBe(`ready ${service.url}`);
    expect(await health(service.url)).toMatchObject({ status: "healthy", svc_models_loaded: ["base"] });
  });

  test("runs every part as a child of its own", () => {
    expect(pids).toHaveLength(1 + children.length);
    expect(new Set(pids).size).toBe(pids.length);
  });

  test("prints a curl line that works as it stands", async () => {
    const line = service
      .stdout()
      .split("\n")
      .find((text) => text.startsWith("curl "))!;
    const { stdout } = await promisify(execFile)("sh", ["-c", line]);
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({ object: "chat.completion", svc: { key_source: "pool" } });
    expect(answer.choices[0].message.content).toMatch(/offline/i);
    expect(answer.svc.action_sequence.length).toBeGreaterThan(0);
  });

  test("says that it is offline and which variables replace the responder", () => {
    expect(service.stderr()).toMatch(/offline: .*POOL_ROUTER_KEY.*ROUTER_BASE_URL/);
  });

  test("keeps the demo key and the secrets for the owner only", async () => {
    for (const name of ["demo-key", "secrets.json", "run.json"]) {
      expect((await stat(join(dataDir, name))).mode & 0o777, name).toBe(0o600);
    }
  });

  test("puts no secret on a command line or into the log", async () => {
    const secrets = JSON.parse(await readFile(join(dataDir, "secrets.json"), "utf8"));
    const { authToken } = await service.readLibsql();
    const private_ = [secrets.signingKey.d, secrets.vaultKeys, service.demoKey, authToken];
    const commandLines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8")));
    const config = await readFile(join(dataDir, "edge", "edge.capnp"), "utf8");
    for (const text of [...commandLines, config, service.stderr()]) {
      for (const secret of private_) expect(text).not.toContain(secret);
    }
  });

  test("has a database that answers nobody else on this machine", async () => {
    const { url } = await service.readLibsql();
    const body = JSON.stringify({ requests: [{ type: "execute", stmt: { sql: "SELECT * FROM accounts" } }] });
    expect((await fetch(`${url}/v2/pipeline`, { method: "POST", body })).status).toBe(401);
  });

  test("refuses a second service on the same DATA_DIR and says where the first is", async () => {
    const { code, stderr } = await refusedStart({ DATA_DIR: dataDir });
    expect(code).toBe(1);
    expect(stderr).toContain(`already runs on DATA_DIR ${dataDir} at ${service.url}`);
  });

  test("refuses a port that is taken, and names its variable", async () => {
    const other = await mkdtemp(join(tmpdir(), "svc-other-"));
    const { code, stderr } = await refusedStart({ DATA_DIR: other, PORT: String(ports[0]) });
    await rm(other, { recursive: true });
    expect(code).toBe(1);
    expect(stderr).toContain(`PORT: port ${ports[0]} is already in use`);
  });

  test("refuses a limit of open files that is too low to serve anybody, and says how to raise it", async () => {
    const other = join(dataDir, "other");
    const { code, stderr } = await refusedStart({ DATA_DIR: other }, "ulimit -n 100");
    expect(code).toBe(1);
    expect(stderr).toMatch(/may open 100 files, .*ulimit -n/);
  });

  // parts.test.ts tests how long it may take.
  test("SIGTERM to npm alone ends everything", async () => {
    service.process.kill("SIGTERM");
    await expectGone([service.process.pid!, ...pids], ports);
  });
});

describe("the second start", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ dataDir, by: "npm" });
  });
  afterAll(() => service?.stop());

  const ask = async () =>
    (await fetch(`${service.url}/v1/models`, { headers: { authorization: `Bearer ${service.demoKey}` } }))
      .status;

  const chat = async () => {
    const response = await fetch(`${service.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.demoKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "svc-x1ac-base-gpt-4o-mini",
        messages: [{ role: "user", content: "Hi" }],
      }),
    });
    await response.text();
    return response.status;
  };

  test("keeps the data: the demo key still opens, and is not printed again", async () => {
    expect(await ask()).toBe(200);
    expect(service.stdout()).toContain(join(dataDir, "demo-key"));
    expect(service.stdout()).not.toContain(service.demoKey);
  });

  const patience = { timeout: 45_000 };
  // supervised-child.test.ts tests how soon it is started again; a checkpoint takes seconds to load on a busy machine.
  test.each(children)(
    "heals when %s is killed",
    async (name) => {
      const before = await service.pidOf(name);
      await service.kill(name);
      await expect.poll(() => service.pidOf(name)).not.toBeOneOf([before, undefined]);
      await expect
        .poll(async () => (await health(service.url)).svc_models_loaded, patience)
        .toEqual(["base"]);
      await expect.poll(ask, patience).toBe(200);
      await expect.poll(chat, patience).toBe(200);
    },
    120_000,
  );

  test("Ctrl-C, SIGINT to the whole group, ends everything", async () => {
    const [pids, ports] = [await pidsOf(service), await portsOf(service)];
    process.kill(-service.process.pid!, "SIGINT");
    await expectGone([service.process.pid!, ...pids], ports);
  });
});

/** Loading a checkpoint is most of a start. Where only the processes around the parts matter, no gpu-worker is started. */
const withoutWorker = { GPU_WORKER_URLS: "http://127.0.0.1:9" };

describe("a service that lost its", () => {
  test("npm (kill -9) stops by itself", async () => {
    const service = await startService({ dataDir, by: "npm", env: withoutWorker });
    const [pids, ports] = [await pidsOf(service), await portsOf(service)];
    service.process.kill("SIGKILL");
    await expectGone(pids, ports);
  });

  test("supervisor (kill -9) leaves nothing that the next start would trip over, which SIGINT to npm alone ends", async () => {
    const killed = await startService({ dataDir });
    const [pids, ports] = [await pidsOf(killed), await portsOf(killed)];
    process.kill(pids[0]!, "SIGKILL");
    await untilGone(pids[0]!);
    const next = await startService({
      dataDir,
      by: "npm",
      env: { ...withoutWorker, DB_PORT: String(ports[1]) },
    });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(next.demoKey).toBe(killed.demoKey);
    const [nextPids, nextPorts] = [await pidsOf(next), await portsOf(next)];
    // The script is npm's own child, without a shell between, which would keep the signal from it.
    next.process.kill("SIGINT");
    await expectGone([next.process.pid!, ...nextPids], nextPorts);
  });
});
