/**
 * Remembers the nonces of accepted requests until they expire, so that none is accepted twice. Bounded: when it is full a new
 * nonce is refused ("full"). Forgetting an old one instead would allow it to be replayed. 200,000 nonces that live 35 s are 5,700
 * requests a second.
 */

export type ReplayGuard = {
  /** Records a nonce until `expiresAtMs`. "seen" and "full" are refusals and change nothing. */
  admit(entry: { nonce: string; expiresAtMs: number; now: number }): "fresh" | "seen" | "full";
};

/** A guard for one worker process, which has to be the same for all its requests. */
export function createReplayGuard({ capacity = 200_000 }: { capacity?: number } = {}): ReplayGuard {
  const seen = new Set<string>();
  /**
   * Nonces by the second in which they expire. A whole second is dropped at once, so looking for expired nonces takes about 40 steps, not
   * 200,000.
   */
  const bySecond = new Map<number, string[]>();

  const forgetExpired = (now: number) => {
    for (const [second, nonces] of bySecond) {
      if (second * 1000 > now) continue;
      for (const nonce of nonces) seen.delete(nonce);
      bySecond.delete(second);
    }
  };

  return {
    admit({ nonce, expiresAtMs, now }) {
      forgetExpired(now);
      if (seen.has(nonce)) return "seen";
      if (seen.size >= capacity) return "full";
      seen.add(nonce);
      const second = Math.ceil(expiresAtMs / 1000);
      const bucket = bySecond.get(second);
      if (bucket) bucket.push(nonce);
      else bySecond.set(second, [nonce]);
      return "fresh";
    },
  };
}
