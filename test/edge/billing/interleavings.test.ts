// Requests, aborts, provider faults, deaths between any two statements, databases that go and come back, sweeps, top-ups and
// retries with one key, all at once and in any order: when it is quiet, the books are right.
// PROPERTY_RUNS=2000 npx vitest run --project edge test/edge/billing/interleavings.test.ts
import fc from "fast-check";
import { describe, expect, inject, test } from "vitest";
import { checkLedger } from "../../../edge/billing/ledger-check.ts";
import { releaseExpired } from "../../../edge/billing/sweep.ts";
import { addCredit, listLedger } from "../../../edge/db/accounts.ts";
import type { Database } from "../../../edge/db/client.ts";
import { DatabaseError } from "../../../edge/db/connection.ts";
import { openTestDatabase } from "../support/accounts.ts";
import { createTestApp, newCaller } from "../support/app.ts";
import {
  type Chat,
  minutes,
  providers,
  type Scenario,
  scenario,
  spend,
  unsettledOnce,
} from "../support/interleaved-scenario.ts";

type Hold = { holdId: string; amountMicro: number };
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The database of one edge process: remembers what was reserved and added to it, and stops answering when the process dies. */
function mortal(database: Database, { dies, away }: Pick<Chat, "dies" | "away">, held: Hold[]) {
  let statements = 0;
  let batches = 0;
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
  const remember = (values: Readonly<Record<string, unknown>> | undefined, insertedHold: unknown) => {
    const { holdId, amountMicro } = (values ?? {}) as Partial<Hold>;
    const granted = (insertedHold as unknown[] | undefined)?.length === 1;
    if (holdId !== undefined && amountMicro !== undefined && granted) held.push({ holdId, amountMicro });
  };
  const wrapped: Database = {
    ...database,
    execute: (statement, values) =>
      pass(async () => {
        const result = await database.execute(statement, values);
        remember(values, result);
        return result;
      }),
    batch: (batch, values) =>
      pass(async () => {
        batches += 1;
        if (away !== null && batches >= away.at && batches < away.at + away.batches)
          throw new DatabaseError("unreachable", true, "database unreachable");
        const results = await database.batch(batch, values);
        remember(values, results[0]);
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
  const { database: own, died } = mortal(database, step, held);
  const { chat: send } = createTestApp({
    database: own,
    provider: [...(step.spends ? [spend] : []), providers[step.provider]!],
    limits: { firstByteMs: 25, idleMs: 25, totalMs: 100 },
    requestLimits: { progressMs: 4 },
    now: () => Date.now() + step.ahead,
    // What waits until a lost write is decided comes among the other steps.
    sleep: async (milliseconds) => void (await sleep(milliseconds / 1_000)),
  });
  const leaving = new AbortController();
  if (step.leaves !== null) setTimeout(() => leaving.abort(), step.leaves);
  const work = async (): Promise<number | undefined> => {
    const response = await send(
      apiKey,
      {
        model: "svc-x1ac-base-gpt-4o-mini",
        models: ["svc-x1ac-base-gpt-4.1-mini"],
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

/** As callers do whose requests failed. */
async function retryEachKey(
  steps: Scenario["steps"],
  retry: (step: Chat, index: number) => Promise<Told>,
  told: Told[],
): Promise<void> {
  const chats = steps.filter((step) => step.do === "chat");
  const keyed = new Map(chats.map((step) => [`${step.idempotencyKey}-${step.stream}`, step]));
  for (const step of keyed.values()) {
    if (step.idempotencyKey === null) continue;
    const sound = { provider: "answers", spends: false, leaves: null, dies: null, away: null, ahead: 0 };
    told.push(await retry({ ...step, ...sound }, steps.length + told.length));
  }
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
  await retryEachKey(steps, (step, index) => perform(step, index, caller.apiKey, database, held), told);
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
  const heldMicro = new Map<string, number>();
  for (const { holdId, amountMicro } of held)
    heldMicro.set(holdId, (heldMicro.get(holdId) ?? 0) + amountMicro);
  expect([...byHold.keys()].sort()).toEqual([...heldMicro.keys()].sort());
  for (const [holdId, amountMicro] of heldMicro)
    expect(-byHold.get(holdId)!.amountMicro).toBeLessThanOrEqual(amountMicro);

  const charges = rows.filter(({ kind }) => kind === "charge");
  for (const { requestId, chargedCredits } of told) {
    const own = charges.filter((row) => row.requestId === requestId);
    expect(own.length).toBeLessThanOrEqual(1);
    if (chargedCredits !== undefined) {
      // What a caller was told is in the books, unless a sweep from the future ended his hold before.
      const settled = own.find(({ flag }) => flag !== "settled_by_sweep");
      const expected = settled === undefined ? chargedCredits : (0 - settled.amountMicro) / 1_000_000;
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
      { numRuns: runs, seed: inject("propertySeed"), endOnFailure: true, examples: [[unsettledOnce]] },
    );
    const findings = await checkLedger(openTestDatabase());
    expect(findings.filter(({ accountId }) => accounts.has(accountId))).toEqual([]);
  });
});
