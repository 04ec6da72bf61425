import { expect, it } from "vitest";
import { reserve } from "../../../edge/billing/hold.ts";
import { noteProgress, releaseExpired } from "../../../edge/billing/sweep.ts";
import { readAccount } from "../../../edge/db/accounts.ts";
import { deadAfterMs } from "../../../edge/db/schema.ts";
import { newAccount, openTestDatabase } from "../support/accounts.ts";

const database = openTestDatabase();
/** Long before the holds of other tests. */
const begun = -8_000_000_000;

it("progress that arrives after a later one does not make its request older than it is", async () => {
  const { accountId, key } = await newAccount(database, 1_000);
  const holdId = `hold_${crypto.randomUUID()}`;
  await reserve(database, { holdId, accountId, apiKeyId: key.keyId, amountMicro: 600, now: begun });
  const progressAt = (now: number) =>
    noteProgress(database, {
      holdId,
      accountId,
      requestId: "req_1",
      model: "svc-x1ac-base-gpt-4o",
      executionLlm: "gpt-4o",
      keySource: "pool",
      markup: 0.25,
      chargeMicro: 100,
      now,
    });
  const later = begun + 500_000;
  await progressAt(later);
  await progressAt(begun + 100_000);
  const sweepAt = async (now: number) => {
    await releaseExpired(database, { now });
    return (await readAccount(database, accountId))!.openHolds;
  };
  expect(await sweepAt(later + deadAfterMs - 1)).toBe(1);
  expect(await sweepAt(later + deadAfterMs)).toBe(0);
});
