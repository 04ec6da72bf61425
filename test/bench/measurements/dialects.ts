/**
 * Both dialects to all four kinds of provider, on own keys and a fixed plan: what a pair can carry, and what it
 * costs against passing the same dialect through. The pairs take turns in every round.
 */
import { type Client, createClient } from "../client.ts";
import { type LoadFigures, runLoad } from "../load.ts";
import type { Measurement } from "../measurement.ts";
import type { Effort, Result, Row } from "../result.ts";
import {
  type Asked,
  directKindCall,
  labelOf,
  type Pair,
  pairCall,
  pairs,
  passThroughOf,
} from "../rig/dialect-calls.ts";
import { writeStream } from "../rig/dialect-streams.ts";
import { longPieces } from "../rig/provider.ts";
import type { MeasuredService, Rig } from "../rig/rig.ts";
import { type Figure, percentile, summarize } from "../statistics.ts";

const json: Asked = { stream: false, answer: "short" };
const burst: Asked = { stream: true, answer: "burst" };
const long: Asked = { stream: true, answer: "long" };

const jsonCallers = 16;
const streamCallers = 4;
/** Calls in a turn whose first byte counts; one before them does not. */
const turnCalls = 5;

/** What a converting pair may cost, times the pass-through. */
const bar = 1.3;

/** One figure per round, by pair. */
type Rounds<T> = T[][];
const emptyRounds = <T>(): Rounds<T> => pairs.map(() => []);

/** Loads of `milliseconds` each, the pairs in turn, starting with another one each round. */
async function loadPairs(
  service: MeasuredService,
  asked: Asked,
  concurrency: number,
  rounds: number,
  milliseconds: number,
): Promise<Rounds<LoadFigures>> {
  const figures = emptyRounds<LoadFigures>();
  const client = createClient(concurrency);
  const load = (pair: Pair, seconds: number) => {
    const call = pairCall(service, pair, asked);
    return runLoad({
      concurrency,
      seconds,
      processes: service.processes,
      call: async () => (await client.call(call)).totalMs,
      median: (samples) => percentile(samples, 0.5),
    });
  };
  try {
    for (const pair of pairs) await load(pair, milliseconds / 2_000);
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < pairs.length; turn++) {
        const index = (round + turn) % pairs.length;
        figures[index]!.push(await load(pairs[index]!, milliseconds / 1_000));
      }
    }
  } finally {
    await client.close();
  }
  return figures;
}

/** p50 of a turn's first bytes, milliseconds. */
async function firstByteOfTurn(client: Client, call: ReturnType<typeof pairCall>): Promise<number> {
  await client.call(call);
  const samples: number[] = [];
  for (let count = 0; count < turnCalls; count++) samples.push((await client.call(call)).firstByteMs);
  return percentile(samples, 0.5);
}

/** What the service adds to the first byte, one call at a time, each turn beside one of direct calls. */
async function addedFirstBytes(service: MeasuredService, providerUrl: string, rounds: number) {
  const added = emptyRounds<number>();
  const client = createClient(1);
  try {
    for (let round = -1; round < rounds; round++) {
      for (const [index, pair] of pairs.entries()) {
        const direct = await firstByteOfTurn(client, directKindCall(providerUrl, pair.kind, burst));
        const through = await firstByteOfTurn(client, pairCall(service, pair, burst));
        if (round >= 0) added[index]!.push(through - direct);
      }
    }
  } finally {
    await client.close();
  }
  return added;
}

/** Least CPU time of a load, against a division by 0: in a short one the kernel's clock (ticks of 10 ms) may not have moved. */
const minMs = 1e-3;
const edgeMs = ({ cpu }: LoadFigures): number => cpu.edge! * 1_000;

/** Edge CPU of a pair over that of its pass-through, round by round. */
function ratios(figures: Rounds<LoadFigures>, index: number): Figure {
  const own = figures[passThroughOf(pairs[index]!)]!;
  return summarize(figures[index]!.map((round, at) => edgeMs(round) / Math.max(edgeMs(own[at]!), minMs)));
}

async function measure(rig: Rig, effort: Effort): Promise<Result> {
  const [service, providerUrl] = await Promise.all([rig.service("fixed-plan"), rig.providerUrl()]);
  const turnMs = effort.seconds * 100;
  const added = await addedFirstBytes(service, providerUrl, Math.ceil(effort.seconds * 2));
  const requests = await loadPairs(service, json, jsonCallers, effort.rounds, turnMs);
  const streams = await loadPairs(service, long, streamCallers, effort.rounds, turnMs);
  const rows = pairs.map((pair, index): Row => {
    const megabytes = Buffer.byteLength(writeStream(pair.kind, longPieces).join("")) / 1e6;
    const over = (figures: Rounds<LoadFigures>, read: (round: LoadFigures) => number) =>
      summarize(figures[index]!.map(read));
    return {
      label: labelOf(pair),
      figures: {
        perSecond: over(requests, ({ perSecond }) => perSecond).median,
        requestUs: over(requests, (round) => edgeMs(round) * 1_000).median,
        requestRatio: ratios(requests, index).median,
        firstByte: summarize(added[index]!).median,
        events: over(streams, ({ perSecond }) => perSecond * longPieces).median / 1_000,
        streamMs: over(streams, edgeMs).median,
        perMb: over(streams, edgeMs).median / megabytes,
        streamRatio: ratios(streams, index),
      },
    };
  });
  return {
    columns: [
      { key: "perSecond", heading: "requests/s", digits: 0 },
      { key: "requestUs", heading: "edge CPU us", digits: 0 },
      { key: "requestRatio", heading: "ratio", digits: 2 },
      { key: "firstByte", heading: "first byte +ms", digits: 2 },
      { key: "events", heading: "k events/s", digits: 0 },
      { key: "streamMs", heading: "edge CPU ms", digits: 1 },
      { key: "perMb", heading: "per MB in", digits: 1 },
      { key: "streamRatio", heading: "ratio", digits: 2 },
    ],
    rows,
    notes: [
      `Bar: ratio <= ${bar}, the edge's CPU time over that of the provider that speaks the caller's dialect.`,
      `Requests: JSON, ${jsonCallers} callers. First byte: p50 of what the service adds to a stream, one at a time.`,
      `Events and what follows: streams of ${longPieces} chunks with the same text in each, sent at once, ` +
        `${streamCallers} at a time. Medians of ${effort.rounds} rounds, the pairs in turn; ratios within a round.`,
    ],
  };
}

export const dialects: Measurement = {
  name: "dialects",
  title: "Both dialects, all providers",
  run: measure,
};
