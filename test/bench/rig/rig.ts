/**
 * What the measurements run against, each part started when first asked for: the fake provider, the service
 * as `npm start` runs it, the same service with a fixed plan instead of the world model, a gpu-worker alone.
 */
import { join } from "node:path";
import { workerNodeFlags, workerVariables } from "../../../gpu-worker/node-flags.ts";
import { baseUrlVariable, providerKinds } from "../../../shared/providers.ts";
import { createSigningKeys, type SigningJwk } from "../../../shared/signature.ts";
import { root, startService, type TestService } from "../../support/service.ts";
import { type Child, startChild } from "./child.ts";
import { fixedWorkerFile } from "./fixed-worker.ts";
import { providerFile } from "./provider.ts";

/** `world-model`: everything on. `fixed-plan`: everything but the world model's own time. */
export type Planning = "world-model" | "fixed-plan";

/** Process ids by the names the tables use; `relay` is the supervisor. */
export type ServiceProcesses = Record<"edge" | "sqld" | "gpu-worker" | "relay", number>;

export type MeasuredService = TestService & { processes: ServiceProcesses };
export type MeasuredWorker = Child & { signingKey: SigningJwk };

export type Rig = {
  /** Origin of the fake provider. */
  providerUrl(): Promise<string>;
  service(planning: Planning): Promise<MeasuredService>;
  /** A service of its own, by default with the fixed plan: for measurements that an earlier load would change. */
  freshService(planning?: Planning, env?: Record<string, string>): Promise<MeasuredService>;
  /** The real gpu-worker by itself. */
  worker(): Promise<MeasuredWorker>;
  /** What a measurement started for itself, to be stopped with the rest. */
  adopt(stop: () => Promise<void>): void;
  stop(): Promise<void>;
};

/** Variables of a service whose providers and pool are `providerUrl`. */
export const providerVariables = (providerUrl: string) => ({
  ...Object.fromEntries(providerKinds.map((kind) => [baseUrlVariable(kind), `${providerUrl}/${kind}`])),
  POOL_ROUTER_KEY: "bench-pool-key",
});

/** The callers of a measurement share one key, whose limits would refuse them. */
const unbounded = { MAX_IN_FLIGHT_PER_KEY: "100000", MAX_IN_FLIGHT_PER_ACCOUNT: "100000" };

export function createRig(): Rig {
  const stops: (() => Promise<void>)[] = [];
  const started = new Map<string, Promise<unknown>>();
  const once = <Part>(name: string, start: () => Promise<Part>): Promise<Part> => {
    const known = started.get(name) ?? start();
    started.set(name, known);
    return known as Promise<Part>;
  };
  const adopted = <Part extends { stop: () => Promise<void> }>(part: Part): Part => {
    stops.push(() => part.stop());
    return part;
  };
  const providerUrl = () => once("provider", async () => adopted(await startChild([providerFile])).url);

  const startMeasured = async (
    planning: Planning,
    more?: Record<string, string>,
  ): Promise<MeasuredService> => {
    const fixed = planning === "fixed-plan" ? await startWorker(fixedWorkerFile) : undefined;
    if (fixed !== undefined) adopted(fixed);
    const env = {
      ...providerVariables(await providerUrl()),
      ...unbounded,
      ...(fixed && { EDGE_SIGNING_KEY: JSON.stringify(fixed.signingKey), GPU_WORKER_URLS: fixed.url }),
      ...more,
    };
    const service = adopted(await startService({ env }));
    const [edge, sqld, worker] = await Promise.all([
      service.pidOf("edge"),
      service.pidOf("sqld"),
      fixed?.pid ?? service.pidOf("gpu-worker"),
    ]);
    const processes = { edge: edge!, sqld: sqld!, "gpu-worker": worker!, relay: service.process.pid! };
    return Object.assign(service, { processes });
  };

  return {
    providerUrl,
    service: (planning) => once(planning, () => startMeasured(planning)),
    freshService: (planning = "fixed-plan", env) => startMeasured(planning, env),
    worker: () => once("worker", async () => adopted(await startWorker(join(root, "gpu-worker/main.ts")))),
    adopt: (stop) => void stops.push(stop),
    async stop() {
      await Promise.allSettled(started.values());
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

/** A gpu-worker's process with keys of its own. */
export async function startWorker(script: string, env: Record<string, string> = {}): Promise<MeasuredWorker> {
  const { privateJwk, publicJwks } = await createSigningKeys();
  const child = await startChild([...workerNodeFlags, script], {
    WORKER_PORT: "0",
    EDGE_PUBLIC_KEYS: JSON.stringify(publicJwks),
    SUPERVISED: "1",
    ...workerVariables,
    ...env,
  });
  return { ...child, signingKey: privateJwk };
}
