/** The operator's commands on the vault. */
import { randomBytes } from "node:crypto";
import { deleteKeys } from "../../edge/db/provider-keys.ts";
import { readVaultKeys } from "../../edge/env.ts";
import { type Rotation, rotateKeys } from "../../edge/vault/rotate.ts";
import { createSealer } from "../../edge/vault/seal.ts";
import type { ProviderKind } from "../../shared/providers.ts";
import type { Command, Context } from "./command.ts";
import { AdminError } from "./failure.ts";

async function rotate({ database, findVaultKeys }: Context) {
  const keys = readVaultKeys(await findVaultKeys());
  if (keys.length === 0)
    throw new AdminError("The vault is disabled: set VAULT_KEYS to kid:base64(32 bytes).");
  const sealer = createSealer(keys, (length) => new Uint8Array(randomBytes(length)));
  return { sealedBy: keys[0]!.id, ...(await rotateKeys(database, sealer)) };
}

const describeRow = ({ accountId, provider, reason }: Rotation["unreadable"][number]) => ({
  account_id: accountId,
  provider,
  reason,
});

const isOfOtherKey = ({ reason }: Rotation["unreadable"][number]): boolean => reason === "unknown_master_key";

export const vaultCommands: readonly Command[] = [
  {
    name: "vault rotate",
    summary:
      "Encrypts every stored provider key anew with the first key of VAULT_KEYS; fails if one cannot be decrypted",
    options: {},
    async run(context) {
      const { sealedBy, resealed, olderAnswers, unreadable } = await rotate(context);
      return {
        output: {
          sealed_by: sealedBy,
          resealed,
          older_answers: olderAnswers,
          unreadable: unreadable.map(describeRow),
        },
        failed: unreadable.length > 0,
      };
    },
  },
  {
    name: "vault discard",
    summary:
      "Deletes the stored provider keys that VAULT_KEYS should decrypt and does not; their owners have to store them again",
    options: {
      lost: { meaning: "also those of a vault key that VAULT_KEYS does not have: it is lost for good" },
    },
    async run(context) {
      const { unreadable } = await rotate(context);
      const isLost = context.options.lost !== undefined;
      // Without the service's own VAULT_KEYS in this shell every key that it opens would be among them.
      const [kept, given] = [unreadable.filter(isOfOtherKey), unreadable.filter((row) => !isOfOtherKey(row))];
      const discarded = isLost ? unreadable : given;
      for (const { accountId, provider, sealed } of discarded) {
        await deleteKeys(context.database, { accountId, provider: provider as ProviderKind, sealed });
      }
      return { output: { discarded: discarded.map(describeRow), kept: isLost ? [] : kept.map(describeRow) } };
    },
  },
];
