/**
 * Checks whether the given master keys open the sealed rows in the database, so that a lost or wrong secrets.json is noticed at
 * the start, before callers' keys fail one by one.
 */
import { randomBytes } from "node:crypto";
import { openDatabase } from "../../edge/db/client.ts";
import { listKeysSealedOtherwise, type SealedRow } from "../../edge/db/provider-keys.ts";
import { readVaultKeys } from "../../edge/env.ts";
import { providerKeyContext } from "../../edge/vault/provider-keys.ts";
import { createSealer, type Sealer } from "../../edge/vault/seal.ts";
import type { EdgeVariables } from "./edge-variables.ts";
import { StartError } from "./settings.ts";

const pageSize = 500;
/** Rows tried of each master key: a single damaged row must not keep the service from starting. */
const maxTried = 20;

/** @throws StartError that names `path`, if there are sealed rows of a key and none of them opens */
export async function checkVault(variables: EdgeVariables, path: string): Promise<void> {
  const keys = readVaultKeys(variables.VAULT_KEYS ?? "");
  // Without keys the vault is off, as the operator has set it.
  if (keys.length === 0) return;
  const database = openDatabase({ url: variables.LIBSQL_URL!, authToken: variables.LIBSQL_AUTH_TOKEN });
  const sealer = createSealer(keys, (length) => new Uint8Array(randomBytes(length)));
  const byKey = new Map<string, { rows: number; opened: boolean }>();
  for (let after: SealedRow | undefined, page = [] as SealedRow[]; ; after = page.at(-1)) {
    page = await listKeysSealedOtherwise(database, {
      // Matches no key's prefix, so every row is listed.
      prefix: "*.",
      after: after ?? { accountId: "", provider: "" },
      limit: pageSize,
    });
    for (const row of page) {
      const id = row.sealed.slice(0, Math.max(0, row.sealed.indexOf(".")));
      const seen = byKey.get(id) ?? { rows: 0, opened: false };
      seen.rows += 1;
      if (!seen.opened && seen.rows <= maxTried) seen.opened = await opens(sealer, row);
      byKey.set(id, seen);
    }
    if (page.length < pageSize) break;
  }
  const lost = [...byKey].filter(([, { opened }]) => !opened);
  if (lost.length === 0) return;
  const rows = lost.reduce((sum, [, { rows }]) => sum + rows, 0);
  throw new StartError(
    `${rows} provider keys in the database were sealed with ${lost.map(([id]) => id || "a key without a name").join(", ")}, ` +
      `and no key of ${path} or VAULT_KEYS opens them. Restore ${path} from its backup, or set VAULT_KEYS to the keys of then; ` +
      "VAULT_KEYS= (empty) starts without the vault, `npm run admin -- vault discard --lost` gives those keys up.",
  );
}

async function opens(sealer: Sealer, { accountId, provider, version, sealed }: SealedRow): Promise<boolean> {
  return sealer.open(providerKeyContext(accountId, provider, version), sealed).then(
    () => true,
    () => false,
  );
}
