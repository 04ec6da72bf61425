// docs/operating.md, "Back up and restore": the database is copied with SQLite's own backup while requests run, and the
// copy, with secrets.json beside it, is a service again.
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, hello, startGateway } from "../support/gateway.ts";
import { startService } from "../support/service.ts";

let gateway: Gateway;
let copy: string;
beforeAll(async () => {
  gateway = await startGateway();
  copy = await mkdtemp(join(tmpdir(), "svc-restored-"));
});
afterAll(async () => {
  await gateway?.stop();
  await rm(copy, { recursive: true, force: true });
});

const file = (dataDir: string) => join(dataDir, "db/dbs/default/data");

async function copyDatabase(): Promise<void> {
  const running = new DatabaseSync(file(gateway.service.dataDir), { readOnly: true });
  await backup(running, file(copy));
  running.close();
}

/** Whether SQLite finds the copy whole, and the accounts whose balance is not the sum of their ledger rows. */
function readCopy() {
  const database = new DatabaseSync(file(copy), { readOnly: true });
  const whole = database.prepare("PRAGMA integrity_check").get();
  const wrong = database
    .prepare(
      `SELECT id FROM accounts WHERE balance_micro <>
        (SELECT coalesce(sum(amount_micro), 0) FROM ledger WHERE account_id = accounts.id)`,
    )
    .all();
  const { rows } = database.prepare("SELECT count(*) AS rows FROM ledger").get() as { rows: number };
  database.close();
  return { whole, wrong, rows };
}

test("a copy made while requests run is whole, and starts as the same service elsewhere", async () => {
  const caller = await gateway.newCaller(10_000_000);
  await mkdir(join(copy, "db/dbs/default"), { recursive: true });
  let running = true;
  const load = Promise.all(
    Array.from({ length: 6 }, async () => {
      while (running) expect((await caller.chat({ ...hello })).status).toBe(200);
    }),
  );
  const seen: number[] = [];
  try {
    // A copy takes milliseconds, a request on a busy machine seconds: copies are made until requests were settled between them.
    for (
      const deadline = Date.now() + 30_000;
      seen.length < 8 || (seen.at(-1) === seen[0] && Date.now() < deadline);
    ) {
      await copyDatabase();
      const { whole, wrong, rows } = readCopy();
      expect({ whole, wrong }).toEqual({ whole: { integrity_check: "ok" }, wrong: [] });
      seen.push(rows);
    }
  } finally {
    running = false;
    await load;
  }
  expect(seen.at(-1)!).toBeGreaterThan(seen[0]!);

  await caller.untilSettled();
  await copyDatabase();
  await cp(join(gateway.service.dataDir, "secrets.json"), join(copy, "secrets.json"));
  const { balanceMicro } = (await caller.account())!;
  const restored = await startService({ dataDir: copy });
  try {
    const answer = await fetch(`${restored.url}/v1/account/balance`, {
      headers: { authorization: `Bearer ${caller.apiKey}` },
    });
    expect(await answer.json()).toMatchObject({ balance: balanceMicro / 1_000_000 });
  } finally {
    await restored.stop();
  }
});
