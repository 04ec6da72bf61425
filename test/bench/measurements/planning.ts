/** The gpu-worker by itself: signed POST /plan over kept-alive connections, alone and under load. */

import type { PlanRequest } from "../../../shared/planning.ts";
import { createSigner, workerAudience } from "../../../shared/signature.ts";
import { type Client, createClient } from "../client.ts";
import { runLoad } from "../load.ts";
import type { Measurement } from "../measurement.ts";
import type { Effort, Result, Row } from "../result.ts";
import { instructions, writeGoal } from "../rig/calls.ts";
import type { MeasuredWorker, Rig } from "../rig/rig.ts";
import { percentile, summarize } from "../statistics.ts";

const tools = [
  ["search_flights", "Search flights between two airports on a date", ["from", "to", "date"]],
  ["search_hotels", "Search hotels in a city", ["city", "check_in", "check_out"]],
  ["get_weather", "Weather forecast of a place", ["place", "date"]],
  ["convert_currency", "Convert an amount between currencies", ["amount", "from", "to"]],
  ["send_email", "Send an e-mail", ["to", "subject", "body"]],
  ["create_event", "Put an event into the calendar", ["title", "start", "end"]],
  ["web_search", "Search the web", ["query"]],
  ["read_page", "Read a web page", ["url"]],
  ["book_flight", "Book a flight that was found", ["flight_id", "passengers"]],
  ["book_hotel", "Book a hotel room that was found", ["hotel_id", "guests"]],
] as const;

const base = { size: "base", goal: "", maxSteps: 5 } as const;
const cases: { label: string; request: PlanRequest }[] = [
  { label: "short goal", request: { ...base, history: [], turns: [], tools: [], state: "" } },
  {
    label: "goal, state and 10 tools",
    request: {
      ...base,
      history: [],
      turns: [],
      state: instructions,
      tools: tools.map(([name, description, parameters]) => ({
        name,
        description,
        parameters: [...parameters],
      })),
    },
  },
];

/** Signed outside the time that counts. Every goal is new, so that no cache answers. */
async function createPlanCall(worker: MeasuredWorker, client: Client, request: PlanRequest) {
  const signer = await createSigner({ privateJwk: worker.signingKey });
  return async (): Promise<number> => {
    const body = JSON.stringify({ ...request, goal: writeGoal() });
    const signed = { audience: workerAudience, method: "POST", path: "/plan", body };
    const token = await signer.sign({ ...signed, now: Date.now(), nonce: crypto.randomUUID() });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return (await client.call({ url: `${worker.url}/plan`, headers, body: () => body })).totalMs;
  };
}

async function runCase(
  worker: MeasuredWorker,
  effort: Effort,
  label: string,
  request: PlanRequest,
): Promise<Row> {
  const client = createClient(16);
  const call = await createPlanCall(worker, client, request);
  const load = (concurrency: number, seconds: number) =>
    runLoad({
      concurrency,
      seconds,
      processes: { worker: worker.pid },
      call,
      median: (samples) => percentile(samples, 0.5),
    });
  try {
    await load(1, effort.seconds / 10);
    const rounds: [Awaited<ReturnType<typeof load>>, Awaited<ReturnType<typeof load>>][] = [];
    const seconds = (effort.seconds * 0.5) / effort.rounds;
    for (let round = 0; round < effort.rounds; round++)
      rounds.push([await load(1, seconds), await load(16, seconds)]);
    return {
      label,
      figures: {
        p50: summarize(rounds.map(([alone]) => alone.p50Ms)),
        perSecond: summarize(rounds.map(([, crowd]) => crowd.perSecond)),
        cpu: summarize(rounds.map(([, crowd]) => crowd.cpu.worker! * 1e6)),
      },
    };
  } finally {
    await client.close();
  }
}

async function measure(rig: Rig, effort: Effort): Promise<Result> {
  const worker = await rig.worker();
  const rows: Row[] = [];
  for (const { label, request } of cases) rows.push(await runCase(worker, effort, label, request));
  return {
    columns: [
      { key: "p50", heading: "p50 ms, one caller", digits: 2 },
      { key: "perSecond", heading: "plans/s, 16 callers", digits: 0 },
      { key: "cpu", heading: "CPU us, 16 callers", digits: 0 },
    ],
    rows,
    notes: [
      "The real gpu-worker's process, asked directly. Every goal is new; instructions and tools repeat, as a " +
        "caller's do, and their vectors are remembered.",
    ],
  };
}

export const planning: Measurement = { name: "planning", title: "gpu-worker: POST /plan", run: measure };
