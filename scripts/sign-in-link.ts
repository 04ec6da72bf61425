/** One-time sign-in links, which only the operator makes: for `npm start` and `npm run admin`. */
import { randomBytes } from "node:crypto";
import { createSignInSecret, hashApiKey } from "../edge/api-key.ts";
import type { Database } from "../edge/db/client.ts";
import { addSignInLink } from "../edge/db/sessions.ts";

const lifeMs = 86_400_000;

/**
 * The path of a new link; undefined for an unknown account. The secret is its fragment, which a browser sends neither to a server
 * nor in a referrer.
 */
export async function createSignInLink(
  database: Database,
  accountId: string,
  now: number,
): Promise<{ path: string; expiresAt: number } | undefined> {
  const link = createSignInSecret("link", randomBytes(32));
  const expiresAt = now + lifeMs;
  const added = await addSignInLink(database, { hash: await hashApiKey(link), accountId, now, expiresAt });
  return added ? { path: `/sign-in#${link}`, expiresAt } : undefined;
}
