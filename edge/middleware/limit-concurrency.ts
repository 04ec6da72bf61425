/**
 * Counts a request as running, for its API key and its account, from here until its answer has ended, failed or lost its reader. Over
 * the operator's bounds it is refused (429), and while the database is slow it may be (503). Put it after `authenticate`, which bounds
 * reads by itself.
 */
import { GatewayError } from "../../shared/errors.ts";
import { accountHolder, type Holder, type Lease } from "../admission/in-flight.ts";
import { hashApiKey } from "../api-key.ts";
import { deadAfterMs } from "../db/schema.ts";
import type { Services } from "../pipeline/services.ts";
import type { EdgeContext, EdgeMiddleware, RequestLease } from "./context.ts";

/**
 * A request with an Idempotency-Key continues for this long after its client has left, and counts as running until then. Workers
 * stop a request's work 30 s after that moment; the remaining 5 s are for settling it and storing its answer.
 */
export const graceMs = 25_000;
/** A third of the time after which a lease expires. */
const renewEveryMs = deadAfterMs / 3;

export const limitConcurrency: EdgeMiddleware = async (context, next) => {
  const services = context.get("services");
  const account = context.get("account");
  if (services.database.isSlow() && isRefusedWhileSlow(services, account.accountId))
    throw slowDatabase(services);
  const { perKey, perAccount } = services.config.maxInFlight;
  const taken = services.inFlight.take(
    [
      { name: `key ${account.keyId}`, limit: perKey },
      { name: accountHolder(account.accountId), limit: perAccount },
    ],
    services.now(),
  );
  if ("full" in taken) throw tooMany(taken.full, taken.retryAfterSeconds);
  const { lease } = taken;
  const listeners: (() => void)[] = [() => lease.end()];
  let handedOver = false;
  let ended = false;
  const end = () => {
    ended = true;
    for (const listener of listeners.splice(0)) listener();
  };
  const { signal } = context.req.raw;
  const worksOn = context.req.header("idempotency-key") !== undefined;
  const leave = () => (worksOn ? lease.end(services.now() + graceMs) : end());
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  const requestLease: RequestLease = {
    onEnd: (listener) => (ended ? listener() : void listeners.push(listener)),
    handOver() {
      handedOver = true;
      // A reader may leave an answer unread for hours, and what waits for it takes memory until then. The timer ends with the request.
      const renewal = setInterval(() => {
        lease.renew(services.now());
        services.memory.renew(requestLease, services.now());
      }, renewEveryMs);
      listeners.push(() => clearInterval(renewal));
      listeners.push(services.telemetry.beginStream(), services.requestRecord.keepOpen());
      return { end };
    },
  };
  context.set("requestLease", requestLease);
  await next();
  if (!handedOver) end();
};

/**
 * Counts a read as running for its secret, an API key or a session's cookie, until the lease ends or the client leaves. It is taken before
 * the account is read, so a refusal costs the database nothing, and apart from the requests above: a key with its bound of streams may
 * still ask for its balance.
 */
export async function takeRead(context: EdgeContext, secret: string): Promise<Lease> {
  const services = context.get("services");
  const holder = { name: `key ${await hashApiKey(secret)} reads`, limit: services.config.maxInFlight.perKey };
  const taken = services.inFlight.take([holder], services.now());
  if ("full" in taken) throw tooMany(taken.full, taken.retryAfterSeconds);
  const { lease } = taken;
  context.req.raw.signal.addEventListener("abort", () => lease.end(), { once: true });
  return lease;
}

/** With so many requests running the machine is full, whoever sent them. */
const fullAt = 1_000;
/** An account that has fewer running is not the cause. */
const fewRunning = 4;

/**
 * Whether a request is refused while the database is slow. All are if the machine is full; else those of accounts with at least four
 * requests running, and at least half as many as the account that has most. One account can make the database slow, and must not keep out
 * the others.
 */
function isRefusedWhileSlow({ inFlight, now }: Services, accountId: string): boolean {
  const { total, most } = inFlight.measure(accountHolder(""), now());
  if (total >= fullAt) return true;
  const own = inFlight.count(accountHolder(accountId), now());
  return own >= fewRunning && own * 2 >= most;
}

/** Chosen at random up to this, so that those that were refused do not all retry at the same moment. */
const maxRetrySeconds = 4;

function slowDatabase({ randomBytes }: Services): GatewayError {
  const retryAfterSeconds = 1 + (randomBytes(1)[0]! % maxRetrySeconds);
  const message = `The billing service answers slowly; send the request again in ${retryAfterSeconds} s.`;
  return new GatewayError("billing_unavailable", message, { retryAfterSeconds }, "database-slow");
}

function tooMany({ name, limit }: Holder, retryAfterSeconds: number): GatewayError {
  const [whose, variable] = name.startsWith("key")
    ? ["this API key", "MAX_IN_FLIGHT_PER_KEY"]
    : ["this account", "MAX_IN_FLIGHT_PER_ACCOUNT"];
  const [requests, are] = limit === 1 ? ["1 request", "is"] : [`${limit} requests`, "are"];
  return new GatewayError(
    "rate_limit_exceeded",
    `${requests} of ${whose} ${are} running, which is the most at once; send it again when one has ended.`,
    { retryAfterSeconds },
    variable,
  );
}
