/** The service under load: requests per second, and the CPU time each of its processes spends on one. */
import { createClient } from "../client.ts";
import { type LoadFigures, runLoad } from "../load.ts";
import type { Measurement } from "../measurement.ts";
import type { Effort, Result, Row } from "../result.ts";
import { type ChatOptions, serviceCall } from "../rig/calls.ts";
import { framesPerStream, pacedFrameMs } from "../rig/provider.ts";
import type { Planning, Rig } from "../rig/rig.ts";
import { percentile, summarize } from "../statistics.ts";

type Case = ChatOptions & { label: string; planning: Planning; concurrency: number; ownKey?: boolean };

const json = { stream: false, answer: "short" } as const;
const burst = { stream: true, answer: "burst" } as const;
const paced = { stream: true, answer: "paced" } as const;

const jsonCases: Case[] = [
  { ...json, label: "everything on, 16 callers", planning: "world-model", concurrency: 16 },
  { ...json, label: "everything on, 32 callers", planning: "world-model", concurrency: 32 },
  { ...json, label: "everything on, own key, 16", planning: "world-model", concurrency: 16, ownKey: true },
  { ...json, label: "planning off, 16 callers", planning: "fixed-plan", concurrency: 16 },
  { ...json, label: "planning off, 32 callers", planning: "fixed-plan", concurrency: 32 },
];
const streamCases: Case[] = [
  { ...burst, label: "planning off, at once, 16", planning: "fixed-plan", concurrency: 16 },
  { ...burst, label: "planning off, at once, 32", planning: "fixed-plan", concurrency: 32 },
  { ...paced, label: `planning off, ${pacedFrameMs} ms apart, 64`, planning: "fixed-plan", concurrency: 64 },
];

async function runCase(rig: Rig, effort: Effort, one: Case): Promise<Row> {
  const { processes, ...service } = await rig.service(one.planning);
  const call = serviceCall(service, one);
  const client = createClient(one.concurrency);
  const load = (seconds: number) =>
    runLoad({
      concurrency: one.concurrency,
      seconds,
      processes,
      call: async () => (await client.call(call)).totalMs,
      median: (samples) => percentile(samples, 0.5),
    });
  try {
    await load(effort.seconds / 5);
    const rounds: LoadFigures[] = [];
    for (let round = 0; round < Math.min(effort.rounds, 3); round++) {
      rounds.push(await load((effort.seconds * 0.8) / Math.min(effort.rounds, 3)));
    }
    return { label: one.label, figures: summarizeRounds(rounds) };
  } finally {
    await client.close();
  }
}

function summarizeRounds(rounds: readonly LoadFigures[]): Row["figures"] {
  const over = (read: (round: LoadFigures) => number) => summarize(rounds.map(read));
  const total = ({ cpu }: LoadFigures) => Object.values(cpu).reduce((sum, seconds) => sum + seconds, 0);
  return {
    perSecond: over(({ perSecond }) => perSecond),
    perCore: over((round) => 1 / total(round)),
    p50: over(({ p50Ms }) => p50Ms),
    cpu: over((round) => total(round) * 1e6),
    ...Object.fromEntries(
      Object.keys(rounds[0]!.cpu).map((name) => [name, over(({ cpu }) => cpu[name]! * 1e6).median]),
    ),
  };
}

async function measure(rig: Rig, effort: Effort, cases: Case[], unit: string): Promise<Result> {
  const rows: Row[] = [];
  for (const one of cases) rows.push(await runCase(rig, effort, one));
  return {
    columns: [
      { key: "perSecond", heading: `${unit}/s`, digits: 0 },
      { key: "perCore", heading: `${unit}/s per core`, digits: 0 },
      { key: "p50", heading: "p50 ms", digits: 1 },
      { key: "cpu", heading: "CPU us", digits: 0 },
      { key: "edge", heading: "edge", digits: 0 },
      { key: "sqld", heading: "sqld", digits: 0 },
      { key: "gpu-worker", heading: "gpu-worker", digits: 0 },
      { key: "relay", heading: "relay", digits: 0 },
    ],
    rows,
    notes: [
      "CPU us: microseconds of CPU time per request, by process (/proc/PID/stat). Per core: one core's worth of " +
        "that time; the client and the provider share this machine and are not counted.",
    ],
  };
}

export const jsonLoad: Measurement = {
  name: "json-load",
  title: "JSON under load",
  run: (rig, effort) => measure(rig, effort, jsonCases, "requests"),
};

export const streamLoad: Measurement = {
  name: "stream-load",
  title: `Streams of ${framesPerStream} frames under load`,
  run: (rig, effort) => measure(rig, effort, streamCases, "streams"),
};
