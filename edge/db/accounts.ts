/** Accounts as an operator handles them: create, credit, show, and read their ledger. */
import { and, desc, eq, lt, sql } from "drizzle-orm";
import { availableMicro } from "./api-keys.ts";
import { build, type Database, prepare, value } from "./client.ts";
import { accounts, ledger } from "./schema.ts";

const insertAccount = prepare(
  build.insert(accounts).values({ id: value("accountId"), email: value("email"), createdAt: value("now") }),
);
// Inserts nothing for an amount of 0: an account may start without credit.
const insertCredit = prepare(
  build.all<{ id: number }>(sql`
    INSERT INTO ledger (account_id, kind, amount_micro, reason, created_at)
    SELECT id, 'credit', ${value("amountMicro")}, ${value("reason")}, ${value("now")}
    FROM accounts WHERE id = ${value("accountId")} AND ${value("amountMicro")} > 0
    RETURNING id`),
);

export type NewAccount = { accountId: string; email: string; creditMicro: number; now: number };

/** Creates an account and credits it, both or neither. `accountId` has the form `acct_…`. */
export async function createAccount(database: Database, account: NewAccount): Promise<void> {
  const values = { ...account, amountMicro: account.creditMicro, reason: "first credit" };
  await database.batch([insertAccount, insertCredit], values);
}

export type Credit = { accountId: string; amountMicro: number; reason: string; now: number };

/** Adds credit, more than 0. False when there is no such account. */
export async function addCredit(database: Database, credit: Credit): Promise<boolean> {
  const added = await database.execute(insertCredit, credit);
  return added.length > 0;
}

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
