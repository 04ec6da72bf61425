/**
 * What test/edge/billing/second-books.test.ts plays: requests of one account on two edges, and what its owner and the operator do
 * meanwhile. The second books are the fake aggregator's own bill, kept apart from the ledger that is compared with it.
 */
import fc from "fast-check";

/** How the aggregator answers one call. */
const behaviour = fc.record({
  does: fc.constantFrom(
    "ends",
    "ends",
    "ends",
    "callsTool",
    "dawdles",
    "breaks",
    "goesSilent",
    "drips",
    "neverAnswers",
    "failsAtFirst",
    "refuses",
    "isBusy",
    "isDown",
  ),
  words: fc.integer({ min: 0, max: 40 }),
  /** Never shown, in the report alone. */
  thought: fc.integer({ min: 0, max: 500 }),
  reports: fc.constantFrom("truth", "truth", "truth", "nothing", "nonsense", "tooMuch"),
  /** Micro-dollars beyond the price of the tokens: a search, a plugin. */
  surcharge: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 400 })),
  /** The prompt has a token for every byte, as digits do. */
  dense: fc.boolean(),
});
export type Behaviour = typeof behaviour extends fc.Arbitrary<infer Value> ? Value : never;

const pause = fc.nat({ max: 30 });
const edge = fc.constantFrom(0, 1);
const ask = fc.record({
  do: fc.constant("ask" as const),
  pause,
  edge,
  key: fc.constantFrom(0, 1),
  dialect: fc.constantFrom("chat", "chat", "chat", "messages", "responses"),
  stream: fc.boolean(),
  n: fc.constantFrom(1, 1, 2, 3),
  loop: fc.constantFrom(1, 1, 2, 3),
  /** With tools, as many requests as turns; the dialect is chat's then. */
  turns: fc.constantFrom(1, 1, 1, 2, 3),
  leaves: fc.option(fc.integer({ min: 0, max: 60 }), { freq: 3 }),
  stalls: fc.boolean(),
  /** With an Idempotency-Key. */
  keyed: fc.boolean(),
  /** The same request again: while the first runs, or after it has ended. */
  again: fc.option(fc.record({ when: fc.constantFrom("meanwhile", "after"), edge }), { freq: 2 }),
  calls: fc.array(behaviour, { minLength: 1, maxLength: 4 }),
});
export type Ask = typeof ask extends fc.Arbitrary<infer Value> ? Value : never;

const topUp = fc.record({
  do: fc.constant("topUp" as const),
  pause,
  amountMicro: fc.integer({ min: 1, max: 40_000 }),
});
const suspend = fc.record({
  do: fc.constant("suspend" as const),
  pause,
  lastsMs: fc.integer({ min: 5, max: 60 }),
});
const revoke = fc.record({ do: fc.constant("revoke" as const), pause, key: fc.constantFrom(0, 1) });
/** The aggregator's prices change now; each edge reads the new list some time later. */
const reprice = fc.record({
  do: fc.constant("reprice" as const),
  pause,
  factor: fc.constantFrom(0.5, 2, 3),
  learnMs: fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 60 })),
});
const sweep = fc.record({ do: fc.constant("sweep" as const), pause });

export const sequence = fc.record({
  creditMicro: fc.oneof(
    { weight: 4, arbitrary: fc.constant(5_000_000) },
    fc.integer({ min: 0, max: 60_000 }),
  ),
  /** Requests at once: of a key, of the account; 0 is no bound. */
  inFlight: fc.record({ perKey: fc.constantFrom(0, 0, 2), perAccount: fc.constantFrom(0, 0, 3) }),
  steps: fc.array(
    fc.oneof(
      { weight: 10, arbitrary: ask },
      { weight: 1, arbitrary: topUp },
      { weight: 1, arbitrary: suspend },
      { weight: 1, arbitrary: revoke },
      { weight: 2, arbitrary: reprice },
      { weight: 1, arbitrary: sweep },
    ),
    { minLength: 1, maxLength: 6 },
  ),
});
export type Sequence = typeof sequence extends fc.Arbitrary<infer Value> ? Value : never;
