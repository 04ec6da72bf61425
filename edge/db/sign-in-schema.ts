/**
 * Tables of signing in: like edge/db/schema.ts a source of `npm run migration`. Nobody can sign in with what is stored here:
 * sessions and links are SHA-256 of random bits, codes and addresses are keyed hashes (edge/sign-in/keyed-hash.ts).
 */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { accounts, apiKeys } from "./schema.ts";

/** Browsers that are signed in. Signing out deletes the row; the sweep deletes expired ones. */
export const sessions = sqliteTable(
  "sessions",
  {
    id: text("id").primaryKey(),
    /** SHA-256 of the cookie's value, hex. */
    hash: text("hash").notNull().unique(),
    /** The account's console seat, under which the session and its tokens spend (api_keys.is_console). */
    apiKeyId: text("api_key_id")
      .notNull()
      .references(() => apiKeys.id),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("sessions_by_expiry").on(table.expiresAt)],
);

/** One row per code that was asked for. It is kept longer than the code is valid, for the limits. */
export const signInCodes = sqliteTable(
  "sign_in_codes",
  {
    /** Returned to the browser that asked for the code; the code is accepted only together with it. */
    id: text("id").primaryKey(),
    /** Keyed hash of id, address and code. */
    codeHash: text("code_hash").notNull(),
    /** Keyed hashes of the address's mailbox and of the network that asked, for the limits. */
    addressHash: text("address_hash").notNull(),
    networkHash: text("network_hash").notNull(),
    /** The same of the network's site (edge/sign-in/codes.ts). Empty in a row of an older edge. */
    siteHash: text("site_hash").notNull().default(""),
    tries: integer("tries").notNull().default(0),
    usedAt: integer("used_at"),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    index("sign_in_codes_by_address").on(table.addressHash, table.createdAt),
    index("sign_in_codes_by_network").on(table.networkHash, table.createdAt),
    index("sign_in_codes_by_site").on(table.siteHash, table.createdAt),
    index("sign_in_codes_by_age").on(table.createdAt),
  ],
);

/** Links that sign one account in, once: using one deletes its row. */
export const signInLinks = sqliteTable("sign_in_links", {
  /** SHA-256 of the link's secret, hex. */
  hash: text("hash").primaryKey(),
  accountId: text("account_id")
    .notNull()
    .references(() => accounts.id),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

/** Links a person at a provider to an account. The first sign-in or the account's owner writes it; later sign-ins read it. */
export const identities = sqliteTable(
  "identities",
  {
    /** A name in shared/identity-providers.ts. */
    provider: text("provider").notNull(),
    /** The provider's own id of the person. */
    subject: text("subject").notNull(),
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    createdAt: integer("created_at").notNull(),
    /** From then on the identity signs nobody in. The row stays, so that a verified address does not link it to the account again. */
    unlinkedAt: integer("unlinked_at"),
  },
  (table) => [
    primaryKey({ columns: [table.provider, table.subject] }),
    index("identities_by_account").on(table.accountId),
  ],
);

/** Proofs of identity that were used once. Kept for longer than any of them is valid. */
export const signInProofs = sqliteTable(
  "sign_in_proofs",
  {
    /** Keyed hash of a code, or of Telegram's signature. */
    hash: text("hash").primaryKey(),
    /** The session that it began. */
    sessionId: text("session_id").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("sign_in_proofs_by_expiry").on(table.expiresAt)],
);

/** Who has had SIGN_UP_CREDITS: once for a mailbox, whatever is written after a plus sign in its address. */
export const signUpCredits = sqliteTable("sign_up_credits", {
  /** The address's mailbox, or `PROVIDER:SUBJECT` of a person who signed up without a verified address. */
  mailbox: text("mailbox").primaryKey(),
  accountId: text("account_id")
    .notNull()
    .references(() => accounts.id),
  createdAt: integer("created_at").notNull(),
});
