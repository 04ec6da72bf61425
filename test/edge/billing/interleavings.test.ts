// Requests, aborts, provider faults, deaths between any two statements, sweeps, top-ups and retries with one
// key, all at once and in any order: when it is quiet, the books are right.
// PROPERTY_RUNS=2000 npx vitest run --project edge test/edge/billing/interleavings.test.ts
import fc from "fast-check";
import { describe, expect, inject, test } from "vitest";
import { checkLedger } from "../../../edge/billing/ledger-check.ts";
import { releaseExpired } from "../../../edge/billing/sweep.ts";
import { addCredit, listLedger } from "../../../edge/db/accounts.ts";
import type { Database } from "../../../edge/db/client.ts";
import { openTestDatabase } from "../support/accounts.ts";
import { createTestApp, newCaller, openaiStream, openaiUsage, type Sent } from "../support/app.ts";

const minutes = 60_000;
const providers: Record<string, (sent: Sent) => Response | Promise<Response>> = {
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

const pause = fc.nat({ max: 12 });
const chat = fc.record({
  do: fc.constant("chat" as const),
  pause,
  stream: fc.boolean(),
  ownKey: fc.boolean(),
  provider: fc.constantFrom(...Object.keys(providers)),
  leaves: fc.option(fc.nat({ max: 10 }), { freq: 4 }),
  /** The statement at which the edge is killed, and whether the database still carries it out. */
  dies: fc.option(fc.record({ at: fc.integer({ min: 1, max: 5 }), carriedOut: fc.boolean() }), { freq: 4 }),
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
const scenario = fc.record({
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
type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;
type Chat = Extract<Scenario["steps"][number], { do: "chat" }>;

type Hold = { holdId: string; amountMicro: number };
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The database of one edge process: remembers what was reserved, and stops answering when the process dies. */
function mortal(database: Database, dies: Chat["dies"], held: Hold[]) {
  let statements = 0;
  let killed = () => {};
  const died = new Promise<"died">((resolve) => {
    killed = () => resolve("died");
  });
  const pass = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    statements += 1;
    if (dies !== null && statements >= dies.at) {
      if (statements === dies.at && dies.carriedOut) await work();
      killed();
      return new Promise<never>(() => {});
    }
    return work();
  };
  const wrapped: Database = {
    execute: (statement, values) => pass(() => database.execute(statement, values)),
    batch: (batch, values) =>
      pass(async () => {
        const results = await database.batch(batch, values);
        const { holdId, amountMicro } = (values ?? {}) as Partial<Hold>;
        const granted = (results[0] as unknown[] | undefined)?.length === 1;
        if (holdId !== undefined && amountMicro !== undefined && granted) held.push({ holdId, amountMicro });
        return results;
      }),
  };
  return { database: wrapped, died };
}

type Told = { requestId: string; idempotencyKey: string | null; chargedCredits: number | undefined };

async function perform(
  step: Chat,
  index: number,
  apiKey: string,
  database: Database,
  held: Hold[],
): Promise<Told> {
  const requestId = `step-${index}`;
  const { database: own, died } = mortal(database, step.dies, held);
  const { chat: send } = createTestApp({
    database: own,
    provider: [providers[step.provider]!],
    limits: { firstByteMs: 25, idleMs: 25, totalMs: 100 },
    now: () => Date.now() + step.ahead,
  });
  const leaving = new AbortController();
  if (step.leaves !== null) setTimeout(() => leaving.abort(), step.leaves);
  const work = async (): Promise<number | undefined> => {
    const response = await send(
      apiKey,
      {
        model: "svc-x1ac-base-gpt-4o-mini",
        messages: [{ role: "user", content: "go" }],
        max_tokens: 20,
        stream: step.stream,
      },
      {
        "x-request-id": requestId,
        ...(step.ownKey && { "x-alpha-key": "sk-own" }),
        ...(step.idempotencyKey !== null && { "idempotency-key": `${step.idempotencyKey}-${step.stream}` }),
      },
      leaving.signal,
    );
    const charged = response.headers.get("x-svc-credits-charged");
    if (leaving.signal.aborted) await response.body?.cancel();
    else await response.text().catch(() => {});
    await response.settled();
    const replayed = response.headers.has("idempotent-replayed");
    return response.status === 200 && charged !== null && !replayed ? Number(charged) : undefined;
  };
  const hung = sleep(10_000).then(() => {
    throw new Error(`no end of ${JSON.stringify(step)}`);
  });
  hung.catch(() => {});
  const ended = await Promise.race([work(), died, hung]);
  const idempotencyKey = step.idempotencyKey && `${step.idempotencyKey}-${step.stream}`;
  return { requestId, idempotencyKey, chargedCredits: ended === "died" ? undefined : ended };
}

async function play({ creditMicro, steps }: Scenario): Promise<string> {
  const database = openTestDatabase();
  const caller = await newCaller(creditMicro);
  const held: Hold[] = [];
  const told: Told[] = [];
  let addedMicro = creditMicro;
  await Promise.all(
    steps.map(async (step, index) => {
      await sleep(step.pause);
      if (step.do === "chat") told.push(await perform(step, index, caller.apiKey, database, held));
      else if (step.do === "sweep") await releaseExpired(database, { now: Date.now() + step.ahead });
      else {
        const { amountMicro } = step;
        await addCredit(database, { accountId: caller.accountId, amountMicro, reason: "top-up", now: 1 });
        addedMicro += amountMicro;
      }
    }),
  );
  await releaseExpired(database, { now: Date.now() + 40 * minutes });

  const account = (await caller.account())!;
  const rows = await listLedger(database, caller.accountId, 1_000);
  const sum = (kind: string) =>
    rows.filter((row) => row.kind === kind).reduce((total, row) => total + row.amountMicro, 0);
  expect(account.balanceMicro).toBe(sum("credit") + sum("charge"));
  expect(account.balanceMicro).toBeGreaterThanOrEqual(0);
  expect(sum("credit")).toBe(addedMicro);
  expect(account).toMatchObject({ openHolds: 0, availableMicro: account.balanceMicro });

  // Each hold ends in one row, settled or released, and none was charged more than was held.
  const byHold = new Map(rows.flatMap((row) => (row.holdId === null ? [] : [[row.holdId, row]])));
  expect([...byHold.keys()].sort()).toEqual(held.map(({ holdId }) => holdId).sort());
  for (const { holdId, amountMicro } of held)
    expect(-byHold.get(holdId)!.amountMicro).toBeLessThanOrEqual(amountMicro);

  const charges = rows.filter(({ kind }) => kind === "charge");
  for (const { requestId, chargedCredits } of told) {
    const own = charges.filter((row) => row.requestId === requestId);
    expect(own.length).toBeLessThanOrEqual(1);
    if (chargedCredits !== undefined) {
      // What a caller was told is in the books, unless a sweep from the future gave his hold back before.
      const expected = own.length === 1 ? (0 - own[0]!.amountMicro) / 1_000_000 : chargedCredits;
      expect(chargedCredits).toBe(expected);
    }
  }
  for (const key of new Set(told.map(({ idempotencyKey }) => idempotencyKey))) {
    if (key === null) continue;
    const requests = told
      .filter(({ idempotencyKey }) => idempotencyKey === key)
      .map(({ requestId }) => requestId);
    const paid = charges.filter((row) => row.amountMicro < 0 && requests.includes(row.requestId!));
    expect(paid.length, `charges of the key ${key}`).toBeLessThanOrEqual(1);
  }
  return caller.accountId;
}

describe("the books", () => {
  const runs = inject("propertyRuns");
  test(`are right after any interleaving (${runs} runs, seed ${inject("propertySeed")})`, {
    timeout: 30_000 + runs * 1_000,
  }, async () => {
    const accounts = new Set<string>();
    await fc.assert(
      fc.asyncProperty(scenario, async (played) => {
        accounts.add(await play(played));
      }),
      { numRuns: runs, seed: inject("propertySeed"), endOnFailure: true },
    );
    const findings = await checkLedger(openTestDatabase());
    expect(findings.filter(({ accountId }) => accounts.has(accountId))).toEqual([]);
  });
});
