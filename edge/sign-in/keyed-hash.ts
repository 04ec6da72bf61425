/**
 * Hashes that only this service can make: HMAC-SHA-256 under the edge's signing key, which is not in the database. Six
 * digits and an e-mail address can be guessed from a plain hash in no time, so neither is stored under one.
 */
import { toHex } from "../../shared/hex.ts";

/** `purpose` separates hashes of different things; a line break separates the parts of one. */
export async function keyedHash(secret: string, purpose: string, parts: readonly string[]): Promise<string> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encode(secret), algorithm, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", key, encode(["svc sign-in", purpose, ...parts].join("\n")));
  return toHex(new Uint8Array(signed));
}
