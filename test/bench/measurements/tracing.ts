/**
 * What traces of every request cost: CPU time of all processes with and without a collector that takes them, the two
 * services loaded in turns. Only by name: `--only tracing`.
 */
import { createServer } from "node:http";
import { listenOnLoopback } from "../../support/loopback.ts";
import { createClient } from "../client.ts";
import { runLoad } from "../load.ts";
import type { Measurement } from "../measurement.ts";
import type { Effort, Result, Row } from "../result.ts";
import { serviceCall } from "../rig/calls.ts";
import type { Rig } from "../rig/rig.ts";
import { percentile, summarize } from "../statistics.ts";

const callers = 16;
/** Rounds for each of `effort.rounds`: a single round varies by more than the difference that is measured. */
const turns = 8;
/** Per cent. */
const bar = 5;
/** CPU milliseconds of a plan by the world model, which the fixed plan leaves out and traces hardly touch (docs/performance.md, "One plan"). */
const planMs = 12;

/** Takes what is posted, and counts the posts. */
async function startSink(rig: Rig) {
  let posts = 0;
  const server = createServer((request, response) => {
    posts += 1;
    request
      .resume()
      .on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
  });
  const { url, stop } = await listenOnLoopback(server);
  rig.adopt(stop);
  return { url, posts: () => posts };
}

async function measure(rig: Rig, effort: Effort): Promise<Result> {
  const sink = await startSink(rig);
  const variants = [
    { label: "no traces", service: await rig.freshService() },
    {
      label: "every request traced",
      service: await rig.freshService("fixed-plan", { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url }),
    },
  ];
  const client = createClient(callers);
  rig.adopt(client.close);
  const load = async ({ service }: (typeof variants)[number], stream: boolean) => {
    const call = serviceCall(service, { stream, answer: stream ? "burst" : "short" });
    const { cpu } = await runLoad({
      concurrency: callers,
      seconds: effort.seconds / 5,
      processes: service.processes,
      call: async () => (await client.call(call)).totalMs,
      median: (samples) => percentile(samples, 0.5),
    });
    return Object.values(cpu).reduce((sum, seconds) => sum + seconds * 1e3, 0);
  };
  const rows: Row[] = [];
  for (const stream of [false, true]) {
    for (const variant of variants) await load(variant, stream);
    const rounds: number[][] = [];
    for (let round = 0; round < effort.rounds * turns; round++) {
      const order = round % 2 === 0 ? [0, 1] : [1, 0];
      const found: number[] = [];
      for (const at of order) found[at] = await load(variants[at]!, stream);
      rounds.push(found);
    }
    for (const [at, { label }] of variants.entries())
      rows.push({
        label: `${stream ? "stream" : "JSON"}, ${label}`,
        figures: {
          cpu: summarize(rounds.map((round) => round[at]!)),
          more: summarize(rounds.map((round) => (round[at]! / round[0]! - 1) * 100)),
        },
      });
  }
  return {
    columns: [
      { key: "cpu", heading: "CPU ms a request", digits: 2 },
      { key: "more", heading: "more %", digits: 1 },
    ],
    rows,
    notes: [
      `Bar: at most ${bar} % more, a plan of about ${planMs} ms included, which the fixed plan here leaves out. ${callers} callers; CPU time of edge, relay, sqld and gpu-worker, not of the collector.`,
      `The collector was posted to ${sink.posts()} times.`,
    ],
  };
}

export const tracing: Measurement = { name: "tracing", title: "What traces cost", run: measure };
