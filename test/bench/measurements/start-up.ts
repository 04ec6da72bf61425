/**
 * CPU time until the edge's isolate has loaded its script, which Cloudflare bounds: of a workerd with the edge, less that of
 * one with an empty Worker, in turns.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { findBinary } from "../../../scripts/self-host/binaries.ts";
import { bundleEdge } from "../../../scripts/self-host/edge-bundle.ts";
import { root } from "../../support/service.ts";
import type { Measurement } from "../measurement.ts";
import { readCpuSeconds } from "../process-usage.ts";
import type { Effort, Result } from "../result.ts";
import type { Rig } from "../rig/rig.ts";
import { summarize } from "../statistics.ts";

const turnsPerRound = 3;

/** Milliseconds of CPU time, over all threads, when it listens: by then workerd has run the script. */
async function startOnce(config: string): Promise<number> {
  const child = spawn(findBinary("workerd"), ["serve", config, "--control-fd=3"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  try {
    await once(child.stdio[3] as Readable, "data");
    return readCpuSeconds(child.pid!) * 1000;
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

async function measureStart(_rig: Rig, { rounds }: Effort): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "svc-start-"));
  try {
    const edge = await bundleEdge(root, folder, {});
    const script = join(folder, "edge.js");
    await writeFile(join(folder, "empty.js"), 'export default { fetch: () => new Response("") };\n');
    const empty = join(folder, "empty.capnp");
    await writeFile(empty, (await readFile(edge, "utf8")).replace('embed "edge.js"', 'embed "empty.js"'));
    const turns: { empty: number; edge: number }[] = [];
    for (let turn = 0; turn < rounds * turnsPerRound; turn++)
      turns.push({ empty: await startOnce(empty), edge: await startOnce(edge) });
    return {
      columns: [
        { key: "cpu", heading: "CPU ms of the edge's script", digits: 0 },
        { key: "empty", heading: "of workerd with an empty Worker", digits: 0 },
        { key: "kib", heading: "script KiB", digits: 0 },
        { key: "gzipKib", heading: "compressed KiB", digits: 0 },
      ],
      rows: [
        {
          label: "start of an isolate",
          figures: {
            cpu: summarize(turns.map((turn) => turn.edge - turn.empty)),
            empty: summarize(turns.map((turn) => turn.empty)),
            kib: (await stat(script)).size / 1024,
            gzipKib: gzipSync(await readFile(script)).length / 1024,
          },
        },
      ],
      notes: [
        "From /proc/PID/stat, in steps of 10 ms, over all threads (V8's own compile and collect beside the main one). " +
          "Cloudflare's bound is 1 s; ours 400 ms, and 1 MiB compressed.",
      ],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const startUp: Measurement = { name: "start-up", title: "Start of the edge", run: measureStart };
