import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { recordProcess } from "../../../scripts/self-host/processes.ts";
import {
  keepRunRecord,
  lockDataDirectory,
  readRunFile,
  stopLeftovers,
} from "../../../scripts/self-host/run-record.ts";
import { spawnSleep } from "./support/spawn-sleep.ts";

let directory: string;
let child: ChildProcess;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "svc-run-"));
  child = await spawnSleep();
});
afterEach(() => {
  child.kill("SIGKILL");
  rmSync(directory, { recursive: true });
});

test("names the processes and the database, readable for the owner only", async () => {
  const record = keepRunRecord(directory);
  record.set({ url: "http://127.0.0.1:1", libsqlUrl: "http://127.0.0.1:2", libsqlAuthToken: "token" });
  record.setChild("sqld", child.pid);
  await record.saved();
  expect(await readRunFile(directory)).toMatchObject({
    pid: process.pid,
    url: "http://127.0.0.1:1",
    libsqlUrl: "http://127.0.0.1:2",
    libsqlAuthToken: "token",
    children: [{ name: "sqld", pid: child.pid, commandLine: "sleep\x0060\x00" }],
  });
  expect(statSync(join(directory, "run.json")).mode & 0o777).toBe(0o600);
  await record.remove();
  expect(existsSync(join(directory, "run.json"))).toBe(false);
});

test("the newest pid of a child is the one on record", async () => {
  const record = keepRunRecord(directory);
  record.setChild("edge", process.pid);
  record.setChild("edge", undefined);
  record.setChild("edge", child.pid);
  await record.saved();
  expect((await readRunFile(directory))?.children.map(({ pid }) => pid)).toEqual([child.pid]);
});

test("a second service on the same directory is refused and told where the first is", async () => {
  await lockDataDirectory(directory);
  const record = keepRunRecord(directory);
  record.set({ url: "http://127.0.0.1:4711" });
  await record.saved();
  await expect(lockDataDirectory(join(directory, "."))).rejects.toThrow(
    /already runs.*http:\/\/127\.0\.0\.1:4711/,
  );
});

test("what a killed service left behind is stopped", async () => {
  const record = keepRunRecord(directory);
  record.setChild("sqld", child.pid);
  await record.saved();
  const exited = once(child, "exit");
  expect(await stopLeftovers(directory)).toEqual(["sqld"]);
  expect((await exited)[1]).toBe("SIGTERM");
});

test.each([
  ["another command line", { commandLine: "sqld\0-d\0/somewhere\0" }],
  ["another start time", { startTicks: "1" }],
])("a process with the same pid but %s is left alone", async (_, change) => {
  const recorded = { name: "sqld", ...(await recordProcess(child.pid!))!, ...change };
  writeFileSync(join(directory, "run.json"), JSON.stringify({ pid: 1, children: [recorded] }));
  expect(await stopLeftovers(directory)).toEqual([]);
  expect(child.exitCode).toBeNull();
});

test.each([["nothing"], ["{"], ["[]"]])("a run.json that holds %s stops nothing", async (text) => {
  if (text !== "nothing") writeFileSync(join(directory, "run.json"), text);
  expect(await stopLeftovers(directory)).toEqual([]);
});
