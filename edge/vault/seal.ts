/**
 * Sealing: AES-256-GCM with a key for each account, derived from a master key by HKDF-SHA-256. A sealed text opens only in the
 * context it was sealed in (account, purpose and further names), which is authenticated with it. The text names its master key, so
 * several can be in use during a rotation. No cache, no I/O.
 */
import { base64url } from "jose";
import type { VaultKey } from "../env.ts";

/** What a sealed text belongs to: the associated data of AES-GCM, and the account whose key seals it. */
export type SealContext = { accountId: string; name: readonly (string | number)[] };

export type SealFailure = "malformed" | "unknown_master_key" | "does_not_open";

/** A sealed text that cannot be opened; `reason` is for the operator. Contains nothing of the text. */
export class SealError extends Error {
  override readonly name = "SealError";
  readonly reason: SealFailure;

  constructor(reason: SealFailure) {
    super(`sealed text: ${reason}`);
    this.reason = reason;
  }
}

export type Sealer = {
  /** The beginning of texts sealed from now on: the id of the first master key, and a dot. */
  readonly prefix: string;
  seal(context: SealContext, plain: Uint8Array): Promise<string>;
  /** @throws SealError */
  open(context: SealContext, sealed: string): Promise<Uint8Array>;
};

const ivBytes = 12;
const utf8 = new TextEncoder();
const salt = utf8.encode("svc-vault-1");

/** `keys` is VAULT_KEYS: the first seals, each opens. `randomBytes` must return new random bytes each time. */
export function createSealer(keys: readonly VaultKey[], randomBytes: (length: number) => Uint8Array): Sealer {
  const [first] = keys;
  if (first === undefined) throw new RangeError("a sealer needs a master key");
  const byId = new Map(keys.map((key) => [key.id, key]));
  return {
    prefix: `${first.id}.`,
    async seal(context, plain) {
      const iv = randomBytes(ivBytes);
      const key = await deriveKey(first, context.accountId, "encrypt");
      const box = new Uint8Array(
        await crypto.subtle.encrypt(algorithm(iv, context), key, plain as Uint8Array<ArrayBuffer>),
      );
      const sealed = new Uint8Array(ivBytes + box.length);
      sealed.set(iv);
      sealed.set(box, ivBytes);
      return `${first.id}.${base64url.encode(sealed)}`;
    },
    async open(context, sealed) {
      const dot = sealed.indexOf(".");
      const master = byId.get(sealed.slice(0, Math.max(0, dot)));
      const bytes = dot > 0 ? decode(sealed.slice(dot + 1)) : undefined;
      if (bytes === undefined || bytes.length < ivBytes + 16) throw new SealError("malformed");
      if (master === undefined) throw new SealError("unknown_master_key");
      const key = await deriveKey(master, context.accountId, "decrypt");
      try {
        const plain = await crypto.subtle.decrypt(
          algorithm(bytes.subarray(0, ivBytes), context),
          key,
          bytes.subarray(ivBytes) as Uint8Array<ArrayBuffer>,
        );
        return new Uint8Array(plain);
      } catch {
        throw new SealError("does_not_open");
      }
    },
  };
}

function algorithm(iv: Uint8Array, context: SealContext) {
  // JSON keeps the parts apart, so two contexts never have the same text.
  const additionalData = utf8.encode(JSON.stringify([context.accountId, ...context.name]));
  return { name: "AES-GCM", iv: iv as Uint8Array<ArrayBuffer>, additionalData, tagLength: 128 };
}

/** Derived for each use: a few microseconds, instead of every account's key in memory. */
async function deriveKey(
  master: VaultKey,
  accountId: string,
  usage: "encrypt" | "decrypt",
): Promise<CryptoKey> {
  const bytes = master.bytes as Uint8Array<ArrayBuffer>;
  const material = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
  return crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt, info: utf8.encode(accountId) },
    material,
    { name: "AES-GCM", length: 256 },
    false,
    [usage],
  );
}

function decode(text: string): Uint8Array | undefined {
  // Strict, so that a text has only one form: other characters and stray bits are refused.
  if (!/^[\w-]*$/.test(text)) return undefined;
  const bytes = base64url.decode(text);
  return base64url.encode(bytes) === text ? bytes : undefined;
}
