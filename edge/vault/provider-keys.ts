/**
 * Converts a caller's own provider keys between plain and sealed form, and caches opened ones. A sealed key is bound to account,
 * provider and version: a row that was moved, put back or altered does not open. Before the provider call only this file sees a
 * stored key in the clear, and rotate.ts, which seals it anew.
 */
import { GatewayError } from "../../shared/errors.ts";
import { inlineKeyHeaders, type ProviderKind } from "../../shared/providers.ts";
import type { Database } from "../db/client.ts";
import { readKeyVersions, type SealedKey, type StoredKey, storeKeys } from "../db/provider-keys.ts";
import { type SealContext, SealError, type Sealer, type SealFailure } from "./seal.ts";

/** The vault of one isolate; a service without VAULT_KEYS has none. */
export type Vault = { sealer: Sealer; cache: KeyCache };

/** Why a stored key cannot be used: for the operator's log. */
export type UnreadableReason = SealFailure | "stale_version" | "vault_disabled";

const utf8 = new TextEncoder();

/** What a stored key is bound to. */
export function providerKeyContext(accountId: string, provider: string, version: number): SealContext {
  return { accountId, name: ["provider-key", provider, version] };
}

/** Opens a stored key. @throws GatewayError stored_key_unreadable, whose reason says why */
export async function openStoredKey(
  vault: Vault | undefined,
  accountId: string,
  stored: StoredKey,
  now: number,
): Promise<string> {
  if (vault === undefined) throw unreadable(stored.provider, "vault_disabled");
  if (stored.version !== stored.currentVersion) throw unreadable(stored.provider, "stale_version");
  const cacheName = `${accountId} ${stored.provider} ${stored.version}`;
  const known = vault.cache.read(stored.sealed, cacheName, now);
  if (known !== undefined) return known;
  try {
    const context = providerKeyContext(accountId, stored.provider, stored.version);
    const key = new TextDecoder().decode(await vault.sealer.open(context, stored.sealed));
    vault.cache.write(stored.sealed, cacheName, key, now);
    return key;
  } catch (error) {
    if (error instanceof SealError) throw unreadable(stored.provider, error.reason);
    throw error;
  }
}

function unreadable(provider: ProviderKind, reason: UnreadableReason): GatewayError {
  return new GatewayError(
    "stored_key_unreadable",
    `Your stored key for the provider ${provider} cannot be opened: store it again with POST ` +
      `/v1/account/llm-keys, or send it in the header ${inlineKeyHeaders[provider]}.`,
    {},
    reason,
  );
}

export type NewKeys = Partial<Record<ProviderKind, string>>;

/** Most attempts at storing: one fails if another request has stored keys of the same account since their versions were read. */
const attempts = 10;

/**
 * Seals and stores keys, all or none, replacing earlier ones. Throws DatabaseError, and GatewayError vault_unavailable if each attempt met
 * another request's.
 */
export async function sealAndStore(
  database: Database,
  { sealer }: Vault,
  { accountId, keys, now }: { accountId: string; keys: NewKeys; now: number },
): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const versions = await readKeyVersions(database, accountId);
    const sealed = await Promise.all(
      Object.entries(keys).map(async ([kind, key]): Promise<SealedKey> => {
        const provider = kind as ProviderKind;
        const version = (versions.get(provider) ?? 0) + 1;
        const context = providerKeyContext(accountId, provider, version);
        return { provider, version, sealed: await sealer.seal(context, utf8.encode(key)) };
      }),
    );
    if (await storeKeys(database, { accountId, keys: sealed, now })) return;
  }
  throw new GatewayError(
    "vault_unavailable",
    "Other requests change the keys of this account at the same time; retry.",
    { retryAfterSeconds: 1 },
  );
}

/**
 * Opened keys, in this isolate's memory for five minutes. An entry is found only by the very text it was opened from. A request
 * has that text from the database; for a caller remembered from an earlier request the statement of the hold compares it with
 * the database, before anything is sent. So a key that was changed or deleted serves no request.
 */
export type KeyCache = {
  read(sealed: string, name: string, now: number): string | undefined;
  write(sealed: string, name: string, key: string, now: number): void;
};

/** Five minutes, as the interface says. */
const openForMs = 300_000;
const maxOpen = 5_000;

/** For one isolate. Bounded: the oldest entry is dropped first. */
export function createKeyCache(): KeyCache {
  const entries = new Map<string, { sealed: string; key: string; expiresAt: number }>();
  return {
    read(sealed, name, now) {
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      if (entry.sealed === sealed && now < entry.expiresAt) return entry.key;
      entries.delete(name);
      return undefined;
    },
    write(sealed, name, key, now) {
      entries.delete(name);
      if (entries.size >= maxOpen) entries.delete(entries.keys().next().value!);
      entries.set(name, { sealed, key, expiresAt: now + openForMs });
    },
  };
}
