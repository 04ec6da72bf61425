/**
 * The whole service under a mixed load for minutes: memory of each process, and at the end the ledger against what the
 * callers were told. Only by name: `--only service-soak --minutes N`.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import type { Measurement } from "../measurement.ts";
import { readResidentMib } from "../process-usage.ts";
import type { Effort, Result, Row } from "../result.ts";
import { admin, fillDemoAccount } from "../rig/admin.ts";
import { serviceCall } from "../rig/calls.ts";
import type { MeasuredService, Rig } from "../rig/rig.ts";
import { percentile } from "../statistics.ts";

const callers = 6;
const pauseMs = 1_000;
const sampleMs = 1_000;
/** Memory at the end is compared with that of this minute. */
const settledMinute = 3;
const barPercent = 3;

type Kind = {
  name: string;
  path: string;
  body: () => string;
  headers: Record<string, string>;
  leaves?: true;
};
/** What became of one request; `credits`: what its answer says was charged. */
type Told = { kind: string; id: string; status: number; credits: number | undefined };

const tools = ["search_flights", "book_flight", "cancel_booking", "send_email"].map((name) => ({
  type: "function",
  function: { name, description: name.replaceAll("_", " "), parameters: { type: "object", properties: {} } },
}));

/** The kinds of request, in turns. */
function listKinds(service: MeasuredService): Kind[] {
  const path = "/v1/chat/completions";
  const chat = (options: Parameters<typeof serviceCall>[1], more: object = {}) => {
    const { body, headers } = serviceCall(service, options);
    return { path, headers, body: () => JSON.stringify({ ...JSON.parse(body()), ...more }) };
  };
  const json = { stream: false, answer: "short" } as const;
  const embedding = { model: "svc-x1ac-base", input: ["a text", "another one"] };
  const { headers } = chat(json);
  return [
    { name: "JSON", ...chat(json) },
    { name: "stream", ...chat({ stream: true, answer: "burst" }) },
    { name: "own key", ...chat({ ...json, ownKey: true }) },
    { name: "stream left early", ...chat({ stream: true, answer: "paced" }), leaves: true },
    { name: "with tools", ...chat(json, { tools }) },
    { name: "plan off, stream", ...chat({ stream: true, answer: "paced" }, { svc: { plan: "off" } }) },
    { name: "messages", ...chat(json), path: "/v1/messages" },
    { name: "embedding", path: "/v1/embeddings", headers, body: () => JSON.stringify(embedding) },
  ];
}

async function ask(agent: Agent, url: string, kind: Kind): Promise<Told> {
  const id = randomUUID();
  const headers = { ...kind.headers, "x-request-id": id };
  const signal = kind.leaves ? AbortSignal.timeout(60 + Math.floor(Math.random() * 150)) : undefined;
  const told: Told = { kind: kind.name, id, status: 0, credits: undefined };
  try {
    const answer = await agent.request({
      origin: url,
      path: kind.path,
      method: "POST",
      headers,
      body: kind.body(),
      ...(signal && { signal }),
    });
    await answer.body.dump({ limit: 10 * 1024 * 1024 });
    const charged = answer.headers["x-svc-credits-charged"];
    return {
      ...told,
      status: answer.statusCode,
      credits: charged === undefined ? undefined : Number(charged),
    };
  } catch {
    return told;
  }
}

type Sample = Record<string, number> & { minute: number };

function describeMinutes(samples: readonly Sample[], names: readonly string[]): Row[] {
  return [...Map.groupBy(samples, ({ minute }) => Math.floor(minute))].map(([minute, some]) => ({
    label: `minute ${minute + 1}`,
    figures: Object.fromEntries(
      names.map((name) => [
        name,
        percentile(
          some.map((one) => one[name]!),
          0.5,
        ),
      ]),
    ),
  }));
}

/** Number of requests whose charge in the ledger is missing, or differs from what their answer said. */
async function countWrong(service: MeasuredService, account: string, told: readonly Told[]): Promise<number> {
  const { entries } = await admin(service, "ledger", "list", "--account", account, "--limit", "999999");
  const charged = new Map<string, number>(
    entries
      .filter(({ kind }: { kind: string }) => kind === "charge")
      .map((row: { request_id: string; amount: string | number }) => [row.request_id, -Number(row.amount)]),
  );
  return told.filter(
    ({ id, status, credits }) =>
      status === 200 &&
      (!charged.has(id) || (credits !== undefined && Math.abs(charged.get(id)! - credits) > 1e-9)),
  ).length;
}

async function measure(rig: Rig, effort: Effort): Promise<Result> {
  const service = await rig.freshService("world-model");
  const account = await fillDemoAccount(service);
  const agent = new Agent({ connections: callers, pipelining: 1 });
  const kinds = listKinds(service);
  const names = [...Object.keys(service.processes), "answered"];
  const [told, samples]: [Told[], Sample[]] = [[], []];
  const startedAt = performance.now();
  const endAt = startedAt + effort.soakSeconds * 1_000;
  const caller = async (first: number) => {
    for (let turn = first; performance.now() < endAt; turn++) {
      told.push(await ask(agent, service.url, kinds[turn % kinds.length]!));
      await sleep(pauseMs);
    }
  };
  const look = async () => {
    while (performance.now() < endAt) {
      const mib = Object.entries(service.processes).map(([name, pid]) => [name, readResidentMib(pid)]);
      const minute = (performance.now() - startedAt) / 60_000;
      samples.push({ ...Object.fromEntries(mib), minute, answered: told.length });
      await sleep(Math.min(sampleMs, effort.soakSeconds * 100));
    }
  };
  await Promise.all([...Array.from({ length: callers }, (_, index) => caller(index)), look()]);
  await agent.destroy();
  // The last charges of those who left.
  await sleep(Math.min(5_000, effort.soakSeconds * 1_000));
  const rows = describeMinutes(samples, names);
  const [settled, last] = [rows[Math.min(settledMinute, rows.length) - 1]!, rows.at(-1)!];
  const growth = Object.keys(service.processes).map((name) => {
    const [before, after] = [settled, last].map(({ figures }) => figures[name] as number) as [number, number];
    return `${name} ${((after / before - 1) * 100).toFixed(1)} %`;
  });
  const statuses = Object.entries(Object.groupBy(told, ({ status }) => status)).map(
    ([status, some]) => `${status}: ${some!.length}`,
  );
  const [wrong, check, shown] = [
    await countWrong(service, account, told),
    await admin(service, "ledger", "check"),
    await admin(service, "account", "show", "--account", account),
  ];
  return {
    columns: names.map((key) => ({
      key,
      heading: key === "answered" ? "requests" : `${key} MiB`,
      digits: 0,
    })),
    rows,
    notes: [
      `Bar: each process at most ${barPercent} % above minute ${settledMinute} at the end: ${growth.join(", ")}.`,
      `Statuses (0: left): ${statuses.join(", ")}. Charges that are not what the answer said, or missing: ${wrong};` +
        ` ledger ${check.ok ? "exact" : "WRONG"}, open holds ${shown.open_holds}.`,
    ],
  };
}

export const serviceSoak: Measurement = {
  name: "service-soak",
  title: "The whole service under a mixed load",
  run: measure,
};
