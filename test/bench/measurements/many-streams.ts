/**
 * Thousands of streams open at once, each a chunk a second, their clients leaving at random and others coming in their
 * place: memory of all processes, first bytes meanwhile, and what is left afterwards. Only by name: `--only many-streams`.
 */
import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Measurement } from "../measurement.ts";
import { readCpuSeconds, readProportionalMib, readResidentMib } from "../process-usage.ts";
import type { Effort, Result, Row } from "../result.ts";
import { admin, fillDemoAccount } from "../rig/admin.ts";
import { serviceCall } from "../rig/calls.ts";
import { type Crowd, createCrowd } from "../rig/crowd.ts";
import type { MeasuredService, Rig } from "../rig/rig.ts";
import { percentile } from "../statistics.ts";

/** Steps in which streams are opened, `effort.openStreams` (1,000) more in each. */
const times = 5;
const meanLifeMs = 300_000;
/** Requests in flight while streams are opened: as fast as the service takes them, with at most so many waiting. */
const atOnce = 16;
/** A step that takes longer is reported as far as it came. */
const maxStepMs = 120_000;
/** Longest time until all that left are charged: the aggregator is asked for the usage of each, up to 14 s long. */
const maxChargingMs = 30_000;

const sum = (service: MeasuredService, read: (pid: number) => number): number =>
  Object.values(service.processes).reduce((total, pid) => total + read(pid), 0);
const countFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

/** Does `work`, then watches crowd and service for so many seconds: one row of the table. */
async function watch(
  service: MeasuredService,
  crowd: Crowd,
  { label, seconds, work }: { label: string; seconds: number; work?: () => Promise<void> },
): Promise<Row> {
  crowd.forgetTimes();
  const startedAt = performance.now();
  await work?.();
  const opened = crowd.firstBytes.length / ((performance.now() - startedAt) / 1_000);
  const [pieces, cpu] = [crowd.pieces, sum(service, readCpuSeconds)];
  let [total, resident] = [0, 0];
  const watchedAt = performance.now();
  do {
    await sleep(Math.min(1_000, seconds * 1_000));
    total = Math.max(total, sum(service, readProportionalMib));
    resident = Math.max(resident, sum(service, readResidentMib));
  } while (performance.now() < watchedAt + seconds * 1_000);
  const watchedSeconds = (performance.now() - watchedAt) / 1_000;
  const each = Object.entries(service.processes).map(([name, pid]) => [name, readResidentMib(pid)]);
  return {
    label,
    figures: {
      open: crowd.open,
      ...(work && { opened }),
      ...(crowd.firstBytes.length > 0 && {
        p50: percentile(crowd.firstBytes, 0.5),
        p99: percentile(crowd.firstBytes, 0.99),
      }),
      chunks: (crowd.pieces - pieces) / watchedSeconds,
      cores: (sum(service, readCpuSeconds) - cpu) / watchedSeconds,
      total,
      resident,
      ...Object.fromEntries(each),
      files: sum(service, countFiles),
    },
  };
}

/** Seconds until no hold is open, as a text. */
async function awaitCharges(service: MeasuredService, account: string): Promise<string> {
  const leftAt = performance.now();
  for (;;) {
    const { open_holds: holds } = await admin(service, "account", "show", "--account", account);
    const ms = performance.now() - leftAt;
    if (holds === 0) return `all charged after ${(ms / 1_000).toFixed(1)} s`;
    if (ms > maxChargingMs) return `${holds} holds open after ${(ms / 1_000).toFixed(0)} s`;
  }
}

async function measure(rig: Rig, effort: Effort): Promise<Result> {
  const count = effort.openStreams * times;
  const service = await rig.freshService("world-model");
  const account = await fillDemoAccount(service);
  const crowd = createCrowd(serviceCall(service, { stream: true, answer: "slow" }), meanLifeMs);
  rig.adopt(crowd.leaveAll);
  const { seconds } = effort;
  await crowd.join();
  const rows = [await watch(service, crowd, { label: "one stream", seconds })];
  for (let step = 1; step <= times; step++) {
    const wanted = (step * count) / times;
    const work = () => crowd.fill(wanted, atOnce, maxStepMs);
    rows.push(await watch(service, crowd, { label: `${wanted} wanted`, seconds, work }));
  }
  crowd.replaceLeavers();
  rows.push(await watch(service, crowd, { label: "leaving and coming", seconds: seconds * 12 }));
  await crowd.leaveAll();
  const charged = await awaitCharges(service, account);
  rows.push(await watch(service, crowd, { label: "all have left", seconds: Math.min(1, seconds) }));
  const { ok } = await admin(service, "ledger", "check");
  return {
    columns: [
      { key: "open", heading: "open", digits: 0 },
      { key: "opened", heading: "opened/s", digits: 0 },
      { key: "p50", heading: "first byte p50 ms", digits: 0 },
      { key: "p99", heading: "p99 ms", digits: 0 },
      { key: "chunks", heading: "chunks/s", digits: 0 },
      { key: "cores", heading: "cores used", digits: 2 },
      { key: "total", heading: "MiB, shared pages once", digits: 0 },
      { key: "resident", heading: "resident, added up", digits: 0 },
      { key: "edge", heading: "edge", digits: 0 },
      { key: "relay", heading: "relay", digits: 0 },
      { key: "sqld", heading: "sqld", digits: 0 },
      { key: "gpu-worker", heading: "gpu-worker", digits: 0 },
      { key: "files", heading: "open files", digits: 0 },
    ],
    rows,
    notes: [
      "Bars: < 1,000 MiB over all processes, p99 of first bytes <= 5 x p50 while they leave and come, nothing left behind.",
      `Opened ${atOnce} at a time. Refused: ${writeCounts(crowd.refused)}; ${crowd.ended} ended by themselves.` +
        ` After all had left at once: ${charged}, ledger ${ok ? "exact" : "WRONG"}.`,
    ],
  };
}

const writeCounts = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([status, count]) => `${count} with ${status}`).join(", ") || "none";

export const manyStreams: Measurement = {
  name: "many-streams",
  title: "Streams of a chunk a second",
  run: measure,
};
