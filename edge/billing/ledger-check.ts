/** Checks the ledger: each invariant is a query that finds the accounts that break it. */
import { sql } from "drizzle-orm";
import { build, type Database, prepare, value } from "../db/client.ts";

/** A broken invariant. Amounts are micro-credits: what the invariant expects, and what the tables hold. */
export type LedgerFinding = { accountId: string; law: string; expected: number; found: number };

type AccountSize = { accountId: string; entries: number };

/** Accounts that one answer lists: sqld refuses one of more than 10 MB, some 110,000 accounts. */
const maxListed = 20_000;

const selectSizes = prepare(
  build.all<AccountSize>(sql`
    SELECT id AS accountId, (SELECT count(*) FROM ledger WHERE account_id = accounts.id) AS entries FROM accounts
    WHERE id > ${value("after")} ORDER BY id LIMIT ${maxListed}`),
);

const isInPage = sql`IN (SELECT value FROM json_each(${value("accountIds")}))`;

// One statement, so that all invariants of an account are checked at one moment of a database in use.
const findBroken = prepare(
  build.all<LedgerFinding>(sql`
    WITH books AS MATERIALIZED (
      SELECT account_id, api_key_id, count(*) AS entries, sum(amount_micro) AS moved,
        coalesce(-sum(amount_micro) FILTER (WHERE kind = 'charge'), 0) AS charged
      FROM ledger WHERE account_id ${isInPage} GROUP BY 1, 2),
    sums AS (
      SELECT accounts.id AS accountId, balance_micro AS balance,
        (SELECT coalesce(sum(moved), 0) FROM books WHERE account_id = accounts.id) AS entries,
        (SELECT coalesce(sum(charged), 0) FROM books WHERE account_id = accounts.id AND api_key_id IS NOT NULL) AS charged,
        (SELECT coalesce(sum(spent_micro), 0) FROM usage_days WHERE account_id = accounts.id) AS used,
        (SELECT coalesce(sum(amount_micro), 0) FROM holds WHERE account_id = accounts.id) AS held
      FROM accounts WHERE id ${isInPage}),
    spending AS (
      SELECT min(account_id) AS accountId, api_key_id AS keyId, sum(charged) AS charged,
        (SELECT coalesce(sum(spent_micro), 0) FROM key_months WHERE api_key_id = books.api_key_id) AS spent
      FROM books WHERE api_key_id IS NOT NULL GROUP BY 2)
    SELECT accountId, 'balance is the sum of the ledger' AS law, entries AS expected, balance AS found
      FROM sums WHERE balance <> entries
    UNION ALL SELECT accountId, 'usage by day is the sum of the charges', charged, used FROM sums WHERE charged <> used
    UNION ALL SELECT accountId, 'spending by month of ' || keyId || ' is the sum of its charges', charged, spent
      FROM spending WHERE charged <> spent
    UNION ALL SELECT accountId, 'balance is not negative', 0, balance FROM sums WHERE balance < 0
    UNION ALL SELECT accountId, 'open holds are covered by the balance', balance, held FROM sums WHERE held > balance
    UNION ALL SELECT holds.account_id, 'an open hold has no ledger row', 0, count(*)
      FROM holds JOIN ledger ON ledger.hold_id = holds.id WHERE holds.account_id ${isInPage} GROUP BY holds.id`),
);

// Both read a whole index of the ledger, and its rows only where one is broken.
const findBrokenRows = prepare(
  build.all<LedgerFinding>(sql`
    SELECT account_id AS accountId, 'a ledger row has its account' AS law, 0 AS expected, sum(amount_micro) AS found
      FROM ledger WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id
    UNION ALL SELECT account_id, 'a hold has at most one ledger row', 1, count(*) FROM ledger WHERE hold_id IN
      (SELECT hold_id FROM ledger WHERE hold_id IS NOT NULL GROUP BY hold_id HAVING count(*) > 1) GROUP BY hold_id`),
);

/**
 * Ledger rows that one statement reads, which takes some 50 ms of one of the embedded database's few connections. An
 * account with more rows is read in one statement all the same.
 */
const maxPageEntries = 20_000;

function cutPages(sizes: readonly AccountSize[]): string[][] {
  const pages: string[][] = [];
  let room = 0;
  for (const { accountId, entries } of sizes) {
    // An account without rows is read, too.
    const cost = entries + 1;
    if (cost > room) {
      pages.push([]);
      room = maxPageEntries;
    }
    pages.at(-1)!.push(accountId);
    room -= cost;
  }
  return pages;
}

/** Checks every account. An empty list means that no invariant is broken. Throws DatabaseError. */
export async function checkLedger(database: Database): Promise<LedgerFinding[]> {
  const findings = await database.execute(findBrokenRows);
  for (let after = ""; ; ) {
    const sizes = await database.execute(selectSizes, { after });
    for (const page of cutPages(sizes))
      findings.push(...(await database.execute(findBroken, { accountIds: JSON.stringify(page) })));
    if (sizes.length < maxListed) return findings;
    after = sizes.at(-1)!.accountId;
  }
}
