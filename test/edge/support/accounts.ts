/** Accounts of their own for tests that share one database. */
import { createAccount } from "../../../edge/db/accounts.ts";
import { addApiKey } from "../../../edge/db/api-keys.ts";
import { type Database, openDatabase } from "../../../edge/db/client.ts";
import { databaseUrl } from "./database-url.ts";

/** Patient: on a machine that is full a statement takes longer than the service would wait for it. */
export const openTestDatabase = (): Database => openDatabase({ url: databaseUrl, timeoutMs: 30_000 });

/** A new account with this credit and one key, whose hash is `key.hash`. */
export async function newAccount(database: Database, creditMicro: number) {
  const accountId = `acct_${crypto.randomUUID()}`;
  await createAccount(database, { accountId, email: "someone@example.com", creditMicro, now: 1 });
  const key = {
    keyId: `key_${crypto.randomUUID()}`,
    accountId,
    name: "test",
    hash: crypto.randomUUID(),
    now: 1,
  };
  await addApiKey(database, key);
  return { accountId, key };
}
