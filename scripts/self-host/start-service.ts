/**
 * Starts the whole service on one machine, in the order in which its parts need each other; each part has its own file. Takes
 * settings, and gives one running service or a StartError.
 */
import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { readPool, readVaultKeys } from "../../edge/env.ts";
import { workerVariableNames } from "../../gpu-worker/config.ts";
import { findMisspelt } from "../../shared/misspelt.ts";
import { MigrationError, migrate } from "../migrate.ts";
import { checkVault } from "./check-vault.ts";
import { planDatabase, planEdge, planGpuWorker, planOfflineResponder } from "./child-plans.ts";
import { prepareDataDirectory } from "./data-directory.ts";
import { createDatabaseKey } from "./database-key.ts";
import { type DemoAccount, ensureDemoAccount } from "./demo-account.ts";
import { bundleEdge } from "./edge-bundle.ts";
import {
  buildEdgeVariables,
  checkEdgeVariables,
  type EdgeVariables,
  edgeVariableNames,
  type LocalPorts,
} from "./edge-variables.ts";
import { moreFiles, portError, settlePort } from "./ports.ts";
import { readFileLimit } from "./processes.ts";
import { startRelay } from "./relay/relay.ts";
import { keepRunRecord, lockDataDirectory, stopLeftovers } from "./run-record.ts";
import { listOffered, readScheduledOptions, refreshOnce, startSchedule } from "./schedule.ts";
import { readSecrets, secretsPath } from "./secrets.ts";
import {
  type Environment,
  readStartSettings,
  StartError,
  type StartSettings,
  startVariableNames,
} from "./settings.ts";
import { untilHealthy } from "./spawn.ts";
import { acquireLock, type Lock } from "./sqld-lock.ts";
import type { Parts } from "./started-parts.ts";

const variableNames = [...startVariableNames, ...edgeVariableNames, ...workerVariableNames];
/** How long an admin command may hold the embedded database. */
const databaseLockMs = 5_000;
/** A start opens some fifty files at once, and each caller takes two of this process for as long as it is connected. */
const minOpenFiles = 256;

const poolKeyNotice =
  "POOL_ROUTER_KEY=none is for a server of your own that takes no key, and ROUTER_BASE_URL is not set: OpenRouter will refuse " +
  "every request of the pool.";

const databaseNotice =
  "LIBSQL_AUTH_TOKEN is set without LIBSQL_URL, so it is not used: the database is the embedded one in DATA_DIR.";

const offlineNotice =
  "offline: no provider is configured, so a local responder writes the answers. Set POOL_ROUTER_KEY (an " +
  "OpenRouter key), or ROUTER_BASE_URL with POOL_ROUTER_KEY=none for a local OpenAI-compatible server.";

export type ServiceOptions = {
  /** The checkout: wrangler.toml, gpu-worker/, scripts/. */
  root: string;
  env: Environment;
  log: (line: string) => void;
  parts: Parts;
};

export type Service = {
  readonly url: string;
  readonly demo: DemoAccount;
  /** Ids of the models that the aggregator lists; read at a first start. */
  readonly offered: readonly string[];
  /** Without the pool each request brings a provider's key. */
  readonly poolOn: boolean;
};

/**
 * Resolves when requests are served. What has been started is in `parts` at any moment, also after a failure. @throws StartError
 * for what the operator can correct, anything else for a defect of ours
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { root, log, parts } = options;
  const start = await prepareStart(options);
  const { url, record, variables, scheduled } = start;
  const [config, demo] = await Promise.all([
    bundleEdge(root, join(start.dataDirectory, "edge"), variables),
    startDatabase(options, start),
    startGpuWorker(options, start),
    startResponder(options, start),
  ]);
  await parts.add(planEdge(config, variables, log, start.relay.setTarget));
  await untilHealthy(`${url}/health`, 30_000);
  record.set({ url });
  parts.stopSchedule = startSchedule(scheduled, log);
  await record.saved();
  // For the `curl` line of a first start.
  const offered = demo.created ? await listOffered(scheduled) : [];
  return { url, demo, offered, poolOn: readPool(variables.POOL_ROUTER_KEY).on };
}

/** What the children are started from: settings that were checked, a directory that is ours, addresses, keys. */
type Start = Awaited<ReturnType<typeof prepareStart>>;

/** Everything before the first child: takes DATA_DIR and the edge's port, and checks all settings. */
async function prepareStart({ root, env, log, parts }: ServiceOptions) {
  for (const sentence of findMisspelt(env, variableNames)) log(sentence);
  const settings = readStartSettings(env, process.cwd());
  await checkFileLimit();
  const { dataDirectory } = settings;
  if (settings.lacksPoolKey) log(poolKeyNotice);
  if (settings.lacksDatabaseUrl) log(databaseNotice);
  await prepareDataDirectory(dataDirectory, log);
  await lockDataDirectory(dataDirectory);
  const leftovers = await stopLeftovers(dataDirectory);
  if (leftovers.length > 0)
    log(`stopped processes that a killed service left behind: ${leftovers.join(", ")}`);
  const record = keepRunRecord(dataDirectory);
  parts.record = record;
  const relay = await startRelay({ port: settings.ports.edge }).catch((error) => {
    throw portError("PORT", settings.ports.edge, error);
  });
  parts.relay = relay;
  const secrets = await readSecrets(dataDirectory, env);
  const ports = await settleLocalPorts(settings);
  const databaseKey = await createDatabaseKey();
  const ownSecrets = { ...secrets, databaseToken: databaseKey.authToken };
  const variables = buildEdgeVariables(env, ports, ownSecrets, await readGitSha(root));
  checkEdgeVariables(variables);
  const scheduled = readScheduledOptions(variables, settings.offline);
  const url = `http://127.0.0.1:${relay.port}`;
  return { dataDirectory, record, relay, url, secrets, ports, databaseKey, variables, scheduled };
}

/** Starts the embedded database, if there is no other; then migrates it, and checks or makes what the service needs in it. */
async function startDatabase(options: ServiceOptions, start: Start): Promise<DemoAccount> {
  const { log, parts } = options;
  const { dataDirectory, record, secrets, ports, databaseKey, variables, scheduled } = start;
  if (ports.database !== undefined) {
    const directory = join(dataDirectory, "db");
    const lock = await lockDatabase(directory);
    parts.databaseLock = lock;
    await parts.add(planDatabase({ port: ports.database, directory, key: databaseKey, lock }, options));
    record.set({
      libsqlUrl: variables.LIBSQL_URL!,
      libsqlAuthToken: databaseKey.authToken,
      vaultKeyIds: readVaultKeys(secrets.vaultKeys).map(({ id }) => id),
    });
  }
  await migrateDatabase(variables);
  await checkVault(variables, secretsPath(dataDirectory));
  const refreshed = refreshOnce(scheduled, log);
  const demo = await ensureDemoAccount(variables, dataDirectory, log);
  await refreshed;
  return demo;
}

async function startGpuWorker(options: ServiceOptions, { ports, secrets }: Start): Promise<void> {
  if (ports.worker === undefined)
    return options.log(`the workers of GPU_WORKER_URLS need EDGE_PUBLIC_KEYS=${secrets.publicKeys}`);
  await options.parts.add(planGpuWorker(ports.worker, secrets.publicKeys, options));
}

async function startResponder(options: ServiceOptions, { ports }: Start): Promise<void> {
  if (ports.responder === undefined) return;
  options.log(offlineNotice);
  await options.parts.add(planOfflineResponder(ports.responder, options));
}

/** Checked first: a part that gets no file handle would end the start with a message that seldom says so. */
async function checkFileLimit(): Promise<void> {
  const limit = await readFileLimit();
  if (limit !== undefined && limit < minOpenFiles)
    throw new StartError(`This process may open ${limit} files, too few to serve anybody: ${moreFiles}`);
}

/** Chosen before anything starts, so that every part can be given the others' addresses. */
async function settleLocalPorts(settings: StartSettings): Promise<LocalPorts> {
  return {
    ...(settings.outsideDatabase === undefined && {
      database: await settlePort("DB_PORT", settings.ports.database),
    }),
    ...(settings.gpuWorkerUrls === undefined && {
      worker: await settlePort("WORKER_PORT", settings.ports.worker),
    }),
    ...(settings.offline && { responder: await settlePort("the offline responder", 0) }),
  };
}

async function lockDatabase(directory: string): Promise<Lock> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  try {
    return await acquireLock(directory, databaseLockMs);
  } catch (error) {
    throw new StartError((error as Error).message);
  }
}

async function migrateDatabase({ LIBSQL_URL, LIBSQL_AUTH_TOKEN }: EdgeVariables): Promise<void> {
  try {
    await migrate(LIBSQL_URL!, LIBSQL_AUTH_TOKEN);
  } catch (error) {
    throw error instanceof MigrationError ? new StartError(error.message) : error;
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
