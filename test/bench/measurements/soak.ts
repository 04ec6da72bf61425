/**
 * The gpu-worker under more load than its queue may hold, for minutes: memory, refusals, the queue's length,
 * and whether everything that was asked was answered. No part of a plain run: `--only soak --minutes N`.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { root } from "../../support/service.ts";
import type { Measurement } from "../measurement.ts";
import { readResidentMib, readThreads } from "../process-usage.ts";
import type { Effort, Result } from "../result.ts";
import { type MeasuredWorker, type Rig, startWorker } from "../rig/rig.ts";
import { type Ask, createAsker, embed, givenRollout, plan, rollout } from "../rig/worker-asks.ts";
import { percentile } from "../statistics.ts";

/** The worker's own default, and callers enough to be over it whatever runs. */
const queueBound = 256;
const callers = 512;
/** A refused caller waits less than the second that its Retry-After says, so that the queue stays full. */
const pauseMs = 100;
const sampleMs = 250;
const graceMs = 60_000;

/** Plans mostly, as callers ask. */
const mixture: readonly Ask[] = [plan(5), plan(5), plan(5), rollout, givenRollout, embed];

const outcomes = ["answered", "refused", "other", "failed"] as const;
type Counts = Record<(typeof outcomes)[number], number>;
export type Sample = Counts & { second: number; residentMib: number; threads: number; queue: number };

/** Rows of ten seconds each, and one of all. Counts are of the time since the sample before. Pure. */
export function soakRows(samples: readonly Sample[]): Result["rows"] {
  const describe = (label: string, some: readonly Sample[]) => ({
    label,
    figures: {
      ...Object.fromEntries(outcomes.map((name) => [name, some.reduce((sum, one) => sum + one[name], 0)])),
      residentMib: percentile(
        some.map(({ residentMib }) => residentMib),
        0.5,
      ),
      threads: Math.max(...some.map(({ threads }) => threads)),
      queue: Math.max(...some.map(({ queue }) => queue)),
    },
  });
  const tens = [...Map.groupBy(samples, ({ second }) => Math.floor(second / 10))];
  return [
    ...tens.map(([ten, some]) => describe(`second ${ten * 10} to ${ten * 10 + 10}`, some)),
    describe("all", samples),
  ];
}

/** Resident memory at the end against the first minute's end (or a sixth of a shorter run), MiB. Pure. */
export function soakGrowth(samples: readonly Sample[]): { before: number; after: number } {
  const last = samples.at(-1)!.second;
  const window = Math.min(60, last / 6);
  const median = (from: number) =>
    percentile(
      samples
        .filter(({ second }) => second >= from && second <= from + window)
        .map(({ residentMib }) => residentMib),
      0.5,
    );
  return { before: median(window), after: median(last - window) };
}

async function measure(_rig: Rig, effort: Effort): Promise<Result> {
  const worker = await startWorker(join(root, "gpu-worker/main.ts"), {
    QUEUE_MAX_REQUESTS: String(queueBound),
  });
  try {
    return await soak(worker, effort.soakSeconds);
  } finally {
    await worker.stop();
  }
}

async function soak(worker: MeasuredWorker, seconds: number): Promise<Result> {
  const agent = new Agent({ connections: callers, pipelining: 1, keepAliveTimeout: 60_000 });
  const write = await createAsker(worker);
  const counts: Counts = { answered: 0, refused: 0, other: 0, failed: 0 };
  let open = 0;

  /** What became of one request. A refusal counts as one only with its Retry-After. */
  const send = async (ask: Ask): Promise<keyof Counts> => {
    const { url, headers, body } = await write(ask);
    const { origin, pathname } = new URL(url);
    open += 1;
    try {
      const response = await agent.request({ origin, path: pathname, method: "POST", headers, body });
      await response.body.dump();
      if (response.statusCode === 200) return "answered";
      return [429, 503].includes(response.statusCode) && response.headers["retry-after"] !== undefined
        ? "refused"
        : "other";
    } catch {
      return "failed";
    } finally {
      open -= 1;
    }
  };
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt >= seconds * 1000;
  const caller = async (first: number) => {
    for (let turn = first; !isOver(); turn++) {
      const outcome = await send(mixture[turn % mixture.length]!);
      counts[outcome] += 1;
      if (outcome !== "answered") await sleep(pauseMs);
    }
  };
  const samples: Sample[] = [];
  let told: Counts = { ...counts };
  const look = async () => {
    const queue = await readQueue(worker.url);
    const now = { ...counts };
    const since = outcomes.map((name) => [name, now[name] - told[name]]);
    told = now;
    const second = (performance.now() - startedAt) / 1000;
    const usage = { residentMib: readResidentMib(worker.pid), threads: readThreads(worker.pid) };
    samples.push({ ...(Object.fromEntries(since) as Counts), ...usage, second, queue });
  };
  try {
    const calling = Promise.all(Array.from({ length: callers }, (_, index) => caller(index)));
    while (!isOver()) {
      await look();
      await sleep(sampleMs);
    }
    await Promise.race([calling, sleep(graceMs, undefined, { ref: false })]);
    await look();
    const hung = open;
    const last = await Promise.race([send(plan(5)), sleep(graceMs, "hung" as const, { ref: false })]);
    return describeSoak(samples, { hung, last, left: await readQueue(worker.url) });
  } finally {
    await agent.destroy();
  }
}

function describeSoak(samples: Sample[], end: { hung: number; last: string; left: number }): Result {
  const { before, after } = soakGrowth(samples);
  const deepest = Math.max(...samples.map(({ queue }) => queue));
  return {
    columns: [
      { key: "residentMib", heading: "resident MiB", digits: 0 },
      { key: "threads", heading: "threads", digits: 0 },
      { key: "answered", heading: "200", digits: 0 },
      { key: "refused", heading: "429 or 503 with Retry-After", digits: 0 },
      { key: "other", heading: "other answers", digits: 0 },
      { key: "failed", heading: "no answer", digits: 0 },
      { key: "queue", heading: "longest queue", digits: 0 },
    ],
    rows: soakRows(samples),
    notes: [
      `${callers} callers; at most ${deepest} tasks waited: chat's, of which ${queueBound} may, and slices of texts, which are bounded by time.`,
      `Memory ${before.toFixed(0)} MiB after the first minute (or sixth), ${after.toFixed(0)} at the end: ${(after - before).toFixed(1)} MiB.`,
      `Left at the end: ${end.hung} requests without an answer, ${end.left} in the queue; one more plan was ${end.last}.`,
    ],
  };
}

/** Number of waiting tasks, from the worker's own metrics. */
async function readQueue(url: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  return Number(/^svc_worker_queue_depth\{[^}]*\} (\d+)$/m.exec(page)?.[1]);
}

export const soakWorker: Measurement = {
  name: "soak",
  title: "gpu-worker: more load than its queue may hold",
  run: measure,
};
