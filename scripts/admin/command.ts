/** The type of a command of the operator's CLI, and what several commands share. */
import { readAccount } from "../../edge/db/accounts.ts";
import type { Database } from "../../edge/db/client.ts";
import { toCredits } from "../../shared/credits.ts";
import { AdminError } from "./failure.ts";

/**
 * `value` names the option's value in the help. Without it the option is a switch, "true" if it is given. An option with a value
 * is required unless it has a `fallback` or is `optional`. `maxChars` is what the API allows for the same value.
 */
export type Option = {
  value?: string;
  meaning: string;
  fallback?: string;
  optional?: true;
  maxChars?: number;
};

export type Context = {
  database: Database;
  url: string;
  authToken: string | undefined;
  /** Ids of the running service's VAULT_KEYS, the one that seals first; undefined if that is not known. */
  vaultKeyIds?: readonly string[] | undefined;
  now: number;
  /** VAULT_KEYS of the service. @throws AdminError, StartError if it is not known */
  findVaultKeys(): Promise<string>;
  options: Readonly<Record<string, string>>;
};

/** `output` is what --json prints; with `failed` the process ends with code 1. */
type Result = { output: Record<string, unknown>; failed?: boolean };

export type Command = {
  name: string;
  summary: string;
  options: Readonly<Record<string, Option>>;
  /** May be the first command on a new DATA_DIR. */
  makesDatabase?: true;
  run(context: Context): Promise<Result>;
};

export const account: Option = { value: "ID", meaning: "the account, acct_…" };
export const creditAmount: Option = {
  value: "N",
  meaning: "credits, up to 6 decimals (1 credit = 1 US dollar)",
};
export const isoTime = (time: number | null) => (time === null ? null : new Date(time).toISOString());
export const noAccount = (id: string | undefined) => new AdminError(`There is no account ${id}.`);

export async function showAccount(database: Database, accountId: string) {
  const found = await readAccount(database, accountId);
  if (found === undefined) throw noAccount(accountId);
  return {
    account_id: found.accountId,
    email: found.email,
    balance: toCredits(found.balanceMicro),
    available: toCredits(found.availableMicro),
    open_holds: found.openHolds,
    created_at: isoTime(found.createdAt),
    suspended_at: isoTime(found.suspendedAt),
    operator: found.isOperator,
  };
}

/** A number of rows, 1 to 999999. @throws AdminError for anything else */
export function readLimit(text: string, option = "--limit"): number {
  if (/^\d{1,6}$/.test(text) && Number(text) > 0) return Number(text);
  throw new AdminError(`${option} must be 1 to 999999.`);
}
