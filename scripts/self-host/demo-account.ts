/**
 * The demo account: made once per database, at the first start that finds it without any account. Its key is kept in DATA_DIR,
 * readable by the owner. A database that has accounts gets none.
 */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createApiKey, hashApiKey, showPrefix } from "../../edge/api-key.ts";
import { createAccount } from "../../edge/db/accounts.ts";
import { addApiKey, findApiKey } from "../../edge/db/api-keys.ts";
import { build, type Database, openDatabase, prepare } from "../../edge/db/client.ts";
import { accounts } from "../../edge/db/schema.ts";
import { toMicro } from "../../shared/credits.ts";
import { randomId } from "../../shared/hex.ts";
import { createSignInLink } from "../sign-in-link.ts";
import type { EdgeVariables } from "./edge-variables.ts";
import { writePrivately } from "./secrets.ts";

/** The account's first balance. */
export const demoCredits = 10;

const selectAnyAccount = prepare(build.select({ id: accounts.id }).from(accounts).limit(1));

export type DemoAccount = {
  /** Path of the key file, which may not exist. */
  keyFile: string;
  /** Undefined if the database had accounts and DATA_DIR has no key. */
  apiKey: string | undefined;
  /** True at the start that made the account. */
  created: boolean;
  /** Path of a one-time sign-in link, new at every start; undefined if the demo key no longer works. */
  signInPath: string | undefined;
};

/** Tells `log` if the database lost the accounts that it had. @throws DatabaseError */
export async function ensureDemoAccount(
  variables: EdgeVariables,
  dataDirectory: string,
  log: (line: string) => void,
): Promise<DemoAccount> {
  const database = openDatabase({ url: variables.LIBSQL_URL!, authToken: variables.LIBSQL_AUTH_TOKEN });
  const keyFile = join(dataDirectory, "demo-key");
  const [any] = await database.execute(selectAnyAccount);
  const known = await readKey(keyFile);
  if (any !== undefined) {
    return { keyFile, apiKey: known, created: false, signInPath: await makeLink(database, known) };
  }
  if (known !== undefined) log(lostAccounts(keyFile));
  const apiKey = createApiKey(randomBytes(32));
  // The key is stored first: after a crash between the two there is no account without a key.
  await writePrivately(keyFile, `${apiKey}\n`);
  await createDemo(database, apiKey);
  return { keyFile, apiKey, created: true, signInPath: await makeLink(database, apiKey) };
}

/** Without this line it would look like a first start, while every caller gets 401. */
const lostAccounts = (keyFile: string) =>
  `The database has no account, though ${keyFile} is of an earlier start. If it should have some, stop and restore the backup ` +
  `(docs/operating.md); now a new demo account is made.`;

async function makeLink(database: Database, apiKey: string | undefined): Promise<string | undefined> {
  const account = apiKey === undefined ? undefined : await findApiKey(database, await hashApiKey(apiKey));
  if (account === undefined) return undefined;
  return (await createSignInLink(database, account.accountId, Date.now()))?.path;
}

async function createDemo(database: Database, apiKey: string): Promise<void> {
  const now = Date.now();
  const accountId = `acct_${randomId()}`;
  const creditMicro = toMicro(demoCredits);
  await createAccount(database, { accountId, email: "demo@localhost", creditMicro, now });
  const hash = await hashApiKey(apiKey);
  await addApiKey(database, {
    keyId: `key_${randomId()}`,
    accountId,
    name: "demo",
    hash,
    prefix: showPrefix(apiKey),
    manage: true,
    now,
  });
}

async function readKey(keyFile: string): Promise<string | undefined> {
  const text = await readFile(keyFile, "utf8").catch(() => "");
  return text.trim() || undefined;
}
