/** The operator's commands on API keys. */
import { randomBytes, randomUUID } from "node:crypto";
import { createApiKey, hashApiKey } from "../../edge/api-key.ts";
import { addApiKey, listApiKeys, revokeApiKey } from "../../edge/db/api-keys.ts";
import { maxActiveKeys } from "../../edge/db/schema.ts";
import { account, type Command, isoTime, noAccount, showAccount } from "./command.ts";
import { AdminError } from "./failure.ts";

export const keyCommands: readonly Command[] = [
  {
    name: "key create",
    summary: `Creates an API key, shown once; an account has at most ${maxActiveKeys} active ones`,
    options: { account, name: { value: "N", meaning: "what the key is for" } },
    async run({ database, now, options: { account: accountId, name } }) {
      const apiKey = createApiKey(randomBytes(32));
      const keyId = `key_${randomUUID().replaceAll("-", "")}`;
      const key = { keyId, accountId: accountId!, name: name!, hash: await hashApiKey(apiKey), now };
      const outcome = await addApiKey(database, key);
      if (outcome === "account_unknown") throw noAccount(accountId);
      if (outcome === "too_many_keys") {
        throw new AdminError(
          `Account ${accountId} already has ${maxActiveKeys} active keys: revoke one first (key list shows them).`,
        );
      }
      return { output: { key_id: keyId, api_key: apiKey, account_id: accountId, name } };
    },
  },
  {
    name: "key list",
    summary: "Lists an account's keys, without the keys themselves",
    options: { account },
    async run({ database, options }) {
      await showAccount(database, options.account!);
      const keys = await listApiKeys(database, options.account!);
      return {
        output: {
          keys: keys.map((key) => ({
            key_id: key.keyId,
            name: key.name,
            active: key.revokedAt === null,
            created_at: isoTime(key.createdAt),
            revoked_at: isoTime(key.revokedAt),
          })),
        },
      };
    },
  },
  {
    name: "key revoke",
    summary: "Ends a key at once and for good",
    options: { key: { value: "ID", meaning: "the key, key_…" } },
    async run({ database, now, options: { key } }) {
      if (!(await revokeApiKey(database, key!, now))) throw new AdminError(`There is no key ${key}.`);
      return { output: { key_id: key, revoked: true } };
    },
  },
];
