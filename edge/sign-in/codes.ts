/**
 * Six-digit codes: made, stored as a keyed hash, sent, tried. Nothing here looks up whether an address has an account, so neither
 * an answer nor its time reveals it.
 */
import type { Database } from "../db/client.ts";
import { addCode, tryCode } from "../db/sign-in-codes.ts";
import { mailboxOf } from "./email-address.ts";
import { keyedHash } from "./keyed-hash.ts";

const codeLifeMs = 600_000;
const maxTries = 5;
/**
 * One site may ask for five codes for an address: too few to keep the address's owner, elsewhere, from getting one. All together may ask
 * for twenty, with five tries each: guessing an address's code succeeds in 1 of 10,000 windows. A site has the limit of four networks:
 * counted by network alone, an IPv6 line at home sent 7,680 letters in a window, and guessed some address's code once a day.
 */
export const codeLimits = {
  perVisitor: 5,
  perAddress: 20,
  perNetwork: 30,
  perSite: 120,
  windowMs: 3_600_000,
};

/** Groups of an IPv6 address that one customer gets at most (RFC 6177): a line at home has 256 networks, an office 65,536. */
const siteGroups = 3;

/** Whom a network belongs to, as far as its address tells: the first 48 bits of an IPv6 network; an IPv4 address itself. */
export const siteOf = (network: string): string =>
  network.includes(":") ? network.split(":").slice(0, siteGroups).join(":") : network;

/** Six digits. From eight random bytes all of the million codes are equally likely, to within 1 in 10^13. */
export function createCode(randomBytes: Uint8Array): string {
  const number = randomBytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return String(number % 1_000_000n).padStart(6, "0");
}

export type CodeDeps = {
  database: Database;
  /** The key of the keyed hashes. */
  secret: string;
  now: number;
};
export type CodeRequest = { codeId: string; address: string; network: string; code: string };
type CodeOutcome = { added: true; expiresAt: number } | { added: false; nextAt: number };

/** Stores a code for an address, unless too many were asked for by its network or site, or for its mailbox. Throws DatabaseError. */
export async function keepCode(
  { database, secret, now }: CodeDeps,
  { codeId, address, network, code }: CodeRequest,
): Promise<CodeOutcome> {
  const [codeHash, addressHash, networkHash, siteHash] = await Promise.all([
    keyedHash(secret, "code", [codeId, address, code]),
    keyedHash(secret, "address", [mailboxOf(address)]),
    keyedHash(secret, "network", [network]),
    keyedHash(secret, "site", [siteOf(network)]),
  ]);
  const expiresAt = now + codeLifeMs;
  const kept = await addCode(
    database,
    { codeId, codeHash, addressHash, networkHash, siteHash, now, expiresAt },
    codeLimits,
  );
  return kept.added ? { added: true, expiresAt } : kept;
}

/** True for the right code of this id and address, once, within its time and tries. Throws DatabaseError. */
export async function takeCode(
  { database, secret, now }: CodeDeps,
  { codeId, address, code }: Omit<CodeRequest, "network">,
): Promise<boolean> {
  const codeHash = await keyedHash(secret, "code", [codeId, address, code]);
  return tryCode(database, { codeId, codeHash, maxTries, now });
}
