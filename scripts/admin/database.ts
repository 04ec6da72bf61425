/**
 * The database that a command uses: LIBSQL_URL; else that of the service running on DATA_DIR; else an sqld started on DATA_DIR
 * for the length of the command.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Database, openDatabase } from "../../edge/db/client.ts";
import { migrate } from "../migrate.ts";
import { prepareDataDirectory } from "../self-host/data-directory.ts";
import { createDatabaseKey } from "../self-host/database-key.ts";
import { isTaken } from "../self-host/directory-lock.ts";
import { type RunFile, readRunFile } from "../self-host/run-record.ts";
import { readSecrets, secretsPath } from "../self-host/secrets.ts";
import { type Environment, readStartSettings } from "../self-host/settings.ts";
import { startSqld } from "../self-host/sqld.ts";
import { DirectoryInUseError, readLockOwner } from "../self-host/sqld-lock.ts";
import { actAsOwner } from "./act-as-owner.ts";
import { AdminError } from "./failure.ts";

export type AdminDatabase = {
  database: Database;
  url: string;
  authToken: string | undefined;
  /** Of the service running on DATA_DIR. */
  vaultKeyIds?: readonly string[] | undefined;
  close(): Promise<void>;
};

/** A starting service, or another command, holds the directory for a moment before its database answers. */
const waitMs = 8000;
/** For one statement: some read the whole ledger, a million rows in seconds. */
const timeoutMs = 60_000;

/** @throws AdminError if there is no DATA_DIR: a mistyped one would be made, with an empty database */
export function requireDataDirectory(env: Environment, workingDirectory: string): void {
  const { outsideDatabase, dataDirectory } = readStartSettings(env, workingDirectory);
  if (outsideDatabase !== undefined || existsSync(dataDirectory)) return;
  throw new AdminError(
    `There is no DATA_DIR ${dataDirectory}: set DATA_DIR to the service's own, or LIBSQL_URL to its database. ` +
      "npm start, account create and migrate make a new one.",
  );
}

/** @throws StartError for a variable that cannot be used; DirectoryInUseError, AdminError if others keep the database. */
export async function openAdminDatabase(env: Environment, workingDirectory: string): Promise<AdminDatabase> {
  const { outsideDatabase, dataDirectory } = readStartSettings(env, workingDirectory);
  if (outsideDatabase !== undefined) return open(outsideDatabase.url, outsideDatabase.authToken);
  const directory = join(dataDirectory, "db");
  for (const deadline = performance.now() + waitMs; ; await sleep(100)) {
    const running = await findRunning(dataDirectory, directory);
    if (running?.libsqlUrl !== undefined)
      return { ...open(running.libsqlUrl, running.libsqlAuthToken), vaultKeyIds: running.vaultKeyIds };
    const isLate = performance.now() > deadline;
    try {
      if (!(await isTaken(dataDirectory))) {
        actAsOwner(dataDirectory, directory);
        // Else sqld ends with code 1 where the folder is another user's, or full.
        await prepareDataDirectory(dataDirectory, () => undefined);
        return await openOwn(directory);
      }
    } catch (error) {
      if (!(error instanceof DirectoryInUseError) || isLate) throw error;
    }
    if (isLate) throw new AdminError(outOfReach(dataDirectory));
  }
}

const outOfReach = (dataDirectory: string) =>
  `A service runs on DATA_DIR ${dataDirectory}, and its database cannot be reached from here: run this in the service's own ` +
  "container, or with the LIBSQL_URL and LIBSQL_AUTH_TOKEN that its edge has.";

/** The content of run.json, if its writer still holds the directory: a killed service leaves the file behind. */
async function findRunning(dataDirectory: string, directory: string): Promise<RunFile | undefined> {
  const owner = await readLockOwner(directory);
  const running = await readRunFile(dataDirectory);
  return owner !== undefined && running?.pid === owner ? running : undefined;
}

async function openOwn(directory: string): Promise<AdminDatabase> {
  const key = await createDatabaseKey();
  const sqld = await startSqld({ directory, port: 0, key, lockTimeoutMs: 0 });
  try {
    await migrate(sqld.url, key.authToken);
  } catch (error) {
    await sqld.stop();
    throw error;
  }
  return { ...open(sqld.url, key.authToken), close: () => sqld.stop() };
}

function open(url: string, authToken: string | undefined): AdminDatabase {
  return { database: openDatabase({ url, authToken, timeoutMs }), url, authToken, close: async () => {} };
}

/** VAULT_KEYS of the service: the variable, else the key that the service on this machine has generated. */
export async function findVaultKeys(env: Environment, workingDirectory: string): Promise<string> {
  const { outsideDatabase, dataDirectory } = readStartSettings(env, workingDirectory);
  if (env.VAULT_KEYS === undefined && outsideDatabase !== undefined) {
    throw new AdminError("Set VAULT_KEYS as the edge has it: the new key first, then the old ones.");
  }
  if (env.VAULT_KEYS !== undefined) return env.VAULT_KEYS;
  const path = secretsPath(dataDirectory);
  if (!existsSync(path)) throw new AdminError(`There is no ${path}: set VAULT_KEYS as the edge has it.`);
  return (await readSecrets(dataDirectory, env)).vaultKeys;
}
