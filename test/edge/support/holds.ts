/** Holds of one account, settled by its usage. */
import { reserve } from "../../../edge/billing/hold.ts";
import type { Settlement } from "../../../edge/billing/ledger.ts";
import { listLedger, readAccount } from "../../../edge/db/accounts.ts";
import { type newAccount, openTestDatabase } from "./accounts.ts";

export const database = openTestDatabase();
export const newHold = () => `hold_${crypto.randomUUID()}`;
export type Owner = Awaited<ReturnType<typeof newAccount>>;

// Before 1970, so that a sweep here never meets a hold of another test on the shared database.
export const hold = (owner: Owner, amountMicro: number, holdId = newHold(), now = -1000) =>
  reserve(database, { holdId, accountId: owner.accountId, apiKeyId: owner.key.keyId, amountMicro, now });

export const settlement = (owner: Owner, holdId: string, chargeMicro: number): Settlement => ({
  holdId,
  accountId: owner.accountId,
  apiKeyId: owner.key.keyId,
  requestId: "req_1",
  chargeMicro,
  model: "svc-x1ac-base-gpt-4o",
  executionLlm: "gpt-4o",
  provider: "router",
  keySource: "pool",
  markup: 0.25,
  planningTokens: 12,
  usage: { input: 100, output: 20, total: 125, cachedInput: 30, cacheWrite: 10, reasoning: 5 },
  prices: { input: 1 },
  outcome: "completed",
  now: 2000,
});
export const read = async (owner: Owner) => (await readAccount(database, owner.accountId))!;
export const rows = (owner: Owner) => listLedger(database, owner.accountId, 1000);
