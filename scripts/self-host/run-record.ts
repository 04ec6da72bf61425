/**
 * Records in run.json what runs on a DATA_DIR. It tells the admin CLI where the database is, the next start what a killed
 * supervisor left behind, and a second service why it is refused.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { takeDirectory } from "./directory-lock.ts";
import { type RecordedProcess, recordProcess, stopRecorded } from "./processes.ts";
import { writePrivately } from "./secrets.ts";
import { StartError } from "./settings.ts";

const leftoverGraceMs = 3_000;

const RunFile = z.object({
  pid: z.number(),
  /** The edge's public address. */
  url: z.string().optional(),
  /** The embedded database's address; absent with an outside one. */
  libsqlUrl: z.string().optional(),
  libsqlAuthToken: z.string().optional(),
  /** Ids of VAULT_KEYS, the one that seals first; empty if the vault is disabled. */
  vaultKeyIds: z.array(z.string()).optional(),
  children: z.array(
    z.object({ name: z.string(), pid: z.number(), commandLine: z.string(), startTicks: z.string() }),
  ),
});
export type RunFile = z.infer<typeof RunFile>;

const runFilePath = (dataDirectory: string): string => join(dataDirectory, "run.json");

export async function readRunFile(dataDirectory: string): Promise<RunFile | undefined> {
  try {
    return RunFile.parse(JSON.parse(await readFile(runFilePath(dataDirectory), "utf8")));
  } catch {
    return undefined;
  }
}

/** Takes the directory until this process ends. @throws StartError if another service has it */
export async function lockDataDirectory(dataDirectory: string): Promise<void> {
  if (await takeDirectory(dataDirectory)) return;
  const holder = await readRunFile(dataDirectory);
  const where = holder?.url ? ` at ${holder.url} (process ${holder.pid})` : "";
  throw new StartError(
    `A service already runs on DATA_DIR ${dataDirectory}${where}: stop it, or set DATA_DIR and PORT, WORKER_PORT, DB_PORT to others.`,
  );
}

/** Stops the children of a killed supervisor. To be called only with the lock held. @returns their names */
export async function stopLeftovers(dataDirectory: string): Promise<string[]> {
  const left = await readRunFile(dataDirectory);
  if (left === undefined) return [];
  const stopped = await Promise.all(
    left.children.map(async (child) => ((await stopRecorded(child, leftoverGraceMs)) ? [child.name] : [])),
  );
  return stopped.flat();
}

type RunFacts = Pick<RunFile, "url" | "libsqlUrl" | "libsqlAuthToken" | "vaultKeyIds">;

export type RunRecord = {
  set(facts: RunFacts): void;
  setChild(name: string, pid: number | undefined): void;
  /** Resolves when all records so far are on disk. */
  saved(): Promise<void>;
  remove(): Promise<void>;
};

/** Keeps run.json up to date while the service runs; writes follow each other, so the newest record wins. */
export function keepRunRecord(dataDirectory: string): RunRecord {
  const facts: RunFacts = {};
  const pids = new Map<string, number>();
  let writing = Promise.resolve();
  const save = () => {
    writing = writing.then(write).catch(() => undefined);
  };
  const write = async () => {
    const children = await Promise.all(
      [...pids].map(async ([name, pid]) => {
        const recorded: RecordedProcess | undefined = await recordProcess(pid);
        return recorded === undefined ? [] : [{ name, ...recorded }];
      }),
    );
    const file: RunFile = { pid: process.pid, ...facts, children: children.flat() };
    await writePrivately(runFilePath(dataDirectory), `${JSON.stringify(file, null, 2)}\n`);
  };
  return {
    set: (more) => {
      Object.assign(facts, more);
      save();
    },
    setChild: (name, pid) => {
      if (pid === undefined) pids.delete(name);
      else pids.set(name, pid);
      save();
    },
    saved: () => writing,
    remove: async () => {
      await writing;
      await rm(runFilePath(dataDirectory), { force: true });
    },
  };
}
