/**
 * What the service adds to one call at a time, against a direct call to the same provider. The variants
 * take turns every few calls, so that whatever else the machine does hits all of them alike.
 */
import { type Call, type Client, createClient } from "../client.ts";
import type { Measurement } from "../measurement.ts";
import type { Effort, Result, Row } from "../result.ts";
import { directCall, serviceCall } from "../rig/calls.ts";
import type { Rig } from "../rig/rig.ts";
import { percentile, summarize } from "../statistics.ts";

type Variant = { label: string; call: Call; samples: number[] };

const warmUpCalls = 30;

async function listVariants(rig: Rig, stream: boolean): Promise<Variant[]> {
  const options = { stream, answer: stream ? "burst" : "short" } as const;
  const [providerUrl, full, fixed] = await Promise.all([
    rig.providerUrl(),
    rig.service("world-model"),
    rig.service("fixed-plan"),
  ]);
  const calls: [string, Call][] = [
    ["direct to the provider", directCall(providerUrl, options)],
    ["everything on, pool", serviceCall(full, options)],
    ["everything on, own key", serviceCall(full, { ...options, ownKey: true })],
    ["planning off (fixed plan), pool", serviceCall(fixed, options)],
    ["planning off (fixed plan), own key", serviceCall(fixed, { ...options, ownKey: true })],
  ];
  return calls.map(([label, call]) => ({ label, call, samples: [] }));
}

/** Calls of one turn that count. One before them does not: it finds the caches full of another variant. */
const turnCalls = 8;

/** One round: the variants in turn until the time is up. Starts with another variant each cycle. */
async function runRound(variants: Variant[], client: Client, seconds: number): Promise<void> {
  const endAt = performance.now() + seconds * 1000;
  for (const variant of variants) variant.samples = [];
  for (let cycle = 0; cycle === 0 || performance.now() < endAt; cycle++) {
    for (let turn = 0; turn < variants.length; turn++) {
      const { call, samples } = variants[(cycle + turn) % variants.length]!;
      await client.call(call);
      for (let count = 0; count < turnCalls; count++) samples.push((await client.call(call)).firstByteMs);
    }
  }
}

/** What the service has to keep, milliseconds of added p50 with everything on. */
const bars = { json: 8, firstByte: 10 };

async function measure(rig: Rig, effort: Effort, stream: boolean): Promise<Result> {
  const variants = await listVariants(rig, stream);
  const client = createClient(1);
  const rounds: { p50: number[]; p99: number[] }[] = [];
  let calls = 0;
  try {
    for (const { call } of variants) {
      for (let warm = 0; warm < Math.min(warmUpCalls, effort.seconds * 10); warm++) await client.call(call);
    }
    for (let round = 0; round < effort.rounds; round++) {
      await runRound(variants, client, (effort.seconds * 3) / effort.rounds);
      calls += variants[0]!.samples.length;
      rounds.push({
        p50: variants.map(({ samples }) => percentile(samples, 0.5)),
        p99: variants.map(({ samples }) => percentile(samples, 0.99)),
      });
    }
  } finally {
    await client.close();
  }
  const rows = variants.map(({ label }, index): Row => {
    const own = { p50: summarize(rounds.map(({ p50 }) => p50[index]!)) };
    if (index === 0) return { label, figures: { ...own, p99: summarize(rounds.map(({ p99 }) => p99[0]!)) } };
    return {
      label,
      figures: {
        ...own,
        addedP50: summarize(rounds.map(({ p50 }) => p50[index]! - p50[0]!)),
        p99: summarize(rounds.map(({ p99 }) => p99[index]!)),
        addedP99: summarize(rounds.map(({ p99 }) => p99[index]! - p99[0]!)),
      },
    };
  });
  return {
    columns: [
      { key: "p50", heading: "p50 ms", digits: 2 },
      { key: "addedP50", heading: "added p50 ms", digits: 2 },
      { key: "p99", heading: "p99 ms", digits: 2 },
      { key: "addedP99", heading: "added p99 ms", digits: 2 },
    ],
    rows,
    notes: [
      `Bar: added p50 with everything on <= ${stream ? bars.firstByte : bars.json} ms.`,
      `${calls} calls of each kind, ${turnCalls} in a turn, over ${effort.rounds} rounds; median of the rounds (lowest-highest).`,
      "Everything on: key check, plan, hold, provider, ledger. JSON is settled before it is answered.",
      "Planning off: the same service and the same gpu-worker with a planner that knows one plan and gives it at " +
        "once. A request cannot turn planning off (svc.plan only keeps it out of the prompt).",
    ],
  };
}

export const addedJson: Measurement = {
  name: "json",
  title: "JSON answer, one call at a time",
  run: (rig, effort) => measure(rig, effort, false),
};

export const addedFirstByte: Measurement = {
  name: "first-byte",
  title: "First byte of a stream, one call at a time",
  run: (rig, effort) => measure(rig, effort, true),
};
