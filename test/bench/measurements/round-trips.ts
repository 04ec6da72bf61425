/**
 * How often one request goes to the database and to the gpu-worker before the provider is called, and after:
 * counted at proxies that stand before both, in the order in which requests pass.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSqld } from "../../../scripts/self-host/sqld.ts";
import { startFakeProvider } from "../../support/fake-provider.ts";
import { startService } from "../../support/service.ts";
import { createClient } from "../client.ts";
import type { Measurement } from "../measurement.ts";
import type { Effort, Result, Row } from "../result.ts";
import { serviceCall } from "../rig/calls.ts";
import { startCountingProxy } from "../rig/counting-proxy.ts";
import { fixedWorkerFile } from "../rig/fixed-worker.ts";
import { scriptProvider } from "../rig/provider.ts";
import { providerVariables, type Rig, startWorker } from "../rig/rig.ts";
import { summarize } from "../statistics.ts";

type Passing = "database" | "worker" | "provider";

/** A service behind proxies that append to `passed` what each request went to, oldest first. */
async function startWatched(rig: Rig, passed: Passing[]) {
  const adopt = <Part extends { stop: () => Promise<void> }>(part: Part): Part => {
    rig.adopt(() => part.stop());
    return part;
  };
  const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
  const sqld = await startSqld({ directory, port: 0 });
  rig.adopt(() => sqld.stop().then(() => rm(directory, { recursive: true, force: true })));
  const database = adopt(await startCountingProxy(sqld.url, () => passed.push("database")));
  const worker = adopt(await startWorker(fixedWorkerFile));
  const watchedWorker = adopt(await startCountingProxy(worker.url, () => passed.push("worker")));
  const provider = adopt(await startFakeProvider({ record: false }));
  scriptProvider(provider, () => passed.push("provider"));
  const service = await startService({
    env: {
      ...providerVariables(new URL(provider.url("alpha")).origin),
      LIBSQL_URL: database.url,
      GPU_WORKER_URLS: watchedWorker.url,
      EDGE_SIGNING_KEY: JSON.stringify(worker.signingKey),
    },
  });
  return adopt(service);
}

function count(passed: readonly Passing[]) {
  const providerAt = passed.indexOf("provider");
  const before = passed.slice(0, providerAt);
  const of = (part: readonly Passing[], what: Passing) => part.filter((one) => one === what).length;
  return {
    databaseBefore: of(before, "database"),
    worker: of(before, "worker"),
    databaseAfter: of(passed.slice(providerAt), "database"),
    provider: of(passed, "provider"),
  };
}

async function measure(rig: Rig, effort: Effort): Promise<Result> {
  const passed: Passing[] = [];
  const service = await startWatched(rig, passed);
  const client = createClient(1);
  rig.adopt(client.close);
  const cases = [
    { label: "JSON, pool", stream: false, ownKey: false },
    { label: "stream, pool", stream: true, ownKey: false },
    { label: "JSON, own key", stream: false, ownKey: true },
    { label: "stream, own key", stream: true, ownKey: true },
  ];
  const rows: Row[] = [];
  for (const { label, ...options } of cases) {
    const call = serviceCall(service, { ...options, answer: "burst" });
    await client.call(call);
    const counts: ReturnType<typeof count>[] = [];
    for (let repeat = 0; repeat < effort.rounds; repeat++) {
      passed.length = 0;
      await client.call(call);
      counts.push(count(passed));
    }
    const over = (key: keyof ReturnType<typeof count>) => summarize(counts.map((one) => one[key])).high;
    rows.push({
      label,
      figures: {
        databaseBefore: over("databaseBefore"),
        worker: over("worker"),
        provider: over("provider"),
        databaseAfter: over("databaseAfter"),
      },
    });
  }
  return {
    columns: [
      { key: "databaseBefore", heading: "database before", digits: 0 },
      { key: "worker", heading: "gpu-worker before", digits: 0 },
      { key: "provider", heading: "provider", digits: 0 },
      { key: "databaseAfter", heading: "database after", digits: 0 },
    ],
    rows,
    notes: ["Requests that passed for one chat request; the most of all repetitions."],
  };
}

export const roundTrips: Measurement = {
  name: "round-trips",
  title: "Round trips of one request",
  run: measure,
};
