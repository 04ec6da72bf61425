/**
 * The whole service on one machine, in the order things need each other. Owns the order of the start;
 * each part has its own file. Settings come in, one running service comes out, or a StartError.
 */
import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { migrate } from "../migrate.ts";
import { acquireLock } from "../sqld-lock.ts";
import { planDatabase, planEdge, planGpuWorker, planOfflineResponder, untilHealthy } from "./children.ts";
import { bundleEdge } from "./edge-bundle.ts";
import type { EdgeVariables } from "./edge-variables.ts";
import { edgeVariableNames } from "./edge-variables.ts";
import type { Parts } from "./parts.ts";
import { portError, settlePort } from "./ports.ts";
import { startRelay } from "./relay.ts";
import { keepRunRecord, lockDataDirectory, stopLeftovers } from "./run-record.ts";
import { readSecrets } from "./secrets.ts";
import { type Environment, readStartSettings, StartError, type StartSettings } from "./settings.ts";

export type ServiceOptions = {
  /** The checkout: wrangler.toml, gpu-worker/, scripts/. */
  root: string;
  env: Environment;
  log: (line: string) => void;
  parts: Parts;
};

export type Service = {
  readonly url: string;
  readonly settings: StartSettings;
  /** What the edge was given: also what scheduled work runs with. */
  readonly variables: EdgeVariables;
};

/**
 * Resolves when requests are served. What was started is in `parts` at any moment, also after a failure.
 * @throws StartError for what the operator can mend, anything else for what only we can
 */
export async function startService({ root, env, log, parts }: ServiceOptions): Promise<Service> {
  const settings = readStartSettings(env, process.cwd());
  const { dataDirectory, outsideDatabase } = settings;
  await lockDataDirectory(dataDirectory);
  const leftovers = await stopLeftovers(dataDirectory);
  if (leftovers.length > 0) log(`stopped what a killed service had left: ${leftovers.join(", ")}`);
  const record = keepRunRecord(dataDirectory);
  parts.record = record;
  const relay = await startRelay({ port: settings.ports.edge }).catch((error) => {
    throw portError("PORT", settings.ports.edge, error);
  });
  parts.relay = relay;
  const url = `http://127.0.0.1:${relay.port}`;
  const secrets = await readSecrets(dataDirectory, env);
  const variables: EdgeVariables = {};
  for (const name of edgeVariableNames) {
    const value = env[name];
    if (value !== undefined && value !== "") variables[name] = value;
  }
  variables.VAULT_KEYS = secrets.vaultKeys;
  variables.EDGE_SIGNING_KEY = secrets.signingKey;
  variables.GIT_SHA ??= await readGitSha(root);

  const starting: Promise<void>[] = [];
  if (outsideDatabase === undefined) {
    const port = await settlePort("DB_PORT", settings.ports.database);
    variables.LIBSQL_URL = `http://127.0.0.1:${port}`;
    record.set({ libsqlUrl: variables.LIBSQL_URL });
    const directory = join(dataDirectory, "db");
    await mkdir(directory, { recursive: true, mode: 0o700 });
    parts.databaseLock = await acquireLock(directory, 5_000).catch((error: Error) => {
      throw new StartError(error.message);
    });
    starting.push(parts.add(planDatabase(port, directory, parts.databaseLock, env, log)));
  }
  const migrated = Promise.all(starting).then(() => migrateDatabase(variables));
  if (settings.gpuWorkerUrls === undefined) {
    const port = await settlePort("WORKER_PORT", settings.ports.worker);
    variables.GPU_WORKER_URLS = `http://127.0.0.1:${port}`;
    starting.push(parts.add(planGpuWorker(port, secrets.publicKeys, root, env, log)));
  } else {
    log(`the workers of GPU_WORKER_URLS need EDGE_PUBLIC_KEYS=${secrets.publicKeys}`);
  }
  if (settings.offline) {
    const port = await settlePort("PORT", 0);
    variables.ROUTER_BASE_URL = `http://127.0.0.1:${port}`;
    variables.POOL_ROUTER_KEY = "none";
    starting.push(parts.add(planOfflineResponder(port, root, env, log)));
    log(
      "offline: no provider is configured, so a local responder writes the answers. Set POOL_ROUTER_KEY " +
        "(an OpenRouter key), or ROUTER_BASE_URL with POOL_ROUTER_KEY=none for a local OpenAI-compatible server.",
    );
  }
  const config = await bundleEdge(root, join(dataDirectory, "edge"), variables);
  await Promise.all([migrated, ...starting]);
  await parts.add(planEdge(config, variables, log, relay.setTarget));
  await untilHealthy(`${url}/health`, 30_000);
  record.set({ url });
  await record.saved();
  return { url, settings, variables };
}

async function migrateDatabase({ LIBSQL_URL, LIBSQL_AUTH_TOKEN }: EdgeVariables): Promise<void> {
  try {
    await migrate(LIBSQL_URL!, LIBSQL_AUTH_TOKEN);
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replaceAll(LIBSQL_AUTH_TOKEN || "\0", "***") : "unknown";
    throw new StartError(
      `The database could not be migrated: ${reason}. Check LIBSQL_URL and LIBSQL_AUTH_TOKEN.`,
    );
  }
}

/** "unknown" outside a checkout. */
async function readGitSha(root: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)("git", ["-C", root, "rev-parse", "HEAD"], {
      timeout: 1_000,
    });
    return stdout.trim();
  } catch {
    return "unknown";
  }
}
