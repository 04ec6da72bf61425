/**
 * Thousands of streams open at once, each a chunk a second, their clients leaving at random and others coming in their
 * place: memory of all processes, first bytes meanwhile, and what is left afterwards. Only by name: `--only many-streams`.
 */
import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import type { Measurement } from "../measurement.ts";
import { readCpuSeconds, readResidentMib } from "../process-usage.ts";
import type { Effort, Result, Row } from "../result.ts";
import { admin, fillDemoAccount } from "../rig/admin.ts";
import { serviceCall } from "../rig/calls.ts";
import type { MeasuredService, Rig } from "../rig/rig.ts";
import { percentile } from "../statistics.ts";

/** Of `effort.openStreams` (1,000). */
const times = 5;
const meanLifeMs = 300_000;
const openPerSecond = 25;
const quietMs = 10_000;

type Watched = { openSockets: number; mib: number };

const watch = ({ processes }: MeasuredService): Watched => {
  const pids = Object.values(processes);
  const openSockets = pids.reduce((sum, pid) => sum + readdirSync(`/proc/${pid}/fd`).length, 0);
  return { openSockets, mib: pids.reduce((sum, pid) => sum + readResidentMib(pid), 0) };
};

/** Streams that are opened, read and left. `seen` counts chunks. */
function createCrowd(service: MeasuredService, connections: number) {
  const agent = new Agent({ connections, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 });
  const call = serviceCall(service, { stream: true, answer: "slow" });
  const crowd = { open: 0, refused: 0, ended: 0, chunks: 0, firstBytes: [] as number[] };
  const leaving = new AbortController();
  const join = async (): Promise<void> => {
    const { origin, pathname } = new URL(call.url);
    const body = call.body();
    const startedAt = performance.now();
    const options = { origin, path: pathname, method: "POST", headers: call.headers, body } as const;
    const answer = await agent.request(options).catch(() => undefined);
    if (answer?.statusCode !== 200) {
      crowd.refused += 1;
      await answer?.body.dump();
      return;
    }
    crowd.open += 1;
    const stays = AbortSignal.timeout(Math.round(-Math.log(1 - Math.random()) * meanLifeMs));
    let isFirst = true;
    answer.body.on("data", () => {
      if (isFirst) crowd.firstBytes.push(performance.now() - startedAt);
      isFirst = false;
      crowd.chunks += 1;
    });
    await new Promise<void>((gone) => {
      const leave = () => answer.body.destroy();
      const goes = AbortSignal.any([stays, leaving.signal]);
      if (goes.aborted) leave();
      goes.addEventListener("abort", leave, { once: true });
      answer.body.on("error", () => undefined).on("end", () => (crowd.ended += 1));
      answer.body.on("close", () => gone());
    });
    crowd.open -= 1;
  };
  const joined = new Set<Promise<void>>();
  return {
    crowd,
    /** One more, which comes back only when it has left. */
    join: () => {
      const one = join();
      joined.add(one);
      void one.finally(() => joined.delete(one));
    },
    async leaveAll() {
      leaving.abort();
      await Promise.all(joined);
      await agent.destroy();
    },
  };
}

async function measure(rig: Rig, effort: Effort): Promise<Result> {
  const count = effort.openStreams * times;
  const bounds = { MAX_IN_FLIGHT_PER_KEY: "100000", MAX_IN_FLIGHT_PER_ACCOUNT: "100000" };
  const service = await rig.freshService("world-model", bounds);
  const account = await fillDemoAccount(service);
  const { crowd, join, leaveAll } = createCrowd(service, count + 100);
  const rows: Row[] = [];
  const cpu = () => Object.values(service.processes).reduce((sum, pid) => sum + readCpuSeconds(pid), 0);
  const look = async (label: string, seconds: number) => {
    const [chunksBefore, cpuBefore] = [crowd.chunks, cpu()];
    crowd.firstBytes = [];
    let mib = 0;
    const endAt = performance.now() + seconds * 1_000;
    while (performance.now() < endAt) {
      if (crowd.open < count) join();
      mib = Math.max(mib, watch(service).mib);
      await sleep(1_000 / openPerSecond);
    }
    rows.push({
      label,
      figures: {
        open: crowd.open,
        p50: percentile(crowd.firstBytes, 0.5),
        p99: percentile(crowd.firstBytes, 0.99),
        chunks: (crowd.chunks - chunksBefore) / seconds,
        cores: (cpu() - cpuBefore) / seconds,
        mib,
        ...Object.fromEntries(
          Object.entries(service.processes).map(([name, pid]) => [name, readResidentMib(pid)]),
        ),
        sockets: watch(service).openSockets,
      },
    });
  };
  join();
  await sleep(1_000);
  const before = watch(service);
  for (let thousand = 1; thousand <= times; thousand++)
    await look(`towards ${(thousand * count) / times}`, Math.ceil(effort.openStreams / openPerSecond));
  await look(`${count}, leaving and coming`, effort.seconds * 6);
  await leaveAll();
  await sleep(Math.min(quietMs, effort.seconds * 1_000));
  const after = watch(service);
  const { open_holds: holds } = await admin(service, "account", "show", "--account", account);
  const { ok } = await admin(service, "ledger", "check");
  return {
    columns: [
      { key: "open", heading: "open", digits: 0 },
      { key: "p50", heading: "first byte p50 ms", digits: 1 },
      { key: "p99", heading: "p99 ms", digits: 1 },
      { key: "chunks", heading: "chunks/s", digits: 0 },
      { key: "cores", heading: "cores used", digits: 2 },
      { key: "mib", heading: "resident MiB, all", digits: 0 },
      { key: "edge", heading: "edge", digits: 0 },
      { key: "relay", heading: "relay", digits: 0 },
      { key: "sqld", heading: "sqld", digits: 0 },
      { key: "gpu-worker", heading: "gpu-worker", digits: 0 },
      { key: "sockets", heading: "open files", digits: 0 },
    ],
    rows,
    notes: [
      "Bars: < 1,000 MiB over all processes, p99 of first bytes <= 5 x p50, nothing left behind.",
      `${crowd.refused} were refused, ${crowd.ended} ended by themselves. Before: ${before.openSockets} open files, ${before.mib.toFixed(0)} MiB;` +
        ` after all had left: ${after.openSockets}, ${after.mib.toFixed(0)} MiB, holds ${holds}, ledger ${ok ? "exact" : "WRONG"}.`,
    ],
  };
}

export const manyStreams: Measurement = {
  name: "many-streams",
  title: "Streams of a chunk a second",
  run: measure,
};
