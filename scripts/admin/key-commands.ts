/** The operator's commands on API keys. */
import { randomBytes } from "node:crypto";
import { createApiKey, hashApiKey, showPrefix } from "../../edge/api-key.ts";
import { addApiKey, revokeApiKey } from "../../edge/db/api-keys.ts";
import { listApiKeys, listNewestApiKeys } from "../../edge/db/list-api-keys.ts";
import { maxActiveKeys, maxKeyNameChars } from "../../edge/db/schema.ts";
import { toCredits } from "../../shared/credits.ts";
import { randomId } from "../../shared/hex.ts";
import { account, type Command, isoTime, noAccount, readLimit, showAccount } from "./command.ts";
import { AdminError } from "./failure.ts";

export const keyCommands: readonly Command[] = [
  {
    name: "key create",
    summary: `Creates an API key, shown once; an account has at most ${maxActiveKeys} active ones`,
    options: {
      account,
      name: { value: "N", meaning: "what the key is for", maxChars: maxKeyNameChars },
      manage: { meaning: "may make, change and end keys of its account (/v1/account/api-keys)" },
    },
    async run({ database, now, options: { account: accountId, name, manage } }) {
      const apiKey = createApiKey(randomBytes(32));
      const keyId = `key_${randomId()}`;
      const key = {
        keyId,
        accountId: accountId!,
        name: name!,
        hash: await hashApiKey(apiKey),
        prefix: showPrefix(apiKey),
        manage: manage !== undefined,
        now,
      };
      const outcome = await addApiKey(database, key);
      if (outcome === "account_unknown") throw noAccount(accountId);
      if (outcome === "too_many_keys") {
        throw new AdminError(
          `Account ${accountId} already has ${maxActiveKeys} active keys: revoke one first (key list shows them).`,
        );
      }
      return { output: { key_id: keyId, api_key: apiKey, account_id: accountId, name, manage: key.manage } };
    },
  },
  {
    name: "key list",
    summary:
      "Lists the newest keys of all accounts, newest first, or an account's; never the keys themselves",
    options: {
      account: { ...account, optional: true },
      limit: { value: "N", meaning: "how many at most: 100, of one account all", optional: true },
    },
    async run({ database, now, options: { account: accountId, limit: most } }) {
      const limit = most === undefined ? {} : { limit: readLimit(most) };
      if (accountId !== undefined) await showAccount(database, accountId);
      const keys =
        accountId === undefined
          ? await listNewestApiKeys(database, { limit: 100, ...limit, now })
          : await listApiKeys(database, { accountId, ...limit, now });
      return {
        output: {
          keys: keys.map((key) => ({
            key_id: key.keyId,
            account_id: key.accountId,
            name: key.name,
            active: key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now),
            manage: key.manage,
            created_at: isoTime(key.createdAt),
            last_used_at: isoTime(key.lastUsedAt),
            expires_at: isoTime(key.expiresAt),
            monthly_budget: key.monthlyBudgetMicro === null ? null : toCredits(key.monthlyBudgetMicro),
            spent_this_month: toCredits(key.spentThisMonthMicro),
            models: key.models,
            revoked_at: isoTime(key.revokedAt),
          })),
        },
      };
    },
  },
  {
    name: "key revoke",
    summary: "Revokes a key at once; this cannot be undone",
    options: { key: { value: "ID", meaning: "the key, key_…" } },
    async run({ database, now, options: { key } }) {
      if (!(await revokeApiKey(database, key!, now))) throw new AdminError(`There is no key ${key}.`);
      return { output: { key_id: key, revoked: true } };
    },
  },
];
