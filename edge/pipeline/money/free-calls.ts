/**
 * Bounds the calls of one account to models that the aggregator gives away (`:free`). They cost nothing, and the aggregator allows an
 * operator 1,000 of them a day (50 before the first 10 credits were bought), whoever calls: without a bound one caller could use up
 * the whole day's calls. openrouter.ai/docs/guides/routing/model-variants/free
 */
import { GatewayError } from "../../../shared/errors.ts";
import { admit } from "../../db/rate-hits.ts";
import type { Route } from "../../providers/resolve-route.ts";
import type { Services } from "../services.ts";

/** A twentieth of the operator's 1,000. It may use up a tenth of them: a call that the aggregator fails is sent once more (failover.ts). */
export const freeCallsPerDay = 50;
const dayMs = 86_400_000;

/** `openrouter/free` chooses among these models. A pool without a key is a local server, which has no such limit. */
const isFree = ({ keySource, key, model }: Route): boolean =>
  keySource === "pool" && key !== undefined && /[:/]free$/.test(model);

/**
 * To be called before calls are sent, with their number. Throws `upstream_rate_limited`, after which the next of the request's models is
 * asked; `invalid_request` if the request needs more calls than a day has; or DatabaseError.
 */
export async function claimFreeCalls(
  route: Route,
  calls: number,
  accountId: string,
  { database, now }: Services,
): Promise<void> {
  if (!isFree(route)) return;
  if (calls > freeCallsPerDay) {
    const message = `Free models take ${freeCallsPerDay} calls of an account in 24 hours, and each choice is one; ask for fewer.`;
    throw new GatewayError("invalid_request", message, { param: "n" });
  }
  const bucket = `free:${accountId}`;
  const limit = { bucket, limit: freeCallsPerDay, hits: calls, windowMs: dayMs, now: now() };
  const { admitted, resetSeconds: retryAfterSeconds } = await admit(database, limit);
  if (admitted) return;
  throw new GatewayError(
    "upstream_rate_limited",
    `Free models take ${freeCallsPerDay} calls of an account in 24 hours, as all accounts share this service's; ` +
      `retry in ${retryAfterSeconds} s, choose another model, or send your own key in X-Router-Key.`,
    // Without this header clients would wait for hours, or retry too early.
    { retryAfterSeconds, headers: { "x-should-retry": "false" } },
    "free-calls",
  );
}
