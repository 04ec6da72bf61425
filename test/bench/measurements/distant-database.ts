/**
 * What the service adds where the database is a network away, as a hosted one is from an edge: a proxy before sqld
 * holds back each direction for half of the round trip. Only by name: `--only distant-database`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSqld } from "../../../scripts/self-host/sqld.ts";
import { startDelayingProxy } from "../../support/delaying-proxy.ts";
import { startService } from "../../support/service.ts";
import { compareCalls, type Variant } from "../compare-calls.ts";
import type { Measurement } from "../measurement.ts";
import type { Effort, Result } from "../result.ts";
import { directCall, serviceCall } from "../rig/calls.ts";
import { providerVariables, type Rig } from "../rig/rig.ts";

const roundTripMs = 30;
const barMs = 45;

async function startDistant(rig: Rig) {
  const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
  const sqld = await startSqld({ directory, port: 0 });
  rig.adopt(() => sqld.stop().then(() => rm(directory, { recursive: true, force: true })));
  const proxy = await startDelayingProxy(sqld.url, roundTripMs / 2);
  rig.adopt(() => proxy.stop());
  const env = { ...providerVariables(await rig.providerUrl()), LIBSQL_URL: proxy.url };
  const service = await startService({ env });
  rig.adopt(() => service.stop());
  return service;
}

async function measure(rig: Rig, effort: Effort): Promise<Result> {
  const [providerUrl, near, far] = await Promise.all([
    rig.providerUrl(),
    rig.service("world-model"),
    startDistant(rig),
  ]);
  const stream = { stream: true, answer: "burst" } as const;
  const json = { stream: false, answer: "short" } as const;
  const variants: Variant[] = [
    { label: "direct to the provider", call: directCall(providerUrl, stream) },
    { label: "first byte, database beside the edge", call: serviceCall(near, stream) },
    { label: `first byte, database ${roundTripMs} ms away`, call: serviceCall(far, stream) },
    { label: `JSON, database ${roundTripMs} ms away`, call: serviceCall(far, json) },
  ];
  const { calls, ...compared } = await compareCalls(variants, effort);
  return {
    ...compared,
    notes: [
      `Bar: first byte with the distant database <= ${barMs} ms added. ${calls} calls of each kind.`,
      "JSON waits for its charge to be written: a second round trip, after the provider.",
    ],
  };
}

export const distantDatabase: Measurement = {
  name: "distant-database",
  title: `Database ${roundTripMs} ms away`,
  run: measure,
};
