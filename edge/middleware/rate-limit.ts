/** Limits the requests a minute of each API key, exactly across isolates; over the limit 429 with Retry-After. */
import { GatewayError } from "../../shared/errors.ts";
import { admit } from "../db/rate-hits.ts";
import type { EdgeContext, EdgeMiddleware } from "./context.ts";

/** Hits a minute of one API key. `name` keeps the counts of different rates apart; `counts` says what a hit is ("requests"). */
export type Rate = { name: string; limit: number; counts?: string };

/** After `authenticate`. */
export const rateLimit =
  (rate: Rate): EdgeMiddleware =>
  async (context, next) => {
    await countHits(context, rate, 1);
    await next();
  };

/** Counts so many requests at once, all or none. Throws rate_limit_exceeded, DatabaseError. */
export async function countHits(context: EdgeContext, rate: Rate, hits: number): Promise<void> {
  const { name, limit, counts = "requests" } = rate;
  const { services, account } = context.var;
  const bucket = `${name}:${account.keyId}`;
  const now = services.now();
  const { admitted, remaining, resetSeconds } = await admit(services.database, { bucket, limit, hits, now });
  // The header names of the IETF draft and those of most APIs; both in whole seconds.
  for (const prefix of ["ratelimit", "x-ratelimit"]) {
    context.header(`${prefix}-limit`, String(limit));
    context.header(`${prefix}-remaining`, String(remaining));
    context.header(`${prefix}-reset`, String(resetSeconds));
  }
  if (admitted) return;
  throw new GatewayError(
    "rate_limit_exceeded",
    `This endpoint takes ${limit} ${counts} a minute for each API key; retry in ${resetSeconds} s.`,
    { retryAfterSeconds: resetSeconds },
  );
}
