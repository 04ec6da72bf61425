/** The operator's commands on the ledger: list it, check it, and compare it with the aggregator's costs. */
import { checkLedger } from "../../edge/billing/ledger-check.ts";
import { addFlags, describeDay, losesMoney, reconcile } from "../../edge/billing/reconcile.ts";
import { listLedger } from "../../edge/db/accounts.ts";
import { toCredits } from "../../shared/credits.ts";
import { account, type Command, isoTime, readLimit, showAccount } from "./command.ts";

export const ledgerCommands: readonly Command[] = [
  {
    name: "ledger list",
    summary: "Lists an account's ledger, newest first",
    options: { account, limit: { value: "N", meaning: "how many rows at most", fallback: "100" } },
    async run({ database, options }) {
      const limit = readLimit(options.limit!);
      await showAccount(database, options.account!);
      const rows = await listLedger(database, options.account!, limit);
      return { output: { entries: rows.map(ledgerEntry) } };
    },
  },
  {
    name: "ledger check",
    summary: "Checks that every balance is the sum of its ledger and covers its holds; fails if one does not",
    options: {},
    async run({ database }) {
      const findings = (await checkLedger(database)).map(({ accountId, law, expected, found }) => ({
        account_id: accountId,
        law,
        expected: toCredits(expected),
        found: toCredits(found),
      }));
      return { output: { ok: findings.length === 0, findings }, failed: findings.length > 0 };
    },
  },
  {
    name: "ledger reconcile",
    summary:
      "Compares what the pool's callers were charged with the cost that the aggregator reports; fails on a loss",
    options: { days: { value: "N", meaning: "how many days back", fallback: "30" } },
    async run({ database, options }) {
      const since = Date.now() - readLimit(options.days!, "--days") * 86_400_000;
      const days = await reconcile(database, since);
      const ok = !days.some(losesMoney);
      const flags = days.map((day) => day.flags).reduce(addFlags, {});
      return { output: { ok, flags, days: days.map(describeDay) }, failed: !ok };
    },
  },
];

function ledgerEntry(row: Awaited<ReturnType<typeof listLedger>>[number]) {
  return {
    id: row.id,
    created_at: isoTime(row.createdAt),
    kind: row.kind,
    amount: toCredits(row.amountMicro),
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
    reported_cost: row.reportedCostMicro === null ? null : toCredits(row.reportedCostMicro),
    prices: row.prices,
    outcome: row.outcome,
    flag: row.flag,
    reason: row.reason,
    hold_id: row.holdId,
    request_id: row.requestId,
    api_key_id: row.apiKeyId,
  };
}
