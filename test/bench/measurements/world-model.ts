/**
 * The gpu-worker by itself on what the world model is for: a 5-step plan with 10 tools and a rollout, alone
 * and among 32 callers, and the latency of a plan by its number of steps.
 */
import { PlanResponse } from "../../../shared/planning.ts";
import { type Client, createClient } from "../client.ts";
import type { Measurement } from "../measurement.ts";
import type { Effort, Result, Row } from "../result.ts";
import type { MeasuredWorker, Rig } from "../rig/rig.ts";
import { type Ask, createAsker, givenRollout, longPlan, plan, rollout } from "../rig/worker-asks.ts";
import { type Figure, percentile, summarize } from "../statistics.ts";

const crowd = 32;
const planStepLimit = 10;

async function createCall(worker: MeasuredWorker, client: Client, ask: Ask) {
  const write = await createAsker(worker);
  return async (): Promise<number> => {
    const { body, ...call } = await write(ask);
    return (await client.call({ ...call, body: () => body })).totalMs;
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

/** A goal of six instructions, one caller: what each further step of a plan costs. */
async function measureLength(worker: MeasuredWorker, effort: Effort, maxSteps: number): Promise<Row> {
  const client = createClient(1);
  try {
    const ask = longPlan(maxSteps);
    const { url, headers, body } = await (await createAsker(worker))(ask);
    const answer = await fetch(url, { method: "POST", headers, body });
    const { steps } = PlanResponse.parse(await answer.json());
    const { samples } = await loop(await createCall(worker, client, ask), 1, effort.seconds / 10);
    return {
      label: `plan: at most ${maxSteps} steps, 10 tools`,
      figures: { alone: percentile(samples, 0.5), steps: steps.length },
    };
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
  for (let maxSteps = 1; maxSteps <= planStepLimit; maxSteps++)
    rows.push(await measureLength(worker, effort, maxSteps));
  return {
    columns: [
      { key: "alone", heading: "p50 ms, one caller", digits: 1 },
      { key: "crowd", heading: `p50 ms, ${crowd} callers`, digits: 0 },
      { key: "late", heading: `p99 ms, ${crowd} callers`, digits: 0 },
      { key: "perSecond", heading: `per second, ${crowd} callers`, digits: 0 },
      { key: "steps", heading: "steps it took", digits: 0 },
    ],
    rows,
    notes: [
      "The real gpu-worker's process with its default threads, asked directly; goals are new, tools are known.",
      "The callers share the machine with the worker. A plan ends where nothing is left to do.",
    ],
  };
}

export const worldModel: Measurement = {
  name: "world-model",
  title: "World model: plans and rollouts",
  run: measure,
};
