/** Accounts as an operator handles them: creates, credits, finds, suspends them, makes operators of them, and reads their ledger. */
import { and, desc, eq, lt, sql } from "drizzle-orm";
import { availableMicro } from "./api-keys.ts";
import { build, type Database, prepare, value } from "./client.ts";
import { DatabaseError } from "./connection.ts";
import { accounts, ledger } from "./schema.ts";

const insertAccount = prepare(
  build.insert(accounts).values({ id: value("accountId"), email: value("email"), createdAt: value("now") }),
);
// Inserts nothing for an amount of 0: an account may start without credit. Nor for a reference that was credited: it was sent again.
const insertCredit = prepare(
  build.run(sql`
    INSERT INTO ledger (account_id, kind, amount_micro, request_id, reason, created_at)
    SELECT id, 'credit', ${value("amountMicro")}, ${value("reference")}, ${value("reason")}, ${value("now")}
    FROM accounts WHERE id = ${value("accountId")} AND ${value("amountMicro")} > 0 AND NOT EXISTS (
      SELECT 1 FROM ledger WHERE request_id = ${value("reference")} AND account_id = accounts.id AND kind = 'credit')`),
);
const selectCredit = prepare(
  build.all<{ amountMicro: number | null }>(sql`
    SELECT (SELECT amount_micro FROM ledger WHERE request_id = ${value("reference")} AND account_id = accounts.id
      AND kind = 'credit') AS amountMicro
    FROM accounts WHERE id = ${value("accountId")}`),
);

export type NewAccount = { accountId: string; email: string; creditMicro: number; now: number };

/** Creates an account and credits it, both or neither. `accountId` has the form `acct_…`. */
export async function createAccount(database: Database, account: NewAccount): Promise<void> {
  const values = { ...account, amountMicro: account.creditMicro, reference: null, reason: "first credit" };
  await database.batch([insertAccount, insertCredit], values);
}

export const maxReferenceChars = 128;

/** `reference`: the operator's own name of the payment, under which it is credited once; absent: a new one. */
export type Credit = {
  accountId: string;
  amountMicro: number;
  reference?: string | undefined;
  reason: string;
  now: number;
};

/** Adds credit, more than 0. Returns what was credited under the reference, at any time; undefined when there is no such account. */
export async function addCredit(database: Database, credit: Credit): Promise<number | undefined> {
  const [, [found]] = await database.batch([insertCredit, selectCredit], {
    ...credit,
    reference: credit.reference ?? crypto.randomUUID(),
  });
  return found?.amountMicro ?? undefined;
}

/** Whether credit was refused since the balance would pass the largest integer that a JavaScript number holds exactly. */
export const isTooMuchCredit = (error: unknown): boolean =>
  error instanceof DatabaseError && error.message.includes("balance_in_range");

const accountColumns = {
  accountId: accounts.id,
  email: accounts.email,
  balanceMicro: accounts.balanceMicro,
  availableMicro,
  openHolds: sql<number>`(SELECT count(*) FROM holds WHERE holds.account_id = accounts.id)`,
  createdAt: accounts.createdAt,
  suspendedAt: accounts.suspendedAt,
  isOperator: accounts.isOperator,
};

const selectAccount = prepare(
  build
    .select(accountColumns)
    .from(accounts)
    .where(eq(accounts.id, value("accountId"))),
);

/** An account with its balance and the part of it that no open hold has set aside. */
export async function readAccount(database: Database, accountId: string) {
  const [account] = await database.execute(selectAccount, { accountId });
  return account;
}

const selectLedger = prepare(
  build
    .select()
    .from(ledger)
    .where(and(eq(ledger.accountId, value("accountId")), lt(ledger.id, value("before"))))
    .orderBy(desc(ledger.id))
    .limit(value("limit")),
);

/** Rows per page: sqld bounds an answer at 10 MB, and a row may take 2 KB. */
const ledgerPage = 2_000;

/** The newest ledger rows of an account, newest first, read page by page. */
export async function listLedger(database: Database, accountId: string, limit: number) {
  const rows: (typeof ledger.$inferSelect)[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; rows.length < limit; before = rows.at(-1)!.id) {
    const wanted = Math.min(limit - rows.length, ledgerPage);
    const page = await database.execute(selectLedger, { accountId, before, limit: wanted });
    rows.push(...page);
    if (page.length < wanted) break;
  }
  return rows;
}

const selectAccounts = prepare(
  build
    .select({
      accountId: accounts.id,
      email: accounts.email,
      balanceMicro: accounts.balanceMicro,
      createdAt: accounts.createdAt,
      suspendedAt: accounts.suspendedAt,
    })
    .from(accounts)
    .orderBy(desc(accounts.createdAt), accounts.id)
    .limit(value("limit")),
);

/** The newest accounts, newest first. */
export function listAccounts(database: Database, limit: number) {
  return database.execute(selectAccounts, { limit });
}

const selectFound = prepare(
  build
    .select(accountColumns)
    .from(accounts)
    .where(sql`instr(lower(email), ${value("search")}) > 0 OR id = ${value("search")}`)
    .orderBy(desc(accounts.createdAt), accounts.id)
    .limit(value("limit")),
);

/** Accounts whose address contains this text, or whose id it is; all accounts for an empty text. Newest first. */
export function searchAccounts(database: Database, search: string, limit: number) {
  return database.execute(selectFound, { search: search.toLowerCase(), limit });
}

// An account that is suspended again keeps its first time.
const updateSuspended = prepare(
  build.all<{ id: string }>(sql`
    UPDATE accounts SET suspended_at = CASE WHEN ${value("suspendedAt")} IS NULL THEN NULL
      ELSE coalesce(suspended_at, ${value("suspendedAt")}) END
    WHERE id = ${value("accountId")} RETURNING id`),
);

/** Suspends an account from a time on, or resumes it (null). False when there is no such account. */
export async function setSuspended(
  database: Database,
  accountId: string,
  suspendedAt: number | null,
): Promise<boolean> {
  const updated = await database.execute(updateSuspended, { accountId, suspendedAt });
  return updated.length > 0;
}

const updateOperator = prepare(
  build.all<{ id: string }>(sql`
    UPDATE accounts SET is_operator = ${value("isOperator")} WHERE id = ${value("accountId")} RETURNING id`),
);

/** Makes an account an operator's, or no longer. False when there is no such account. */
export async function setOperator(
  database: Database,
  accountId: string,
  isOperator: boolean,
): Promise<boolean> {
  const values = { accountId, isOperator: Number(isOperator) };
  return (await database.execute(updateOperator, values)).length > 0;
}
