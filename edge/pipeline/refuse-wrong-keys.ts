/**
 * Refuses (429) a caller's provider key once its provider has refused it, or many others of the same API key, too often; counts such
 * refusals. Stored keys count as inline ones do: a key that was stored and then revoked would be sent for nothing as often as one likes.
 */
import { GatewayError } from "../../shared/errors.ts";
import { sha256Hex } from "../../shared/hex.ts";
import { maxWrongKeys } from "../admission/wrong-keys.ts";
import type { Account } from "../db/api-keys.ts";
import { Refused } from "../providers/refusal.ts";
import type { Route } from "../providers/resolve-route.ts";
import type { Services } from "./services.ts";

const reason = "wrong-keys";

/** Whether an error is that of a key that was refused too often. */
export const hasToWait = (error: unknown): boolean =>
  error instanceof GatewayError && error.reason === reason;

/** Throws rate_limit_exceeded. The pool's key is the operator's, and is never counted. */
export async function refuseWrongKey(
  { key, keySource }: Route,
  account: Account,
  { wrongKeys, now }: Services,
): Promise<void> {
  if (keySource !== "user" || key === undefined) return;
  const retryAfterSeconds = wrongKeys.wait(account.keyId, await sha256Hex(key), now());
  if (retryAfterSeconds === undefined) return;
  const message = `Providers refused ${maxWrongKeys} requests within a minute for their provider keys, sent with this API key or stored; check the keys, and send one again in ${retryAfterSeconds} s.`;
  throw new GatewayError("rate_limit_exceeded", message, { retryAfterSeconds }, reason);
}

/** Counts the key of a call that failed, if it failed for its key. */
export async function countWrongKey(
  error: unknown,
  { key, keySource }: Route,
  account: Account,
  { wrongKeys, now }: Services,
): Promise<void> {
  if (!(error instanceof GatewayError) || error.code !== "invalid_provider_key") return;
  // The key is right: it lacks a permission, for one model or for the country of this service.
  if (error instanceof Refused && error.providerStatus === 403) return;
  if (keySource === "user" && key !== undefined) wrongKeys.add(account.keyId, await sha256Hex(key), now());
}
