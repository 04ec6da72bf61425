/**
 * What variants of one call add to the first of them, one call at a time. They take turns every few calls, so that
 * whatever else the machine does hits all of them alike.
 */
import { type Call, type Client, createClient } from "./client.ts";
import type { Effort, Result, Row } from "./result.ts";
import { percentile, summarize } from "./statistics.ts";

export type Variant = { label: string; call: Call };
type Sampled = Variant & { samples: number[] };

const warmUpCalls = 30;

/** Calls of one turn that count. One before them does not: it finds the caches full of another variant. */
export const turnCalls = 8;

/** One round: the variants in turn until the time is up. Starts with another variant each cycle. */
async function runRound(variants: Sampled[], client: Client, seconds: number): Promise<void> {
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

/** Figures of the first variant, and of the others what they add to it. `calls`: of each variant. */
export async function compareCalls(
  compared: readonly Variant[],
  effort: Effort,
): Promise<Pick<Result, "columns" | "rows"> & { calls: number }> {
  const variants = compared.map((variant): Sampled => ({ ...variant, samples: [] }));
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
    calls,
  };
}
