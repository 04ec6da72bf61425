// An orderly stop (a restart, an upgrade) in the middle of streams: who is cut off pays for what was written, and no hold is left.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listLedger, readAccount } from "../../../edge/db/accounts.ts";
import { openAdminDatabase } from "../../../scripts/admin/database.ts";
import { hello, readDeltas, startGateway } from "../../support/gateway.ts";

const streams = 20;

test("streams that outlast a stop are charged as ones whose callers left, and leave no hold", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "svc-stop-"));
  try {
    const gateway = await startGateway({}, { dataDir });
    gateway.provider.respond("router", { text: "one two three four five six seven eight", hangAfter: 6 });
    const caller = await gateway.newCaller(10_000_000);
    const open = await Promise.all(
      Array.from({ length: streams }, () => caller.chat({ ...hello, stream: true })),
    );
    await Promise.all(open.map((response) => readDeltas(response, 5)));
    await gateway.stop();

    const { database, close } = await openAdminDatabase({ DATA_DIR: dataDir }, "/");
    const charges = (await listLedger(database, caller.accountId, 100)).filter(
      ({ kind }) => kind === "charge",
    );
    expect(await readAccount(database, caller.accountId)).toMatchObject({ openHolds: 0 });
    await close();
    expect(charges).toHaveLength(streams);
    for (const charge of charges) expect(charge).toMatchObject({ outcome: "client_left", keySource: "pool" });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}, 90_000);
