/**
 * Bounds how many requests run at once, by API key and by account. Counted in one isolate's memory, so the bound is exact for
 * a service that runs as one process, and per isolate on Workers. A refusal says when to retry. The runtime may stop a request
 * without running its cleanup, so a lease that is never ended expires.
 */
import { deadAfterMs } from "../db/schema.ts";

/** Who a request counts for, and how many may run for them at once; 0 is no bound. */
export type Holder = { name: string; limit: number };

export type Lease = {
  /** Ends the lease now, or at `at`, milliseconds since the epoch. May be called again. */
  end(at?: number): void;
  /** The request still runs: its lease expires later. Does nothing for a lease that was told when to end. */
  renew(now: number): void;
};

export type InFlight = {
  /** A lease that counts for all holders; or the holder that is at its limit. */
  take(
    holders: readonly Holder[],
    now: number,
  ): { full: Holder; retryAfterSeconds: number } | { lease: Lease };
  /** A lease that counts for one holder, whatever its limit: for work that cannot be refused. */
  occupy(name: string, now: number): Lease;
  /** The leases that one holder has. */
  count(name: string, now: number): number;
  /** Of the holders whose names begin with `prefix`: the leases of all of them, and of the one that has most. */
  measure(prefix: string, now: number): { total: number; most: number };
};

/** Refusals are counted in windows of this length, from the first one. */
const refusalsCountMs = 5_000;
const maxRetrySeconds = 4;

export const accountHolder = (accountId: string): string => `account ${accountId}`;

export function createInFlight(): InFlight {
  const running = new Map<string, Set<{ until: number }>>();
  const refusals = new Map<string, { since: number; count: number }>();

  /** Grows with the number of refusals, so that refused clients do not all retry at the same second. */
  const retryAfter = ({ name, limit }: Holder, now: number): number => {
    const known = refusals.get(name);
    const recent =
      known !== undefined && now - known.since < refusalsCountMs ? known : { since: now, count: 0 };
    recent.count += 1;
    if (recent !== known) refusals.set(name, recent);
    return Math.min(Math.max(1, Math.ceil(recent.count / limit)), maxRetrySeconds);
  };

  const forgetLapsed = (name: string, now: number) => {
    const own = running.get(name);
    for (const entry of own ?? []) if (entry.until <= now) own?.delete(entry);
  };
  const isFull = ({ name, limit }: Holder, now: number): boolean => {
    if (limit === 0 || (running.get(name)?.size ?? 0) < limit) return false;
    // Expired leases are looked for only when a holder is full, so an admitted request costs no walk.
    forgetLapsed(name, now);
    return (running.get(name)?.size ?? 0) >= limit;
  };

  const openLease = (holders: readonly Pick<Holder, "name">[], now: number): Lease => {
    const entry = { until: now + deadAfterMs };
    for (const { name } of holders) running.set(name, (running.get(name) ?? new Set()).add(entry));
    let endsAt = Number.POSITIVE_INFINITY;
    const end = (at?: number) => {
      if (at !== undefined) {
        endsAt = Math.min(endsAt, at);
        entry.until = Math.min(entry.until, endsAt);
        return;
      }
      for (const { name } of holders) {
        const own = running.get(name);
        own?.delete(entry);
        if (own?.size !== 0) continue;
        running.delete(name);
        refusals.delete(name);
      }
    };
    const renew = (at: number) => {
      entry.until = Math.min(at + deadAfterMs, endsAt);
    };
    return { end, renew };
  };

  return {
    take(holders, now) {
      const full = holders.find((holder) => isFull(holder, now));
      if (full) return { full, retryAfterSeconds: retryAfter(full, now) };
      return { lease: openLease(holders, now) };
    },
    occupy: (name, now) => openLease([{ name }], now),
    measure(prefix, now) {
      let total = 0;
      let most = 0;
      for (const [name, own] of running) {
        if (!name.startsWith(prefix)) continue;
        forgetLapsed(name, now);
        total += own.size;
        most = Math.max(most, own.size);
      }
      return { total, most };
    },
    count(name, now) {
      forgetLapsed(name, now);
      return running.get(name)?.size ?? 0;
    },
  };
}
