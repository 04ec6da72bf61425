// The operator's CLI as a process: how it ends, and which database it finds.
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { AdminRun } from "../../../scripts/admin/run-admin.ts";
import { startAdmin } from "./start-admin.ts";

const script = fileURLToPath(new URL("../../../scripts/admin.ts", import.meta.url));
const { root, sqld, onUrl } = await startAdmin();

function runProcess(words: readonly string[], env: Record<string, string>): Promise<AdminRun> {
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env.PATH, ...env } };
    execFile(process.execPath, [script, ...words], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

describe("as a process on DATA_DIR", { timeout: 60_000 }, () => {
  const create = ["account", "create", "--email", "ops@example.com", "--credits", "1", "--json"];
  const show = (id: string) => ["account", "show", "--account", id, "--json"];

  test("fails with code 1 and one sentence on stderr", async () => {
    const run = await runProcess(["account", "shine"], { DATA_DIR: root });
    expect(run).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining('no command "account shine"'),
    });
  });

  test("runs the database itself while no service does, and keeps the data", async () => {
    const env = { DATA_DIR: join(root, "alone") };
    const { account_id } = JSON.parse((await runProcess(create, env)).stdout);
    expect(JSON.parse((await runProcess(show(account_id), env)).stdout)).toMatchObject({
      account_id,
      balance: 1,
    });
  });

  test("says that there is no DATA_DIR instead of making one, unless the command makes accounts", async () => {
    const missing = join(root, "mistyped");
    const run = await runProcess(["account", "list"], { DATA_DIR: missing });
    expect(run).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(`There is no DATA_DIR ${missing}`),
    });
    expect(existsSync(missing)).toBe(false);
  });

  test("says nothing where its reader leaves before the end, as head does", async () => {
    const child = spawn(process.execPath, [script, "--help"], { env: { PATH: process.env.PATH } });
    child.stdout.destroy();
    expect(await text(child.stderr)).toBe("");
  });

  test("lets two commands at once take turns", async () => {
    const env = { DATA_DIR: join(root, "turns") };
    const runs = await Promise.all([runProcess(create, env), runProcess(create, env)]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  });

  test("talks to the running service's database", async () => {
    const file = { pid: process.pid, libsqlUrl: sqld.url, children: [] };
    await writeFile(join(root, "served", "run.json"), JSON.stringify(file));
    const { account_id } = JSON.parse((await runProcess(create, { DATA_DIR: join(root, "served") })).stdout);
    expect(JSON.parse((await onUrl(...show(account_id))).stdout)).toMatchObject({ account_id });
  });

  test("does not follow the run.json of a service that was killed", async () => {
    const stale = join(root, "stale");
    await mkdir(stale, { recursive: true });
    await writeFile(
      join(stale, "run.json"),
      JSON.stringify({ pid: process.pid, libsqlUrl: sqld.url, children: [] }),
    );
    const { account_id } = JSON.parse((await runProcess(create, { DATA_DIR: stale })).stdout);
    expect((await onUrl(...show(account_id))).code).toBe(1);
  });
});
