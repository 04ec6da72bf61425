/**
 * Seals every stored key anew with the first master key, while the service runs. A key that its owner changes meanwhile is left
 * as it is. Kept answers are not moved: they are deleted a day after they were sealed.
 */
import type { Database } from "../db/client.ts";
import { listKeysSealedOtherwise, reseal } from "../db/provider-keys.ts";
import { countAnswersSealedOtherwise } from "../db/stored-answers.ts";
import { providerKeyContext } from "./provider-keys.ts";
import { SealError, type Sealer, type SealFailure } from "./seal.ts";

export type Rotation = {
  resealed: number;
  /** Stored keys that none of the given master keys opens; they stay as they are. */
  unreadable: { accountId: string; provider: string; sealed: string; reason: SealFailure }[];
  /** Kept answers that still need an older master key. */
  olderAnswers: number;
};

/** Throws DatabaseError. May be run again at any time. */
export async function rotateKeys(database: Database, sealer: Sealer, pageSize = 200): Promise<Rotation> {
  const rotation: Rotation = { resealed: 0, unreadable: [], olderAnswers: 0 };
  let after = { accountId: "", provider: "" };
  for (;;) {
    const rows = await listKeysSealedOtherwise(database, { prefix: sealer.prefix, after, limit: pageSize });
    for (const row of rows) {
      const context = providerKeyContext(row.accountId, row.provider, row.version);
      try {
        await reseal(database, row, await sealer.seal(context, await sealer.open(context, row.sealed)));
        rotation.resealed += 1;
      } catch (error) {
        if (!(error instanceof SealError)) throw error;
        const { accountId, provider, sealed } = row;
        rotation.unreadable.push({ accountId, provider, sealed, reason: error.reason });
      }
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last;
  }
  rotation.olderAnswers = await countAnswersSealedOtherwise(database, sealer.prefix);
  return rotation;
}
