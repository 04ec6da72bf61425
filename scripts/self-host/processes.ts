/**
 * What the kernel knows about a process, and how it is stopped. A recorded process is signalled only if its start time and
 * command line still match: its pid may have been reused.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const hasProc = existsSync("/proc/self/stat");

export type RecordedProcess = {
  pid: number;
  /** argv joined by NUL, as in /proc; by spaces where it comes from `ps`. */
  commandLine: string;
  /** When it started: clock ticks after boot (field 22 of /proc/PID/stat), or the date that `ps` prints. */
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
    return hasProc ? undefined : recordByPs(pid);
  }
}

/** Where there is no /proc (macOS): the start's second stands for its clock tick. */
export async function recordByPs(pid: number): Promise<RecordedProcess | undefined> {
  const listed = await listByPs(pid, "state=,lstart=,command=");
  const [, state, startTicks, commandLine] =
    /^(\S+)\s+(\S+\s+\S+\s+\S+\s+[\d:]{8}\s+\d{4})\s+(.*)$/.exec(listed) ?? [];
  if (startTicks === undefined || commandLine === undefined || state?.startsWith("Z")) return undefined;
  return { pid, commandLine, startTicks };
}

/** Empty if there is no such process. */
async function listByPs(pid: number, columns: string): Promise<string> {
  const options = { env: { ...process.env, LC_ALL: "C" } };
  const listed = promisify(execFile)("ps", ["-ww", "-p", String(pid), "-o", columns], options);
  return listed.then(
    ({ stdout }) => stdout.trim(),
    () => "",
  );
}

/** @returns 0 if there is no such process */
export async function parentOf(pid: number): Promise<number> {
  try {
    return Number(statusFields(await readFile(`/proc/${pid}/stat`, "utf8"))[1]);
  } catch {
    return hasProc ? 0 : Number(await listByPs(pid, "ppid="));
  }
}

/** How many files this process may have open; undefined where the system does not say, or sets no limit. */
export async function readFileLimit(): Promise<number | undefined> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  return soft === undefined ? undefined : Number(soft);
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
  const deadline = performance.now() + graceMs;
  while (await isRunning(recorded)) {
    if (performance.now() >= deadline) signal(recorded.pid, "SIGKILL");
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
