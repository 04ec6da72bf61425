// The account of a first start, and what is said where a database has lost those that it had.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { migrate } from "../../../scripts/migrate.ts";
import { type DemoAccount, ensureDemoAccount } from "../../../scripts/self-host/demo-account.ts";
import { type Sqld, startSqld } from "../../../scripts/self-host/sqld.ts";

let root: string;
let sqld: Sqld;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "svc-demo-"));
});
afterEach(async () => {
  await sqld.stop();
  await rm(root, { recursive: true, force: true });
});

async function startOn(database: string): Promise<DemoAccount & { log: string[] }> {
  await sqld?.stop();
  sqld = await startSqld({ directory: join(root, database), port: 0 });
  await migrate(sqld.url);
  const log: string[] = [];
  return { ...(await ensureDemoAccount({ LIBSQL_URL: sqld.url }, root, (line) => log.push(line))), log };
}

test("a first start makes it and says nothing more, a second keeps it", async () => {
  const first = await startOn("db");
  expect(first).toMatchObject({ created: true, log: [] });
  expect(await readFile(first.keyFile, "utf8")).toBe(`${first.apiKey}\n`);
  expect(await startOn("db")).toMatchObject({ created: false, apiKey: first.apiKey, log: [] });
});

test("an empty database beside the key of an earlier start is not taken for a first one in silence", async () => {
  const { apiKey } = await startOn("db");
  const after = await startOn("emptied");
  expect(after).toMatchObject({
    created: true,
    log: [expect.stringMatching(/no account.*restore the backup/)],
  });
  expect(after.apiKey).not.toBe(apiKey);
  expect(after.log.join()).not.toContain(apiKey);
});
