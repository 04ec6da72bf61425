/** What test/edge/billing/interleavings.test.ts plays: requests and what happens to each, as fast-check draws them. */
import fc from "fast-check";
import { openaiStream, openaiUsage, type Sent } from "./app.ts";

export const minutes = 60_000;
export const providers: Record<string, (sent: Sent) => Response | Promise<Response>> = {
  answers: () => openaiStream(["Hel", "lo", " world"], openaiUsage(12, 3)),
  refuses: () => new Response("{}", { status: 400 }),
  isBusy: () => new Response("{}", { status: 429 }),
  breaks: () => openaiStream(["half"], undefined, null),
  saysNothingOfUsage: () => openaiStream(["a", "b"]),
  liesOfUsage: () => openaiStream(["a"], openaiUsage(-5, 1e9)),
  isFree: () => openaiStream(["a"], openaiUsage(0, 0)),
  hangs: ({ signal }) =>
    new Promise((_, reject) => {
      const abort = () => reject(new Error("aborted"));
      if (signal?.aborted) abort();
      else signal?.addEventListener("abort", abort);
    }),
  dawdles: async () => {
    await new Promise((resolve) => setTimeout(resolve, 8));
    return openaiStream(["late"], openaiUsage(12, 1));
  },
};
/** Reports usage, and fails before a word. */
export const spend = (): Response => {
  const frames = [{ choices: [], usage: openaiUsage(12, 20) }, { error: { code: 502, message: "broke" } }];
  return new Response(frames.map((value) => `data: ${JSON.stringify(value)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });
};

const pause = fc.nat({ max: 12 });
const chat = fc.record({
  do: fc.constant("chat" as const),
  pause,
  stream: fc.boolean(),
  ownKey: fc.boolean(),
  provider: fc.constantFrom(...Object.keys(providers)),
  /** Whether a model before it reports usage and fails, so that the hold is raised. */
  spends: fc.boolean(),
  leaves: fc.option(fc.nat({ max: 10 }), { freq: 4 }),
  /** The statement at which the edge is killed, and whether the database still carries it out. */
  dies: fc.option(fc.record({ at: fc.integer({ min: 1, max: 6 }), carriedOut: fc.boolean() }), { freq: 4 }),
  /** The transaction from which the database is away, and for how many. Rarely: a settlement waits seconds for it. */
  away: fc.option(
    fc.record({ at: fc.integer({ min: 1, max: 4 }), batches: fc.integer({ min: 1, max: 5 }) }),
    {
      freq: 150,
    },
  ),
  idempotencyKey: fc.option(fc.constantFrom("a", "b")),
  /** A clock so fast that it takes running requests for dead. */
  ahead: fc.boolean().map((yes) => (yes ? 17 * minutes : 0)),
});
const topUp = fc.record({
  do: fc.constant("topUp" as const),
  pause,
  amountMicro: fc.integer({ min: 1, max: 900 }),
});
const sweep = fc.record({
  do: fc.constant("sweep" as const),
  pause,
  ahead: fc.boolean().map((yes) => (yes ? 17 * minutes : 0)),
});
export const scenario = fc.record({
  creditMicro: fc.nat({ max: 3_000 }),
  steps: fc.array(
    fc.oneof(
      { weight: 7, arbitrary: chat },
      { weight: 1, arbitrary: topUp },
      { weight: 1, arbitrary: sweep },
    ),
    { minLength: 2, maxLength: 10 },
  ),
});
export type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;
export type Chat = Extract<Scenario["steps"][number], { do: "chat" }>;

/** A charge is known of its hold, its settlement is given up, and the database is back for the end of its claim. */
const unsettled: Chat = {
  do: "chat",
  pause: 0,
  stream: false,
  ownKey: false,
  provider: "dawdles",
  spends: false,
  leaves: null,
  dies: null,
  away: { at: 2, batches: 4 },
  idempotencyKey: "a",
  ahead: 0,
};

export const unsettledOnce: Scenario = { creditMicro: 3_000, steps: [unsettled] };
