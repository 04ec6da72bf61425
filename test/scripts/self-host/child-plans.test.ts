// What each child of `npm start` gets: its environment variables, and sqld a directory that it can start on.
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { planDatabase, planGpuWorker } from "../../../scripts/self-host/child-plans.ts";
import { createDatabaseKey } from "../../../scripts/self-host/database-key.ts";
import { root } from "../../support/service.ts";

async function variableOf(name: string, env: Record<string, string>): Promise<string | undefined> {
  const context = { root, env: { PATH: process.env.PATH, ...env }, log: () => {} };
  const child = planGpuWorker(0, "{}", context).spawn();
  const readVariables = () => readFileSync(`/proc/${child.pid}/environ`, "utf8").split("\0");
  try {
    // Until the new program is set up, the kernel lists no variables or those of this process; after its end, none. SUPERVISED is the
    // last that a child is given, so with it all are listed. The value is taken from the same reading: another may come after the end.
    const variables = await vi.waitFor(() => {
      const read = readVariables();
      expect(read).toContain("SUPERVISED=1");
      return read;
    });
    return variables.find((one) => one.startsWith(`${name}=`))?.split("=")[1];
  } finally {
    child.kill("SIGKILL");
  }
}

test("the gpu-worker leaves a core to the parts beside it, unless the operator says how many threads it has", async () => {
  const cores = availableParallelism();
  expect(Number(await variableOf("WORKER_THREADS", {}))).toBe(cores === 1 ? 1 : Math.min(4, cores - 1));
  expect(await variableOf("WORKER_THREADS", { WORKER_THREADS: "3" })).toBe("3");
});

test("the gpu-worker is where its edge finds it, whatever the environment says of one on a host of its own", async () => {
  expect(await variableOf("WORKER_HOST", { WORKER_HOST: "::1" })).toBe("127.0.0.1");
  expect(await variableOf("WORKER_AUDIENCE", { WORKER_AUDIENCE: "https://gpu-1.example.com" })).toBe(
    undefined,
  );
});

test("scripts are kept compiled where the installation keeps such things, or where the operator says", async () => {
  expect(await variableOf("NODE_COMPILE_CACHE", {})).toBe(join(root, "node_modules/.cache/svc-compiled"));
  expect(await variableOf("NODE_COMPILE_CACHE", { NODE_COMPILE_CACHE: "/var/cache/svc" })).toBe(
    "/var/cache/svc",
  );
});

test.each([
  [[".sentinel", "wallog"], false],
  [["wallog"], true],
])("sqld is started on a folder with %j: its wallog is kept: %s", async (names, isKept) => {
  const directory = await mkdtemp(join(tmpdir(), "svc-children-"));
  const data = join(directory, "dbs/default");
  await mkdir(data, { recursive: true });
  for (const name of names) await writeFile(join(data, name), "");
  const lock = { nameServer: async () => {}, free: async () => {} };
  const key = await createDatabaseKey();
  const context = { env: { PATH: process.env.PATH }, log: () => {} };
  const child = planDatabase({ port: 1, directory, key, lock }, context).spawn();
  const isLeft = existsSync(join(data, "wallog"));
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGKILL");
  await ended;
  await rm(directory, { recursive: true, force: true });
  expect(isLeft).toBe(isKept);
});
