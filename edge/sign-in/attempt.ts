/**
 * One attempt to sign in at an identity provider. The browser that begins it holds a random value in a cookie; state, nonce
 * and PKCE verifier are keyed hashes of that value, so nothing is stored, and neither a page nor another browser can know them.
 */
import { base64url } from "jose";
import { toHex } from "../../shared/hex.ts";
import { linkingState } from "../../shared/identity-providers.ts";
import { keyedHash } from "./keyed-hash.ts";

/** How long somebody may take at the provider's pages. */
export const attemptSeconds = 600;

const shape = /^(\d{13})\.[0-9a-f]{64}$/;

/** The cookie's value: its expiry and 32 random bytes. The hashes depend on both, so a changed expiry makes it invalid. */
export function createAttempt(randomBytes: Uint8Array, now: number): string {
  return `${now + attemptSeconds * 1000}.${toHex(randomBytes)}`;
}

/** What the provider gets of it: the verifier only with the request for the person's identity. */
export type Attempt = { state: string; nonce: string; verifier: string };

/** The purpose of an attempt, part of its hashes: an attempt is invalid for another provider, purpose or session. */
export type AttemptAim = {
  provider: string;
  /** The session whose account the identity is linked to; undefined if the attempt begins a session. */
  sessionId?: string | undefined;
};

/** Undefined for an invalid or expired attempt. */
export async function openAttempt(
  { secret, now }: { secret: string; now: number },
  { provider, sessionId }: AttemptAim,
  cookie: string,
): Promise<Attempt | undefined> {
  const endsAt = shape.exec(cookie)?.[1];
  if (endsAt === undefined || Number(endsAt) <= now) return undefined;
  const parts = sessionId === undefined ? [provider, cookie] : [provider, cookie, sessionId];
  const derive = (purpose: string) => keyedHash(secret, purpose, parts);
  const [state, nonce, verifier] = await Promise.all([derive("state"), derive("nonce"), derive("verifier")]);
  return { state: sessionId === undefined ? state : linkingState + state, nonce, verifier };
}

/** RFC 7636, S256. */
export async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return base64url.encode(new Uint8Array(digest));
}
