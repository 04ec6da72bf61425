/**
 * Tables of sums and counts: like edge/db/schema.ts a source of `npm run migration`. The sums are written by triggers
 * on the ledger and by nothing else, so they cannot differ from it.
 */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** What each key was charged in each calendar month (UTC). Written only by the ledger's insert trigger. */
export const keyMonths = sqliteTable(
  "key_months",
  {
    apiKeyId: text("api_key_id").notNull(),
    /** YYYY-MM. */
    month: text("month").notNull(),
    spentMicro: integer("spent_micro").notNull(),
    lastUsedAt: integer("last_used_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.apiKeyId, table.month] })],
);

/** Sums of the ledger's charges by day (UTC), key and model. Written only by the ledger's insert trigger. */
export const usageDays = sqliteTable(
  "usage_days",
  {
    accountId: text("account_id").notNull(),
    /** YYYY-MM-DD. */
    day: text("day").notNull(),
    apiKeyId: text("api_key_id").notNull(),
    model: text("model").notNull(),
    requests: integer("requests").notNull(),
    promptTokens: integer("prompt_tokens").notNull(),
    completionTokens: integer("completion_tokens").notNull(),
    planningTokens: integer("planning_tokens").notNull(),
    spentMicro: integer("spent_micro").notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.day, table.apiKeyId, table.model] })],
);

/** One row per counted request, for limits that hold across isolates. The sweep deletes it a minute after `at`. */
export const rateHits = sqliteTable(
  "rate_hits",
  {
    /** What is limited, such as `balance:` and the API key's id. */
    bucket: text("bucket").notNull(),
    /** When it was counted; later, if its window is longer than a minute (rate-hits.ts). */
    at: integer("at").notNull(),
  },
  (table) => [
    index("rate_hits_by_bucket").on(table.bucket, table.at),
    index("rate_hits_by_age").on(table.at),
  ],
);
