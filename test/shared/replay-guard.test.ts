import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createReplayGuard } from "../../shared/replay-guard.ts";

const lifeMs = 35_000;

describe("the replay guard", () => {
  it("admits a nonce once within its life, for any order of arrivals, and never holds more than its bound", () => {
    const arrivals = fc.array(fc.record({ nonce: fc.constantFrom(..."abcdefgh"), waitMs: fc.nat(20_000) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 10 }), (entries, capacity) => {
        const guard = createReplayGuard({ capacity });
        const alive = new Map<string, number>();
        let now = 1_000_000;
        for (const { nonce, waitMs } of entries) {
          now += waitMs;
          // The guard may remember up to a second longer than asked, never shorter.
          const surelyAlive = [...alive].filter(([, until]) => until > now);
          const perhapsAlive = [...alive].filter(([, until]) => until + 1_000 > now);
          const verdict = guard.admit({ nonce, expiresAtMs: now + lifeMs, now });
          if (surelyAlive.some(([name]) => name === nonce)) expect(verdict).toBe("seen");
          if (verdict === "full") expect(perhapsAlive.length).toBeGreaterThanOrEqual(capacity);
          if (verdict === "fresh") alive.set(nonce, now + lifeMs);
          expect([...alive.values()].filter((until) => until > now).length).toBeLessThanOrEqual(capacity);
        }
      }),
    );
  });
});
