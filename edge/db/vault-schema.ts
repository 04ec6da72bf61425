/** Tables of sealed texts (edge/vault/seal.ts): like edge/db/schema.ts a source of `npm run migration`. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { accounts } from "./schema.ts";

/** A caller's own provider keys, sealed. A sealed text opens only in this row, for this account and version. */
export const providerKeys = sqliteTable(
  "provider_keys",
  {
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    provider: text("provider").notNull(),
    version: integer("version").notNull(),
    /** `kid.` and base64url of IV, ciphertext and tag (edge/vault/seal.ts). */
    sealed: text("sealed").notNull(),
    /** When the provider last accepted the key. */
    validatedAt: integer("validated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.provider] })],
);

/** The version that a stored key must have. It only grows, also when the key is deleted, so an old row never counts again. */
export const providerKeyVersions = sqliteTable(
  "provider_key_versions",
  {
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    provider: text("provider").notNull(),
    version: integer("version").notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.provider] })],
);

/** One row per request with an Idempotency-Key: in progress while `answer` is null. Kept 24 hours. */
export const storedAnswers = sqliteTable(
  "stored_answers",
  {
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    /** SHA-256 of the caller's key, hex. */
    keyHash: text("key_hash").notNull(),
    /** The hold of the request that runs or ran under this key. */
    holdId: text("hold_id").notNull(),
    /** Sealed hash of method, path and body. */
    fingerprint: text("fingerprint").notNull(),
    /** Sealed status, headers and compressed body. */
    answer: text("answer"),
    /** Length of `answer`, which counts against the account's bound; 0 if it only records that the answer was lost. */
    answerBytes: integer("answer_bytes").notNull().default(0),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.keyHash] }),
    index("stored_answers_by_age").on(table.createdAt),
  ],
);
