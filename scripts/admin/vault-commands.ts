/** The operator's commands on the vault. */
import { randomBytes } from "node:crypto";
import { deleteKeys } from "../../edge/db/provider-keys.ts";
import { readVaultKeys } from "../../edge/env.ts";
import { type Rotation, rotateKeys } from "../../edge/vault/rotate.ts";
import { createSealer } from "../../edge/vault/seal.ts";
import type { ProviderKind } from "../../shared/providers.ts";
import type { Command, Context } from "./command.ts";
import { AdminError } from "./failure.ts";

/** @throws AdminError before anything is changed, if the running service could not open what would be sealed */
async function rotate({ database, vaultKeyIds, findVaultKeys }: Context) {
  const keys = readVaultKeys(await findVaultKeys());
  const [first, ...older] = keys.map(({ id }) => id);
  if (first === undefined)
    throw new AdminError("The vault is disabled: set VAULT_KEYS to kid:base64(32 bytes).");
  if (vaultKeyIds?.includes(first) === false)
    throw new AdminError(
      `The running service does not have the key ${first}, so it could not open what this command seals: start it ` +
        "with this VAULT_KEYS first.",
    );
  const sealer = createSealer(keys, (length) => new Uint8Array(randomBytes(length)));
  const rotation = await rotateKeys(database, sealer);
  return { ...rotation, sealedBy: first, older, serviceSealsBy: vaultKeyIds?.[0] ?? first };
}

/** What is left to do. Without it, "resealed 0" would read like a finished rotation where VAULT_KEYS is still the old value. */
function nextStep({ sealedBy, serviceSealsBy, older, olderAnswers, unreadable }: Rotated): string {
  if (serviceSealsBy !== sealedBy)
    return (
      `The running service seals with ${serviceSealsBy}, not ${sealedBy}: give both the same VAULT_KEYS, the new key ` +
      "first, and run this again."
    );
  if (unreadable.length > 0) return "Add the keys that opened the rest, or give it up: vault discard.";
  if (older.length === 0)
    return `VAULT_KEYS has ${sealedBy} alone: to rotate, put a new key before it, here and at the service.`;
  if (olderAnswers > 0) return `Keep ${older.join(", ")} for the kept answers, which expire within a day.`;
  return `Nothing is sealed with ${older.join(", ")} any more: take it out of VAULT_KEYS, unless it is the newer one.`;
}

type Rotated = Awaited<ReturnType<typeof rotate>>;

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
      const rotated = await rotate(context);
      const { sealedBy, serviceSealsBy, resealed, olderAnswers, unreadable } = rotated;
      return {
        output: {
          sealed_by: sealedBy,
          resealed,
          older_answers: olderAnswers,
          next: nextStep(rotated),
          unreadable: unreadable.map(describeRow),
        },
        failed: unreadable.length > 0 || (resealed === 0 && serviceSealsBy !== sealedBy),
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
      // Without --lost, rows sealed by another vault key are kept: with a wrong VAULT_KEYS in this shell they are all of the service's rows.
      const [kept, given] = [unreadable.filter(isOfOtherKey), unreadable.filter((row) => !isOfOtherKey(row))];
      const discarded = isLost ? unreadable : given;
      for (const { accountId, provider, sealed } of discarded) {
        await deleteKeys(context.database, { accountId, provider: provider as ProviderKind, sealed });
      }
      return { output: { discarded: discarded.map(describeRow), kept: isLost ? [] : kept.map(describeRow) } };
    },
  },
];
