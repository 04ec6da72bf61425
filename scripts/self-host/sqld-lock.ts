/**
 * The lock file of an embedded database directory. It names two processes, the one that started sqld and sqld itself, by id and
 * start time, so that a reused id is not mistaken for them. A lock whose owner died is taken over, after the sqld that it left
 * behind is ended.
 */
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { recordProcess, signal } from "./processes.ts";

const ProcessName = z.object({ pid: z.int(), started: z.string() });
type ProcessName = z.infer<typeof ProcessName>;
const LockRecord = z.object({ owner: ProcessName, server: ProcessName.optional() });
type LockRecord = z.infer<typeof LockRecord>;

export type Lock = {
  /** Adds sqld's process id, so that a later owner can end it if this process is killed. */
  nameServer(pid: number): Promise<void>;
  free(): Promise<void>;
};

export class DirectoryInUseError extends Error {
  override readonly name = "DirectoryInUseError";

  constructor(directory: string, pid: number) {
    super(`The database in ${directory} is in use by process ${pid}: stop it, or try again in a moment.`);
  }
}

/** Takes the directory's lock, waiting for a live owner. @throws DirectoryInUseError after `timeoutMs`. */
export async function acquireLock(directory: string, timeoutMs: number): Promise<Lock> {
  const path = lockPath(directory);
  const owner = await nameProcess(process.pid);
  if (owner === undefined)
    throw new Error("neither /proc nor ps names this process, whose lock the embedded database needs");
  const deadline = performance.now() + timeoutMs;
  while (!(await create(path, { owner }))) {
    const record = await readRecord(path);
    if (record !== undefined && (await isAlive(record.owner))) {
      if (performance.now() >= deadline) {
        throw new DirectoryInUseError(directory, record.owner.pid);
      }
      await sleep(50);
    } else {
      if (record?.server) await end(record.server);
      await discard(path, record);
    }
  }
  return {
    nameServer: async (pid) => {
      const server = await nameProcess(pid);
      await replace(path, { owner, ...(server && { server }) });
    },
    free: () => rm(path, { force: true }),
  };
}

/** The live process that holds the directory's lock, if any. */
export async function readLockOwner(directory: string): Promise<number | undefined> {
  const record = await readRecord(lockPath(directory));
  return record !== undefined && (await isAlive(record.owner)) ? record.owner.pid : undefined;
}

const lockPath = (directory: string) => join(directory, "svc.lock");

/** Creates the lock with its content in one step; returns false if it exists. */
async function create(path: string, record: LockRecord): Promise<boolean> {
  const draft = await writeDraft(path, record);
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Removes a dead owner's lock; restores it if another process has just taken it over. */
async function discard(path: string, dead: LockRecord | undefined): Promise<void> {
  const aside = `${path}.${crypto.randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  const record = await readRecord(aside);
  if (JSON.stringify(record) !== JSON.stringify(dead)) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}

async function replace(path: string, record: LockRecord): Promise<void> {
  await rename(await writeDraft(path, record), path);
}

async function writeDraft(path: string, record: LockRecord): Promise<string> {
  const draft = `${path}.${process.pid}.${crypto.randomUUID()}`;
  try {
    await writeFile(draft, JSON.stringify(record), { mode: 0o600 });
  } catch (error) {
    // A full disk leaves an empty file behind, one for each restart of sqld.
    await rm(draft, { force: true });
    throw error;
  }
  return draft;
}

/** Undefined if there is no lock, or its file is no record of one. */
async function readRecord(path: string): Promise<LockRecord | undefined> {
  try {
    return LockRecord.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return undefined;
  }
}

async function end(server: ProcessName): Promise<void> {
  for (const name of ["SIGTERM", "SIGKILL"] as const) {
    for (let waited = 0; waited < 3000 && (await isAlive(server)); waited += 50) {
      if (waited === 0) signal(server.pid, name);
      await sleep(50);
    }
  }
}

async function isAlive(name: ProcessName): Promise<boolean> {
  return (await nameProcess(name.pid))?.started === name.started;
}

async function nameProcess(pid: number): Promise<ProcessName | undefined> {
  const found = await recordProcess(pid);
  return found && { pid, started: found.startTicks };
}
