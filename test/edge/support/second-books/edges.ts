/**
 * Two edges over one database and one aggregator, each with an isolate's own state: its catalogue, its counters, its
 * keys. Times are those of the service, made short.
 */

import { buildCatalog } from "../../../../edge/catalog/catalog.ts";
import { readRouterList } from "../../../../edge/catalog/router-snapshot.ts";
import type { Database } from "../../../../edge/db/client.ts";
import type { PlanRequest } from "../../../../shared/planning.ts";
import { openTestDatabase } from "../accounts.ts";
import { createTestApp, testPlan } from "../app.ts";
import { type Aggregator, pricesAt } from "./aggregator.ts";
import type { Sequence } from "./sequence.ts";

const limits = { firstByteMs: 60, idleMs: 60, totalMs: 150 };
const pace = { deadlineMs: 220, progressMs: 50, patienceMs: 40 };
/** Of the pauses that the gateway makes: a second try after 250 ms is one after 25. */
const hurry = 10;
export const stallMs = 100;

/** gpt-4o as the aggregator's list has it at these prices. */
function catalogAt(factor: number) {
  const { input, output } = pricesAt(factor);
  const pricing = { prompt: String(input / 1_000_000), completion: String(output / 1_000_000) };
  const list = readRouterList({ data: [{ id: "openai/gpt-4o", context_length: 128_000, pricing }] }, 1);
  if (!list.ok) throw new Error(list.reason);
  return buildCatalog({ snapshot: list.snapshot, startedAtMs: Date.UTC(2026, 10, 1) });
}
const catalogs = new Map([0.5, 1, 2, 3].map((factor) => [factor, catalogAt(factor)]));

export type Edge = ReturnType<typeof createTestApp> & {
  /** Reads the aggregator's new list. */
  learn(factor: number): void;
};

/** What was set aside, by hold: the most a request can be charged. */
export type Holds = Map<string, number>;

function remembering(database: Database, holds: Holds): Database {
  const remember = (values: Readonly<Record<string, unknown>> = {}) => {
    const { holdId, amountMicro } = values as { holdId?: string; amountMicro?: number };
    if (holdId !== undefined && amountMicro !== undefined) holds.set(holdId, amountMicro);
  };
  return {
    ...database,
    execute(statement, values) {
      remember(values);
      return database.execute(statement, values);
    },
    batch(batch, values) {
      remember(values);
      return database.batch(batch, values);
    },
  };
}

export function createEdge(aggregator: Aggregator, holds: Holds, maxInFlight: Sequence["inFlight"]): Edge {
  let factor = 1;
  const app = createTestApp({
    provider: [aggregator.serve],
    plan: async ({ history }: PlanRequest) => ({ ...testPlan, steps: testPlan.steps.slice(history.length) }),
    catalog: async () => catalogs.get(factor)!,
    database: remembering(openTestDatabase(), holds),
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds / hurry)),
    limits,
    requestLimits: pace,
    maxInFlight,
  });
  return Object.assign(app, {
    learn: (next: number) => {
      factor = next;
    },
  });
}
