/**
 * Tables of the service: the source `npm run migration` generates `drizzle/` from. All money is integer
 * micro-credits (1 credit = 1 US dollar = 1_000_000), all times are Unix milliseconds. What tables alone
 * cannot hold (append-only ledger, balance = sum of ledger) is in the triggers migration; docs/storage.md.
 */
import { sql } from "drizzle-orm";
import { check, index, integer, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { answerIdOf, type GenerationNotes } from "./generation-notes.ts";

/** Active API keys an account may hold; one slot each. */
export const maxActiveKeys = 3;
export const maxKeyNameChars = 100;

export const accounts = sqliteTable(
  "accounts",
  {
    id: text("id").primaryKey(),
    email: text("email").notNull(),
    /** Written only by the ledger's insert trigger. */
    balanceMicro: integer("balance_micro").notNull().default(0),
    createdAt: integer("created_at").notNull(),
    suspendedAt: integer("suspended_at"),
    /** May see the operator's pages. */
    isOperator: integer("is_operator", { mode: "boolean" }).notNull().default(false),
    /** Sum of its `stored_answers.answer_bytes`. Written only by that table's triggers. */
    keptAnswerBytes: integer("kept_answer_bytes").notNull().default(0),
  },
  (table) => [
    // The upper end is Number.MAX_SAFE_INTEGER: every balance can be read as a JavaScript number, exactly.
    check("balance_in_range", sql`${table.balanceMicro} BETWEEN 0 AND 9007199254740991`),
    index("accounts_by_email").on(sql`lower(${table.email})`),
  ],
);

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    name: text("name").notNull(),
    /** SHA-256 of the key, hex: the key itself is never stored. */
    hash: text("hash").notNull().unique(),
    slot: integer("slot").notNull(),
    /** The first characters of the key, for people to tell keys apart; null for keys older than this column. */
    prefix: text("prefix"),
    /** May make, change and end keys of its account. */
    manage: integer("manage", { mode: "boolean" }).notNull().default(false),
    /**
     * Not a key but the account's console seat, under which its sessions spend. It is created revoked, so it takes no slot, and
     * its hash is of no key.
     */
    isConsole: integer("is_console", { mode: "boolean" }).notNull().default(false),
    expiresAt: integer("expires_at"),
    /** Most that may be spent in a calendar month (UTC), open holds included; null: no limit of its own. */
    monthlyBudgetMicro: integer("monthly_budget_micro"),
    /** Model names it may use; null: all. */
    models: text("models", { mode: "json" }).$type<string[]>(),
    createdAt: integer("created_at").notNull(),
    revokedAt: integer("revoked_at"),
  },
  (table) => [
    check("slot_in_range", sql`${table.slot} IN (1, 2, 3)`),
    uniqueIndex("api_keys_active_slot")
      .on(table.accountId, table.slot)
      .where(sql`${table.revokedAt} IS NULL`),
    index("api_keys_by_account").on(table.accountId, table.createdAt),
  ],
);

/** Short-lived tokens made from a key, for browsers. Deleted some time after they expire. */
export const accessTokens = sqliteTable(
  "access_tokens",
  {
    id: text("id").primaryKey(),
    apiKeyId: text("api_key_id")
      .notNull()
      .references(() => apiKeys.id),
    /** The session it was made in and ends with; null for one that was made with a key. */
    sessionId: text("session_id"),
    /** SHA-256 of the token, hex. */
    hash: text("hash").notNull().unique(),
    /** The endpoints it may call, by the names of `tokenEndpoints` (edge/db/access-tokens.ts). */
    endpoints: text("endpoints", { mode: "json" }).$type<string[]>().notNull(),
    /** Model names it may use, if its key's list has them, too; null: all that its key may use. */
    models: text("models", { mode: "json" }).$type<string[]>(),
    /** Most it may spend, open holds included; null: no limit of its own. */
    maxMicro: integer("max_micro"),
    /** Written only by the ledger's insert trigger. */
    spentMicro: integer("spent_micro").notNull().default(0),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("access_tokens_by_expiry").on(table.expiresAt)],
);

/** Silence after which the request of a hold counts as dead: longer than any request may live. */
export const deadAfterMs = 15 * 60_000;

/** How far the clocks of two edges may be apart: a row that is dated further ahead was written before a clock was set back. */
export const clocksApartMs = 60_000;

/** Open holds only: settling or releasing one moves it to the ledger, never elsewhere (triggers). */
export const holds = sqliteTable(
  "holds",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    apiKeyId: text("api_key_id").notNull(),
    /** The token the request came with, where it came with one. */
    tokenId: text("token_id"),
    amountMicro: integer("amount_micro").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    check("hold_is_whole", sql`typeof(${table.amountMicro}) = 'integer' AND ${table.amountMicro} >= 0`),
    // Covers the sums of the open holds of an account, of a key and of a token, which every reservation reads.
    index("holds_by_account").on(table.accountId, table.apiKeyId, table.tokenId, table.amountMicro),
    index("holds_by_age").on(table.createdAt),
  ],
);

/** What a long request records at intervals: that it still runs, and what it would be charged if it ended then. */
export const holdProgress = sqliteTable("hold_progress", {
  holdId: text("hold_id").primaryKey(),
  chargeMicro: integer("charge_micro").notNull(),
  seenAt: integer("seen_at").notNull(),
  requestId: text("request_id"),
  model: text("model"),
  executionLlm: text("execution_llm"),
  keySource: text("key_source", { enum: ["user", "pool"] }),
  markup: real("markup"),
});

export const ledger = sqliteTable(
  "ledger",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    kind: text("kind", { enum: ["credit", "charge", "release"] }).notNull(),
    /** Signed: credits add, charges subtract, releases are 0. */
    amountMicro: integer("amount_micro").notNull(),
    /** Unique: the guard that settles a hold once. */
    holdId: text("hold_id").unique(),
    requestId: text("request_id"),
    apiKeyId: text("api_key_id"),
    model: text("model"),
    executionLlm: text("execution_llm"),
    provider: text("provider"),
    keySource: text("key_source", { enum: ["user", "pool"] }),
    /** 0.25 on the pool, 0 on a caller's own key. */
    markup: real("markup"),
    planningTokens: integer("planning_tokens"),
    inputTokens: integer("input_tokens"),
    outputTokens: integer("output_tokens"),
    cachedTokens: integer("cached_tokens"),
    cacheWriteTokens: integer("cache_write_tokens"),
    reasoningTokens: integer("reasoning_tokens"),
    /** The cost that the aggregator reports, if it reports one. */
    reportedCostMicro: integer("reported_cost_micro"),
    /** The prices the charge was computed from. */
    prices: text("prices", { mode: "json" }).$type<Readonly<Record<string, unknown>>>(),
    /** How the answer came about, read by its id (edge/billing/generation.ts). */
    generation: text("generation", { mode: "json" }).$type<GenerationNotes>(),
    outcome: text("outcome", { enum: ["completed", "error", "client_left"] }),
    flag: text("flag"),
    reason: text("reason"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    check(
      "amount_fits_kind",
      sql`typeof(${table.amountMicro}) = 'integer' AND CASE ${table.kind}
        WHEN 'credit' THEN ${table.amountMicro} > 0 AND ${table.holdId} IS NULL
        WHEN 'charge' THEN ${table.amountMicro} <= 0 AND ${table.holdId} IS NOT NULL
        WHEN 'release' THEN ${table.amountMicro} = 0 AND ${table.holdId} IS NOT NULL
        ELSE FALSE END`,
    ),
    index("ledger_by_account").on(table.accountId, table.id),
    // Callers choose request ids, and may give one to a million requests: with the account, the newest row is found at once.
    index("ledger_by_request")
      .on(table.requestId, table.accountId)
      .where(sql`${table.requestId} IS NOT NULL`),
    index("ledger_by_answer")
      .on(answerIdOf(table.generation))
      .where(sql`${answerIdOf(table.generation)} IS NOT NULL`),
    index("ledger_by_time").on(table.createdAt),
  ],
);

/** Last good copy of an outside model list, so that a restart does not need its source. */
export const catalogSnapshots = sqliteTable("catalog_snapshots", {
  source: text("source").primaryKey(),
  body: text("body").notNull(),
  fetchedAt: integer("fetched_at").notNull(),
});
