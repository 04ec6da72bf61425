/** Memory of the edge and the relay: idle, with many streams open and silent, and after they were closed. */
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "../client.ts";
import type { Measurement } from "../measurement.ts";
import { readResidentMib } from "../process-usage.ts";
import type { Effort, Result, Row } from "../result.ts";
import { serviceCall } from "../rig/calls.ts";
import type { MeasuredService, Rig } from "../rig/rig.ts";

/** Streams opened at once, so that opening them is no flood. */
const batch = 50;
/** Time to settle, and to give memory back, after the streams are closed. */
const quietMs = 4_000;

async function openStreams(service: MeasuredService, count: number, signal: AbortSignal): Promise<void> {
  const client = createClient(count);
  const call = serviceCall(service, { stream: true, answer: "held" });
  for (let open = 0; open < count; open += batch) {
    const size = Math.min(batch, count - open);
    await Promise.all(Array.from({ length: size }, () => client.open(call, signal)));
  }
  signal.addEventListener("abort", () => void client.close());
}

async function measure(rig: Rig, effort: Effort): Promise<Result> {
  const service = await rig.freshService();
  const count = effort.openStreams;
  const read = (label: string): Row => {
    const edge = readResidentMib(service.processes.edge);
    const relay = readResidentMib(service.processes.relay);
    const sqld = readResidentMib(service.processes.sqld);
    return { label, figures: { edge, relay, sqld } };
  };
  const client = createClient(1);
  await client.call(serviceCall(service, { stream: true, answer: "burst" }));
  await client.close();
  const rows = [read("after one request")];
  for (const time of ["first", "second"]) {
    const leaving = new AbortController();
    try {
      await openStreams(service, count, leaving.signal);
      rows.push(read(`${count} open, ${time} time`));
    } finally {
      leaving.abort();
    }
    await sleep(Math.min(quietMs, effort.seconds * 1000));
    rows.push(read("closed again"));
  }
  return {
    columns: [
      { key: "edge", heading: "edge MiB", digits: 0 },
      { key: "relay", heading: "relay MiB", digits: 0 },
      { key: "sqld", heading: "sqld MiB", digits: 0 },
    ],
    rows,
    notes: ["Resident memory. Each stream has sent three frames, is silent, and holds its credit."],
  };
}

export const openStreamMemory: Measurement = {
  name: "memory",
  title: "Memory with open streams",
  run: measure,
};
