/**
 * `npm run worker -- --check`: says on one screen whether this host would serve, and how fast: device asked and got, what
 * runs on it, each checkpoint against its manifest's hashes, plans over a few seconds, memory. It listens on no port, so it may
 * run beside a worker that serves (which makes both slower).
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { findMisspelt } from "../shared/misspelt.ts";
import { measureService } from "./check-speed.ts";
import { readConfig, type WorkerConfig, workerVariableNames } from "./config.ts";
import { createMetrics } from "./metrics.ts";
import { openVerifier } from "./run-worker.ts";
import { loadServices, type SizeService } from "./size-service.ts";
import { readCheckpoint } from "./world-model/manifest.ts";

export type CheckOptions = {
  process: NodeJS.Process;
  /** URL of a module that exports `loadPlanner`, instead of the real one. */
  plannerModule?: string;
  /** How long each of the two measurements of a size lasts (2). */
  seconds?: number;
};

type Say = (what: string, found: string) => void;

const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;

/** Ends the process: with 0 when a worker with these settings would serve, with 1 and the reason when not. */
export async function checkWorker({ process, plannerModule, seconds = 2 }: CheckOptions): Promise<never> {
  const say: Say = (what, found) => void process.stdout.write(`${what.padEnd(12)}${found}\n`);
  try {
    for (const sentence of findMisspelt(process.env, workerVariableNames)) say("variables", sentence);
    const read = readConfig(process.env);
    if (!read.ok) throw new Error(read.message);
    await checkKeys(read.config, say);
    for (const size of read.config.sizes) await checkFiles(join(read.config.modelDir, size), size, say);
    const startedAt = performance.now();
    const services = await loadServices(read.config, createMetrics(), () => {}, plannerModule);
    say("loaded", `in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    for (const [size, service] of services) {
      sayDevice(read.config, service, say);
      const { p50Ms, p99Ms, perSecond } = await measureService(service, size, read.config.limits, seconds);
      say(
        "plans",
        `${size}: one at a time p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms; under load ${perSecond.toFixed(0)} a second`,
      );
    }
    const { rss } = process.memoryUsage();
    say("memory", `${mebibytes(rss)} resident, at most ${mebibytes(process.resourceUsage().maxRSS * 1024)}`);
    await Promise.all([...services.values()].map((service) => service.close()));
  } catch (error) {
    say("FAILED", (error as Error).message);
    process.exit(1);
  }
  say("ok", "a worker with these settings would serve");
  return process.exit(0);
}

async function checkKeys(config: WorkerConfig, say: Say): Promise<void> {
  await openVerifier(config);
  const { publicKeys, audience } = config;
  say("keys", `${publicKeys.keys.length} of the edge; requests must be signed for ${audience}`);
}

async function checkFiles(directory: string, size: string, say: Say): Promise<void> {
  const { manifest } = await readCheckpoint(directory).catch((error: Error) => {
    throw new Error(`The size ${size} (MODEL_SIZES, MODEL_DIR) cannot be read: ${error.message}`);
  });
  const files = Object.entries(manifest.files);
  const bytes = files.reduce((sum, [, file]) => sum + file.bytes, 0);
  say(
    "checkpoint",
    `${manifest.name}: ${files.length} files, ${mebibytes(bytes)}, every sha256 as its manifest says`,
  );
  const graphs = files.map(([name]) => name).filter((name) => name.endsWith(".onnx"));
  say("graphs", graphs.map((name) => name.replace(/\.onnx$/, "")).join(", "));
}

function sayDevice(config: WorkerConfig, { description }: SizeService, say: Say): void {
  const { size, device, fellBack } = description;
  say("device", `${size}: asked ${config.device}, got ${device}${fellBack ? ` (no CUDA: ${fellBack})` : ""}`);
  say(
    "runs",
    `every graph on ${device}; planner threads ${config.threadsPerSize}, threads of one operator ${config.intraOpThreads}, cores of this host ${availableParallelism()}`,
  );
}
