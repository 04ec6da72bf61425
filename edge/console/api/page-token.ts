/**
 * The short-lived token that a signed-in page sends with requests that cost credits: made on demand, kept in memory, renewed
 * before it expires. The session's cookie alone cannot pay for anything.
 */
import * as z from "zod/mini";
import { caller } from "../session.ts";

export const PageToken = z.object({ token: z.string() });
type Taken = { ok: true; value: z.infer<typeof PageToken> } | { ok: false; status: number; message: string };

/** The endpoints that pages pay with the token, by the name under which a token is limited to them. */
const paidPaths = {
  chat: "/v1/chat/completions",
  embeddings: "/v1/embeddings",
  rollout: "/v1/rollout",
} satisfies Readonly<Record<string, string>>;
export const tokenRequest = { ttl_seconds: 600, endpoints: Object.keys(paidPaths) };
export const tokenPaths: readonly string[] = Object.values(paidPaths);

/** A token is used until half a minute before its end: a stream that begins with it may have to wait before it is admitted. */
const usedForMs = tokenRequest.ttl_seconds * 1_000 - 30_000;

let kept: Promise<Taken> | undefined;
/**
 * When the token was asked for. Its age is computed from this, by this browser's clock alone: if that clock is hours off, comparing it
 * with the service's `expires_at` would renew the token too late or on every request.
 */
let askedAtMs = 0;
caller.subscribe(forgetToken);

export function forgetToken(): void {
  kept = undefined;
}

/** Simultaneous requests share one token. @param make asks the API for a new one */
export async function takeToken(make: () => Promise<Taken>): Promise<Taken> {
  const before = await kept;
  const ageMs = Date.now() - askedAtMs;
  // Below 0 the clock was set back meanwhile, and says nothing of the token's age.
  if (before?.ok && ageMs >= 0 && ageMs < usedForMs) return before;
  // Another request may have asked for a new token while this one waited.
  if (kept === undefined || (await kept) === before) {
    askedAtMs = Date.now();
    kept = make();
  }
  return kept;
}
