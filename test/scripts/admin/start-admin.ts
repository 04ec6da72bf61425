/** The operator's CLI on a database of its own. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { runAdmin } from "../../../scripts/admin/run-admin.ts";
import { migrate } from "../../../scripts/migrate.ts";
import { startSqld } from "../../../scripts/self-host/sqld.ts";

/** To be awaited at the top of a file: the database, ended after the file's last test, and commands on it by its address. */
export async function startAdmin() {
  const root = await mkdtemp(join(tmpdir(), "svc-admin-test-"));
  const sqld = await startSqld({ directory: join(root, "served", "db"), port: 0 });
  afterAll(async () => {
    await sqld.stop();
    await rm(root, { recursive: true, force: true });
  });
  await migrate(sqld.url);

  const onUrl = (...words: string[]) => runAdmin(words, { LIBSQL_URL: sqld.url }, root);

  async function json(...words: string[]) {
    const run = await onUrl(...words, "--json");
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout.trim().split("\n")).toHaveLength(1);
    return JSON.parse(run.stdout);
  }
  const newAccount = async (credits = "10") =>
    (await json("account", "create", "--email", "ops@example.com", "--credits", credits))
      .account_id as string;
  return { root, sqld, onUrl, json, newAccount };
}
