/**
 * Settles a hold once the request has ended: writes its ledger row, and a trigger deletes the hold. Idempotent, one round trip.
 * hold.ts takes the hold; sweep.ts ends those that nobody settled. docs/storage.md has the rules.
 */
import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { billableOutput, type Usage } from "../../shared/chat.ts";
import type { KeySource, ProviderKind } from "../../shared/providers.ts";
import type { UsageFlag } from "../../shared/usage-flags.ts";
import { build, type Database, prepare, value } from "../db/client.ts";
import { isDatabaseUnavailable } from "../db/connection.ts";
import type { GenerationNotes } from "../db/generation-notes.ts";
import { ledger } from "../db/schema.ts";

/** What a charge writes into each column: the compiler demands a value for a new one. */
const chargeValues: Readonly<Record<Exclude<keyof typeof ledger.$inferInsert, "id">, SQL | Placeholder>> = {
  accountId: sql`account_id`,
  apiKeyId: value("apiKeyId"),
  kind: sql`'charge'`,
  // A charge is never larger than its hold, so a balance that covered the hold covers the charge.
  amountMicro: sql`-min(${value("chargeMicro")}, amount_micro)`,
  holdId: sql`id`,
  requestId: value("requestId"),
  model: value("model"),
  executionLlm: value("executionLlm"),
  provider: value("provider"),
  keySource: value("keySource"),
  markup: value("markup"),
  planningTokens: value("planningTokens"),
  inputTokens: value("inputTokens"),
  outputTokens: value("outputTokens"),
  cachedTokens: value("cachedTokens"),
  cacheWriteTokens: value("cacheWriteTokens"),
  reasoningTokens: value("reasoningTokens"),
  reportedCostMicro: value("reportedCostMicro"),
  prices: value("prices"),
  generation: value("generation"),
  outcome: value("outcome"),
  flag: sql`coalesce(${value("flag")}, CASE WHEN ${value("chargeMicro")} > amount_micro THEN 'capped_at_hold' END)`,
  reason: value("reason"),
  createdAt: value("now"),
};
const chargeColumns = (Object.keys(chargeValues) as (keyof typeof chargeValues)[]).map((name) =>
  sql.identifier(ledger[name].name),
);

// A trigger deletes the hold.
const insertCharge = prepare(
  build.run(sql`
    INSERT INTO ledger (${sql.join(chargeColumns, sql`, `)})
    SELECT ${sql.join(Object.values(chargeValues), sql`, `)}
    FROM holds WHERE id = ${value("holdId")} AND account_id = ${value("accountId")}`),
);

/** How a request ended and what it costs: one ledger row. */
export type Settlement = {
  holdId: string;
  /** The account the hold is on. */
  accountId: string;
  apiKeyId: string;
  requestId: string;
  /** Micro-credits, >= 0. Only the hold's amount is charged of a larger value, and the row is flagged. */
  chargeMicro: number;
  /** The model name the caller sent. */
  model: string;
  /** The LLM that ran, if one did. */
  executionLlm?: string | undefined;
  provider?: ProviderKind | undefined;
  keySource?: KeySource | undefined;
  /** 0.25 on the pool, else 0. */
  markup: number;
  planningTokens: number;
  /** Recorded with `billableOutput` as its output tokens, the count that was charged. */
  usage?: Usage | undefined;
  /** The cost that the aggregator reports, micro-dollars. */
  reportedCostMicro?: number | undefined;
  /** The prices that the charge was computed from, kept as JSON. */
  prices?: Readonly<Record<string, unknown>> | undefined;
  /** How the answer came about, kept as JSON for GET /v1/generation. */
  generation?: GenerationNotes | undefined;
  outcome: "completed" | "error" | "client_left";
  flag?: UsageFlag | null | undefined;
  /** A short tag for the operator, such as an error code: never a prompt, an answer or a key. */
  reason?: string | undefined;
  /** Unix milliseconds. */
  now: number;
};

export type RetryPolicy = {
  sleep: (delayMs: number) => Promise<unknown>;
  /** Pauses between attempts. With 5 s a statement, the whole must fit the 30 s after a client has left. */
  delaysMs?: readonly number[];
};
const defaultRetry: RetryPolicy = {
  sleep: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs)),
};

/**
 * Charges a hold and ends it. A hold that is already settled or released is left alone, so calling twice
 * charges once, and a call whose reply was lost may be retried. Throws DatabaseError when the database stays unreachable: the
 * sweep then ends the hold, and charges what the request last reported (sweep.ts).
 */
export async function settle(database: Database, request: Settlement, retry = defaultRetry): Promise<void> {
  const values = settlementValues(request);
  for (const delayMs of retry.delaysMs ?? [100, 500, 2000]) {
    try {
      await database.execute(insertCharge, values);
      return;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      await retry.sleep(delayMs);
    }
  }
  await database.execute(insertCharge, values);
}

/** Larger than any context window. */
const maxTokens = 1_000_000_000;

/** On a caller's own key reports are not validated. Clamped, since sums over the ledger must stay below 2^53. */
const countOf = (tokens: number | undefined): number | null =>
  tokens === undefined ? null : Math.min(Math.max(0, Math.trunc(tokens) || 0), maxTokens);

function settlementValues(settlement: Settlement): Record<string, unknown> {
  const { usage } = settlement;
  return {
    ...settlement,
    executionLlm: settlement.executionLlm ?? null,
    provider: settlement.provider ?? null,
    keySource: settlement.keySource ?? null,
    inputTokens: countOf(usage?.input),
    outputTokens: countOf(usage && billableOutput(usage)),
    cachedTokens: countOf(usage?.cachedInput),
    cacheWriteTokens: countOf(usage?.cacheWrite),
    reasoningTokens: countOf(usage?.reasoning),
    reportedCostMicro: settlement.reportedCostMicro ?? null,
    prices: settlement.prices === undefined ? null : JSON.stringify(settlement.prices),
    generation: settlement.generation === undefined ? null : JSON.stringify(settlement.generation),
    flag: settlement.flag ?? null,
    reason: settlement.reason ?? null,
  };
}
