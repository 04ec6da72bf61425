// The embedded database: one sqld on one directory, whichever processes were killed before.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { build, openDatabase, prepare } from "../../../edge/db/client.ts";
import { SharedStream } from "../../../edge/db/shared-stream.ts";
import { migrate } from "../../../scripts/migrate.ts";
import { createDatabaseKey } from "../../../scripts/self-host/database-key.ts";
import { type Sqld, startLimitMs, startSqld, untilAnswers } from "../../../scripts/self-host/sqld.ts";
import { readLockOwner } from "../../../scripts/self-host/sqld-lock.ts";
import { listenOnLoopback } from "../../support/loopback.ts";

const starter = fileURLToPath(new URL("./support/start-sqld.ts", import.meta.url));
const insert = prepare(
  build.run(
    sql`INSERT INTO accounts (id, email, created_at) VALUES (${sql.placeholder("id")}, 'a@example.com', 0)`,
  ),
);
const count = prepare(build.all<{ accounts: number }>(sql`SELECT count(*) AS accounts FROM accounts`));

let directory: string;
const running: Sqld[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-sqld-test-"));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((sqld) => sqld.stop()));
  await rm(directory, { recursive: true, force: true });
});

/** How long to wait for a lock that is about to be freed. Long, since a busy machine may stop the process that frees it. */
const patientMs = 20_000;
async function start(lockTimeoutMs = 100): Promise<Sqld> {
  const sqld = await startSqld({ directory, port: 0, lockTimeoutMs });
  running.push(sqld);
  return sqld;
}

/** Another process with an sqld on the directory; resolves when it serves. */
async function startElsewhere(): Promise<{ kill: () => Promise<void>; pid: number; url: string }> {
  const child = spawn(process.execPath, [starter, directory], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  const kill = async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { kill, pid: child.pid!, url: String(line).trim() };
}

const answers = (url: string) =>
  fetch(`${url}/health`).then(
    () => true,
    () => false,
  );

describe("startSqld", { timeout: 60_000 }, () => {
  test("serves, stops, frees its directory and keeps the data", async () => {
    const first = await start();
    await migrate(first.url);
    await openDatabase({ url: first.url }).execute(insert, { id: "acct_1" });
    await first.stop();
    await first.stop();
    expect(await readLockOwner(directory)).toBeUndefined();
    const second = await start();
    expect(await openDatabase({ url: second.url }).execute(count)).toEqual([{ accounts: 1 }]);
  });

  test("keeps every acknowledged row when sqld is killed", async () => {
    const first = await start();
    await migrate(first.url);
    const database = openDatabase({ url: first.url });
    for (let index = 0; index < 20; index++) await database.execute(insert, { id: `acct_${index}` });
    first.process.kill("SIGKILL");
    await once(first.process, "exit");
    const second = await start(patientMs);
    expect(await openDatabase({ url: second.url }).execute(count)).toEqual([{ accounts: 20 }]);
  });

  // What a power cut leaves: the log's head names frames that never reached the disk, or holds zeros.
  test.each([
    ["is shorter than its head says", (log: string) => truncate(log, 100_000)],
    ["has no head", (log: string) => writeFile(log, Buffer.alloc(8_192))],
  ])("keeps every row when it was killed and its log for replicas %s", async (_, damage) => {
    const first = await start();
    await migrate(first.url);
    await openDatabase({ url: first.url }).execute(insert, { id: "acct_1" });
    first.process.kill("SIGKILL");
    await once(first.process, "exit");
    await damage(join(directory, "dbs/default/wallog"));
    const second = await start(patientMs);
    expect(await openDatabase({ url: second.url }).execute(count)).toEqual([{ accounts: 1 }]);
  });

  test("refuses a log that was damaged after an ordinary end once, and then writes it anew", async () => {
    const first = await start();
    await migrate(first.url);
    await openDatabase({ url: first.url }).execute(insert, { id: "acct_1" });
    await first.stop();
    await truncate(join(directory, "dbs/default/wallog"), 100_000);
    await expect(start(patientMs)).rejects.toThrow("sqld did not start");
    const third = await start(patientMs);
    expect(await openDatabase({ url: third.url }).execute(count)).toEqual([{ accounts: 1 }]);
  });

  test("goes on with its shared stream's work when sqld was started again", async () => {
    const first = await start();
    await migrate(first.url);
    const sharedStream = new SharedStream(Date.now);
    await openDatabase({ url: first.url, sharedStream }).execute(insert, { id: "acct_1" });
    await first.stop();
    const second = await start();
    const database = openDatabase({ url: second.url, sharedStream });
    await database.execute(insert, { id: "acct_2" });
    expect(await database.execute(count)).toEqual([{ accounts: 2 }]);
  });

  test("refuses a directory another live process has, and names it", async () => {
    const other = await startElsewhere();
    expect(await readLockOwner(directory)).toBe(other.pid);
    await expect(start()).rejects.toThrow(`in use by process ${other.pid}`);
    await other.kill();
  });

  test("starts after a killed process, whose sqld is gone", async () => {
    const other = await startElsewhere();
    await other.kill();
    await start();
    expect(await answers(other.url)).toBe(false);
  });

  test("waits for a process that lets go in time", async () => {
    const first = await start();
    const second = start(patientMs);
    await first.stop();
    expect((await second).port).toBeGreaterThan(0);
  });

  test("lets in whoever has its key's token, and no web page", async () => {
    const key = await createDatabaseKey();
    const sqld = await startSqld({ directory, port: 0, key });
    running.push(sqld);
    // As a page of another site may send it without asking first.
    const page = { origin: "https://other.example", "content-type": "text/plain" };
    const body = JSON.stringify({ requests: [{ type: "execute", stmt: { sql: "SELECT 1" } }] });
    const stranger = await createDatabaseKey();
    for (const headers of [page, { ...page, authorization: `Bearer ${stranger.authToken}` }])
      for (const path of ["/v2/pipeline", "/v3/pipeline", "/v1/execute", "/"])
        expect((await fetch(sqld.url + path, { method: "POST", headers, body })).status, path).toBe(401);
    expect((await fetch(`${sqld.url}/dump`)).status).toBe(401);
    await migrate(sqld.url, key.authToken);
    const database = openDatabase({ url: sqld.url, authToken: key.authToken });
    expect(await database.execute(count)).toEqual([{ accounts: 0 }]);
  });

  test("says so when its port is taken", async () => {
    const first = await start();
    const other = await mkdtemp(join(tmpdir(), "svc-sqld-test-"));
    await expect(startSqld({ directory: other, port: first.port })).rejects.toThrow(`port ${first.port}`);
    expect(await readLockOwner(other)).toBeUndefined();
    await rm(other, { recursive: true });
  });
});

describe("the wait for sqld, which reads its whole database after an end by force", () => {
  const holdData = async (mib: number) => {
    const folder = join(directory, "dbs/default");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "data"), "");
    await truncate(join(folder, "data"), mib * 1024 * 1024);
  };

  test("is as long as the database is large", async () => {
    expect(await startLimitMs(directory)).toBe(10_000);
    await holdData(2_048);
    expect(await startLimitMs(directory)).toBeGreaterThan(10 * 60_000);
  });

  test("goes on after ten seconds, and says why", { timeout: 30_000 }, async () => {
    await holdData(256);
    const log: string[] = [];
    const server = createServer((_, response) => {
      response.writeHead(log.length > 0 ? 200 : 503).end();
    });
    const { url, stop } = await listenOnLoopback(server);
    const port = Number(new URL(url).port);
    const child = { pid: 1, exitCode: null, signalCode: null } as ChildProcess;
    await untilAnswers(child, { port, directory }, (line) => log.push(line));
    expect(log).toEqual([expect.stringContaining("given 3 min")]);
    await stop();
  });

  test("ends with sqld", async () => {
    await holdData(2_048);
    const child = spawn("sleep", ["0.1"]);
    await expect(untilAnswers(child, { port: 1, directory }, () => {})).rejects.toThrow("did not answer");
    const missing = spawn(join(directory, "missing")).on("error", () => {});
    await expect(untilAnswers(missing, { port: 1, directory }, () => {})).rejects.toThrow("did not answer");
  });
});

test("migrate changes nothing the second time", async () => {
  const { url } = await start();
  await migrate(url);
  const schema = prepare(build.all(sql`SELECT name, sql FROM sqlite_master ORDER BY name`));
  const before = await openDatabase({ url }).execute(schema);
  await migrate(url);
  expect(await openDatabase({ url }).execute(schema)).toEqual(before);
});
