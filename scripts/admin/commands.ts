/** The operator's commands, one entry each: what it is called, what it takes, what it does. */
import { randomBytes, randomUUID } from "node:crypto";
import { createApiKey, hashApiKey } from "../../edge/api-key.ts";
import { checkLedger } from "../../edge/billing/ledger-check.ts";
import { credits } from "../../edge/billing/price.ts";
import { addCredit, createAccount, listLedger, readAccount } from "../../edge/db/accounts.ts";
import { addApiKey, listApiKeys, revokeApiKey } from "../../edge/db/api-keys.ts";
import type { Database } from "../../edge/db/client.ts";
import { maxActiveKeys } from "../../edge/db/schema.ts";
import { migrate } from "../migrate.ts";
import { parseCreditsMicro } from "./credits.ts";
import { AdminError } from "./failure.ts";

/** `value` stands for the option's value in the help; an option without `fallback` is required. */
type Option = { value: string; meaning: string; fallback?: string };

type Context = {
  database: Database;
  url: string;
  authToken: string | undefined;
  now: number;
  options: Readonly<Record<string, string>>;
};

/** `output` is what --json prints; `failed` ends the process with code 1 all the same. */
type Result = { output: Record<string, unknown>; failed?: boolean };

export type Command = {
  name: string;
  summary: string;
  options: Readonly<Record<string, Option>>;
  run(context: Context): Promise<Result>;
};

const account: Option = { value: "ID", meaning: "the account, acct_…" };
const creditAmount: Option = { value: "N", meaning: "credits, up to 6 decimals (1 credit = 1 US dollar)" };
const newId = (prefix: string) => `${prefix}_${randomUUID().replaceAll("-", "")}`;
const isoTime = (time: number | null) => (time === null ? null : new Date(time).toISOString());
const noAccount = (id: string | undefined) => new AdminError(`There is no account ${id}.`);

export const commands: readonly Command[] = [
  {
    name: "account create",
    summary: "Creates an account and gives it credit",
    options: { email: { value: "E", meaning: "where its owner is reached" }, credits: creditAmount },
    async run({ database, now, options: { email, credits: amount } }) {
      if (!/^[^\s@]+@[^\s@]+$/.test(email!)) throw new AdminError(`"${email}" is not an e-mail address.`);
      const creditMicro = parseCreditsMicro(amount!);
      const accountId = newId("acct");
      await createAccount(database, { accountId, email: email!, creditMicro, now });
      return { output: { account_id: accountId, email, balance: credits(creditMicro) } };
    },
  },
  {
    name: "account show",
    summary: "Shows an account with its balance and what of it is free to spend",
    options: { account },
    async run({ database, options }) {
      return { output: await showAccount(database, options.account!) };
    },
  },
  {
    name: "key create",
    summary: `Creates an API key, shown once; an account has at most ${maxActiveKeys} active ones`,
    options: { account, name: { value: "N", meaning: "what the key is for" } },
    async run({ database, now, options: { account: accountId, name } }) {
      const apiKey = createApiKey(randomBytes(32));
      const keyId = newId("key");
      const key = { keyId, accountId: accountId!, name: name!, hash: await hashApiKey(apiKey), now };
      const outcome = await addApiKey(database, key);
      if (outcome === "account_unknown") throw noAccount(accountId);
      if (outcome === "too_many_keys") {
        throw new AdminError(
          `Account ${accountId} already has ${maxActiveKeys} active keys: revoke one first (key list shows them).`,
        );
      }
      return { output: { key_id: keyId, api_key: apiKey, account_id: accountId, name } };
    },
  },
  {
    name: "key list",
    summary: "Lists an account's keys, without the keys themselves",
    options: { account },
    async run({ database, options }) {
      await showAccount(database, options.account!);
      const keys = await listApiKeys(database, options.account!);
      return {
        output: {
          keys: keys.map((key) => ({
            key_id: key.keyId,
            name: key.name,
            active: key.revokedAt === null,
            created_at: isoTime(key.createdAt),
            revoked_at: isoTime(key.revokedAt),
          })),
        },
      };
    },
  },
  {
    name: "key revoke",
    summary: "Ends a key at once and for good",
    options: { key: { value: "ID", meaning: "the key, key_…" } },
    async run({ database, now, options: { key } }) {
      if (!(await revokeApiKey(database, key!, now))) throw new AdminError(`There is no key ${key}.`);
      return { output: { key_id: key, revoked: true } };
    },
  },
  {
    name: "credits add",
    summary: "Adds credit to an account",
    options: { account, amount: creditAmount },
    async run({ database, now, options }) {
      const amountMicro = parseCreditsMicro(options.amount!);
      if (amountMicro === 0) throw new AdminError("Nothing to add: --amount must be more than 0.");
      const credit = { accountId: options.account!, amountMicro, reason: "added by the operator", now };
      if (!(await addCredit(database, credit))) throw noAccount(options.account);
      return { output: await showAccount(database, options.account!) };
    },
  },
  {
    name: "ledger list",
    summary: "Lists an account's ledger, newest first",
    options: { account, limit: { value: "N", meaning: "how many rows at most", fallback: "100" } },
    async run({ database, options }) {
      const limit = Number(options.limit);
      if (!/^\d{1,6}$/.test(options.limit!) || limit === 0)
        throw new AdminError("--limit must be 1 to 999999.");
      await showAccount(database, options.account!);
      const rows = await listLedger(database, options.account!, limit);
      return { output: { entries: rows.map(ledgerEntry) } };
    },
  },
  {
    name: "ledger check",
    summary: "Proves that every balance is the sum of its ledger and covers its holds; fails if one does not",
    options: {},
    async run({ database }) {
      const findings = (await checkLedger(database)).map(({ accountId, law, expected, found }) => ({
        account_id: accountId,
        law,
        expected: credits(expected),
        found: credits(found),
      }));
      return { output: { ok: findings.length === 0, findings }, failed: findings.length > 0 };
    },
  },
  {
    name: "migrate",
    summary: "Brings the database to the newest schema",
    options: {},
    async run({ url, authToken }) {
      await migrate(url, authToken);
      return { output: { migrated: true } };
    },
  },
];

async function showAccount(database: Database, accountId: string) {
  const found = await readAccount(database, accountId);
  if (found === undefined) throw noAccount(accountId);
  return {
    account_id: found.accountId,
    email: found.email,
    balance: credits(found.balanceMicro),
    available: credits(found.availableMicro),
    open_holds: found.openHolds,
    created_at: isoTime(found.createdAt),
    suspended_at: isoTime(found.suspendedAt),
  };
}

function ledgerEntry(row: Awaited<ReturnType<typeof listLedger>>[number]) {
  return {
    id: row.id,
    created_at: isoTime(row.createdAt),
    kind: row.kind,
    amount: credits(row.amountMicro),
    model: row.model,
    execution_llm: row.executionLlm,
    provider: row.provider,
    key_source: row.keySource,
    markup: row.markup,
    planning_tokens: row.planningTokens,
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    cached_tokens: row.cachedTokens,
    cache_write_tokens: row.cacheWriteTokens,
    reasoning_tokens: row.reasoningTokens,
    prices: row.prices,
    outcome: row.outcome,
    flag: row.flag,
    reason: row.reason,
    hold_id: row.holdId,
    request_id: row.requestId,
    api_key_id: row.apiKeyId,
  };
}
