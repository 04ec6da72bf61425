/**
 * The name under which a gpu-worker knows an account, to give each its share: 96 bits of SHA-256. A worker can
 * tell accounts apart and learns nothing else of them: account ids are random and cannot be guessed.
 */
import { base64url } from "jose";

const encoder = new TextEncoder();
const shareLength = 16;

export async function nameShare(accountId: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", encoder.encode(`share:${accountId}`));
  return base64url.encode(new Uint8Array(digest)).slice(0, shareLength);
}
