/** Checks the books: every invariant of the ledger as a query that finds the accounts that break it. */
import { sql } from "drizzle-orm";
import { build, type Database, prepare } from "../db/client.ts";

/** A broken invariant. Amounts are micro-credits: what the invariant expects, and what the tables hold. */
export type LedgerFinding = { accountId: string; law: string; expected: number; found: number };

// One statement, so that all invariants are checked at one moment of a database in use.
const findBroken = prepare(
  build.all<LedgerFinding>(sql`
    WITH books AS MATERIALIZED (
      SELECT account_id, api_key_id, count(*) AS entries, sum(amount_micro) AS moved,
        coalesce(-sum(amount_micro) FILTER (WHERE kind = 'charge'), 0) AS charged
      FROM ledger GROUP BY 1, 2),
    sums AS (
      SELECT accounts.id AS accountId, balance_micro AS balance,
        (SELECT coalesce(sum(moved), 0) FROM books WHERE account_id = accounts.id) AS entries,
        (SELECT coalesce(sum(charged), 0) FROM books WHERE account_id = accounts.id AND api_key_id IS NOT NULL) AS charged,
        (SELECT coalesce(sum(spent_micro), 0) FROM usage_days WHERE account_id = accounts.id) AS used,
        (SELECT coalesce(sum(amount_micro), 0) FROM holds WHERE account_id = accounts.id) AS held
      FROM accounts),
    spending AS (
      SELECT min(account_id) AS accountId, api_key_id AS keyId, sum(charged) AS charged,
        (SELECT coalesce(sum(spent_micro), 0) FROM key_months WHERE api_key_id = books.api_key_id) AS spent
      FROM books WHERE api_key_id IS NOT NULL GROUP BY 2)
    SELECT accountId, 'balance is the sum of the ledger' AS law, entries AS expected, balance AS found
      FROM sums WHERE balance <> entries
    UNION ALL SELECT account_id, 'a ledger row has its account', 0, sum(entries)
      FROM books WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id
    UNION ALL SELECT accountId, 'usage by day is the sum of the charges', charged, used FROM sums WHERE charged <> used
    UNION ALL SELECT accountId, 'spending by month of ' || keyId || ' is the sum of its charges', charged, spent
      FROM spending WHERE charged <> spent
    UNION ALL SELECT accountId, 'balance is not negative', 0, balance FROM sums WHERE balance < 0
    UNION ALL SELECT accountId, 'open holds are covered by the balance', balance, held FROM sums WHERE held > balance
    UNION ALL SELECT account_id, 'a hold has at most one ledger row', 1, count(*)
      FROM ledger WHERE hold_id IS NOT NULL GROUP BY hold_id HAVING count(*) > 1
    UNION ALL SELECT holds.account_id, 'an open hold has no ledger row', 0, count(*)
      FROM holds JOIN ledger ON ledger.hold_id = holds.id GROUP BY holds.id`),
);

/** Checks every account. An empty list means that no invariant is broken. */
export function checkLedger(database: Database): Promise<LedgerFinding[]> {
  return database.execute(findBroken);
}
