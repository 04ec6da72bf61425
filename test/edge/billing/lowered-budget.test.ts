import { expect, it } from "vitest";
import { reserve } from "../../../edge/billing/hold.ts";
import { addApiKey, changeApiKey } from "../../../edge/db/api-keys.ts";
import { newAccount, openTestDatabase } from "../support/accounts.ts";

const database = openTestDatabase();

it("a budget that was lowered below what open holds take leaves nothing, and never less than nothing", async () => {
  const { accountId } = await newAccount(database, 1_000_000);
  const keyId = `key_${crypto.randomUUID()}`;
  const key = { keyId, accountId, name: "k", hash: crypto.randomUUID(), now: 1 };
  await addApiKey(database, { ...key, monthlyBudgetMicro: 1_000 });
  const hold = (amountMicro: number) =>
    reserve(database, { holdId: crypto.randomUUID(), accountId, apiKeyId: keyId, amountMicro, now: 2 });
  expect(await hold(800)).toEqual({ granted: true });
  await changeApiKey(database, { keyId, accountId }, { monthlyBudgetMicro: 500 });
  expect(await hold(1)).toEqual({ granted: false, limit: "budget", availableMicro: 0 });
});
