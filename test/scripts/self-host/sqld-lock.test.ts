// The lock of a database directory: one live owner; a dead owner's lock is taken over.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { recordProcess } from "../../../scripts/self-host/processes.ts";
import { acquireLock, DirectoryInUseError, readLockOwner } from "../../../scripts/self-host/sqld-lock.ts";

const holder = fileURLToPath(new URL("./support/hold-lock.ts", import.meta.url));
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-lock-test-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** True for a process that runs; false for one that is gone or only waits to be collected. */
async function runs(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat !== "" && !stat.includes(") Z ");
}

test("has one owner at a time, and is free again when it is freed", async () => {
  const lock = await acquireLock(directory, 0);
  expect(await readLockOwner(directory)).toBe(process.pid);
  await expect(acquireLock(directory, 0)).rejects.toThrow(DirectoryInUseError);
  await lock.free();
  expect(await readLockOwner(directory)).toBeUndefined();
  await (await acquireLock(directory, 0)).free();
  expect(await readdir(directory)).toEqual([]);
});

test("goes to exactly one of many that want it at once", async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => acquireLock(directory, 0)));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("is taken over from a killed owner, whose server is ended first", async () => {
  const owner = spawn(process.execPath, [holder, directory], { stdio: ["pipe", "pipe", "inherit"] });
  const serverPid = Number(String((await once(owner.stdout, "data"))[0]));
  await expect(acquireLock(directory, 0)).rejects.toThrow(`process ${owner.pid}`);
  owner.kill("SIGKILL");
  await once(owner, "exit");
  expect(await runs(serverPid)).toBe(true);
  await acquireLock(directory, 0);
  expect(await runs(serverPid)).toBe(false);
  expect(await readLockOwner(directory)).toBe(process.pid);
});

test.each([
  [
    "an owner whose process id is now another's",
    JSON.stringify({ owner: { pid: process.pid, started: "1" } }),
  ],
  ["a file cut short", '{"owner":'],
  ["a file that names no process", "{}"],
])("is taken over from %s", async (_, content) => {
  await writeFile(join(directory, "svc.lock"), content);
  expect(await readLockOwner(directory)).toBeUndefined();
  await acquireLock(directory, 0);
  expect(await readLockOwner(directory)).toBe(process.pid);
});

test("is given back to an owner who took it over while the dead one's server was being ended", async () => {
  const script = "trap 'echo told' TERM; echo ready; while :; do sleep 0.05; done";
  const server = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
  await once(server.stdout, "data");
  const nameOf = async (pid: number) => ({ pid, started: (await recordProcess(pid))!.startTicks });
  const path = join(directory, "svc.lock");
  const dead = { owner: { pid: process.pid, started: "1" }, server: await nameOf(server.pid!) };
  await writeFile(path, JSON.stringify(dead));
  const refused = expect(acquireLock(directory, 0)).rejects.toThrow(DirectoryInUseError);
  await once(server.stdout, "data");
  const taken = JSON.stringify({ owner: await nameOf(process.pid) });
  await writeFile(path, taken);
  server.kill("SIGKILL");
  await refused;
  expect(await readFile(path, "utf8")).toBe(taken);
});
