/**
 * The short-lived token that a signed-in page sends with requests that cost credits: made on demand, kept in memory, renewed
 * before it expires. The session's cookie alone cannot pay for anything.
 */
import * as z from "zod/mini";
import { caller } from "../session.ts";

export const PageToken = z.object({ token: z.string(), expires_at: z.string() });
type Taken = { ok: true; value: z.infer<typeof PageToken> } | { ok: false; status: number; message: string };

export const tokenRequest = { ttl_seconds: 600, endpoints: ["chat", "embeddings", "rollout"] };
export const tokenPaths: readonly string[] = ["/v1/chat/completions", "/v1/embeddings", "/v1/rollout"];

/** A stream that begins with it may take a while to be let in. */
const spareMs = 30_000;

let kept: Promise<Taken> | undefined;
caller.subscribe(forgetToken);

export function forgetToken(): void {
  kept = undefined;
}

/** Requests at the same time share one. @param make asks the API for a new one */
export async function takeToken(make: () => Promise<Taken>): Promise<Taken> {
  const before = await kept;
  if (before?.ok && Date.parse(before.value.expires_at) > Date.now() + spareMs) return before;
  // Somebody else may have begun while this waited.
  if (kept === undefined || (await kept) === before) kept = make();
  return kept;
}
