/**
 * The gpu-worker by itself on what the world model is for: a 5-step plan with 10 tools and a rollout, alone
 * and among 32 callers, and the latency of a plan by its number of steps.
 */
import { createSigner, workerAudience } from "../../../shared/signature.ts";
import { workerTasks } from "../../../shared/worker-tasks.ts";
import { type Client, createClient } from "../client.ts";
import type { Measurement } from "../measurement.ts";
import type { Effort, Result, Row } from "../result.ts";
import type { MeasuredWorker, Rig } from "../rig/rig.ts";
import { type Figure, percentile, summarize } from "../statistics.ts";

const crowd = 32;
const goal =
  "Find a cheap flight to Lisbon in May, reserve a quiet hotel near the river and tell Anna about it";
const tools = [
  ["search_flights", "Search flights between two airports on a date"],
  ["search_hotels", "Search hotels in a city"],
  ["get_weather", "Weather forecast of a place"],
  ["convert_currency", "Convert an amount between currencies"],
  ["send_email", "Send an e-mail"],
  ["create_event", "Put an event into the calendar"],
  ["web_search", "Search the web"],
  ["read_page", "Read a web page"],
  ["book_flight", "Book a flight that was found"],
  ["book_hotel", "Book a hotel room that was found"],
].map(([name, description]) => ({ name, description, parameters: [] }));
const state = "You help people plan trips. The traveller has not booked anything yet.";

type Ask = { path: string; body(number: number): object };
const plan = (maxSteps: number): Ask => ({
  path: workerTasks.plan.path,
  // Every goal is new: only the tools are remembered, as a caller's are.
  body: (number) => ({ size: "base", goal: `${goal}, offer ${number}`, state, history: [], tools, maxSteps }),
});
const rollout: Ask = {
  path: workerTasks.rollout.path,
  body: (number) => ({ size: "base", goal: `${goal}, offer ${number}`, initialState: state, maxSteps: 5 }),
};
const givenRollout: Ask = {
  path: workerTasks.rollout.path,
  body: (number) => ({
    ...rollout.body(number),
    // search, compare, select, book, send.
    actions: [10, 20, 30, 57, 56],
  }),
};

async function createCall(worker: MeasuredWorker, client: Client, { path, body }: Ask) {
  const signer = await createSigner({ privateJwk: worker.signingKey });
  let number = 0;
  return async (): Promise<number> => {
    number += 1;
    const text = JSON.stringify(body(number));
    const token = await signer.sign({
      audience: workerAudience,
      method: "POST",
      path,
      body: text,
      now: Date.now(),
      nonce: crypto.randomUUID(),
    });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return (await client.call({ url: worker.url + path, headers, body: () => text })).totalMs;
  };
}

/** Milliseconds of each call of a closed loop, and calls per second. */
async function loop(call: () => Promise<number>, concurrency: number, seconds: number) {
  const samples: number[] = [];
  const startedAt = performance.now();
  const caller = async () => {
    do samples.push(await call());
    while (performance.now() - startedAt < seconds * 1000);
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  return { samples, perSecond: samples.length / ((performance.now() - startedAt) / 1000) };
}

async function measureCase(worker: MeasuredWorker, effort: Effort, label: string, ask: Ask): Promise<Row> {
  const client = createClient(crowd);
  try {
    const call = await createCall(worker, client, ask);
    const seconds = effort.seconds / (2 * effort.rounds);
    await loop(call, 2, effort.seconds / 10);
    const rounds: Record<"alone" | "crowd" | "late" | "perSecond", number[]> = {
      alone: [],
      crowd: [],
      late: [],
      perSecond: [],
    };
    for (let round = 0; round < effort.rounds; round++) {
      rounds.alone.push(percentile((await loop(call, 1, seconds)).samples, 0.5));
      const { samples, perSecond } = await loop(call, crowd, seconds);
      rounds.crowd.push(percentile(samples, 0.5));
      rounds.late.push(percentile(samples, 0.99));
      rounds.perSecond.push(perSecond);
    }
    const entries = Object.entries(rounds).map(([name, values]): [string, Figure] => [
      name,
      summarize(values),
    ]);
    return { label, figures: Object.fromEntries(entries) };
  } finally {
    await client.close();
  }
}

async function measure(rig: Rig, effort: Effort): Promise<Result> {
  const worker = await rig.worker();
  const rows = [
    await measureCase(worker, effort, "plan: 5 steps, 10 tools", plan(5)),
    await measureCase(worker, effort, "rollout: 5 steps, planned", rollout),
    await measureCase(worker, effort, "rollout: 5 steps, given", givenRollout),
  ];
  const client = createClient(1);
  try {
    for (let maxSteps = 1; maxSteps <= 10; maxSteps++) {
      const call = await createCall(worker, client, plan(maxSteps));
      const { samples } = await loop(call, 1, effort.seconds / 10);
      rows.push({
        label: `plan: at most ${maxSteps} steps, 10 tools`,
        figures: { alone: percentile(samples, 0.5) },
      });
    }
  } finally {
    await client.close();
  }
  return {
    columns: [
      { key: "alone", heading: "p50 ms, one caller", digits: 1 },
      { key: "crowd", heading: `p50 ms, ${crowd} callers`, digits: 0 },
      { key: "late", heading: `p99 ms, ${crowd} callers`, digits: 0 },
      { key: "perSecond", heading: `per second, ${crowd} callers`, digits: 0 },
    ],
    rows,
    notes: [
      "The real gpu-worker's process with its default threads, asked directly; goals are new, tools are known.",
      "The callers share the machine with the worker.",
    ],
  };
}

export const worldModel: Measurement = {
  name: "world-model",
  title: "World model: plans and rollouts",
  run: measure,
};
