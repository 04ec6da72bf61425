/**
 * What the kernel knows about a process, and how it is stopped. A recorded process is signalled only if its start time and
 * command line still match: its pid may have been reused.
 */
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

export type RecordedProcess = {
  pid: number;
  /** argv joined by NUL, as in /proc. */
  commandLine: string;
  /** Clock ticks after boot (field 22 of /proc/PID/stat). */
  startTicks: string;
};

/** @returns undefined if there is no such process (a zombie counts as none) */
export async function recordProcess(pid: number): Promise<RecordedProcess | undefined> {
  try {
    const [commandLine, status] = await Promise.all([
      readFile(`/proc/${pid}/cmdline`, "utf8"),
      readFile(`/proc/${pid}/stat`, "utf8"),
    ]);
    const fields = statusFields(status);
    return fields[0] === "Z" ? undefined : { pid, commandLine, startTicks: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

/** @returns 0 if there is no such process */
export async function parentOf(pid: number): Promise<number> {
  try {
    return Number(statusFields(await readFile(`/proc/${pid}/stat`, "utf8"))[1]);
  } catch {
    return 0;
  }
}

/** The fields from the state (field 3) on; the name before it may contain spaces and parentheses. */
function statusFields(status: string): string[] {
  return status.slice(status.lastIndexOf(")") + 2).split(" ");
}

async function isRunning(recorded: RecordedProcess): Promise<boolean> {
  const now = await recordProcess(recorded.pid);
  return now?.startTicks === recorded.startTicks && now.commandLine === recorded.commandLine;
}

/** SIGTERM, then SIGKILL after `graceMs`. @returns whether it was still running */
export async function stopRecorded(recorded: RecordedProcess, graceMs: number): Promise<boolean> {
  if (!(await isRunning(recorded))) return false;
  signal(recorded.pid, "SIGTERM");
  const deadline = Date.now() + graceMs;
  while (await isRunning(recorded)) {
    if (Date.now() >= deadline) signal(recorded.pid, "SIGKILL");
    await sleep(25);
  }
  return true;
}

/** A process that is already gone is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {}
}
