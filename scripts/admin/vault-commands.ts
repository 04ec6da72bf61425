/** The operator's command on the vault. */
import { randomBytes } from "node:crypto";
import { readVaultKeys } from "../../edge/env.ts";
import { rotateKeys } from "../../edge/vault/rotate.ts";
import { createSealer } from "../../edge/vault/seal.ts";
import type { Command } from "./command.ts";
import { AdminError } from "./failure.ts";

export const vaultCommands: readonly Command[] = [
  {
    name: "vault rotate",
    summary:
      "Moves every stored provider key under the first key of VAULT_KEYS; fails if one cannot be opened",
    options: {},
    async run({ database, readVaultKeys: readText }) {
      const keys = readVaultKeys(await readText());
      if (keys.length === 0)
        throw new AdminError("The vault is disabled: set VAULT_KEYS to kid:base64(32 bytes).");
      const sealer = createSealer(keys, (length) => new Uint8Array(randomBytes(length)));
      const { resealed, unreadable, olderAnswers } = await rotateKeys(database, sealer);
      const rows = unreadable.map(({ accountId, provider, reason }) => ({
        account_id: accountId,
        provider,
        reason,
      }));
      return {
        output: { sealed_by: keys[0]!.id, resealed, older_answers: olderAnswers, unreadable: rows },
        failed: rows.length > 0,
      };
    },
  },
];
