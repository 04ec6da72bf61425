/** What a process has used, from Linux's /proc: CPU time of all its threads, and resident memory. */
import { readFileSync } from "node:fs";

/** The kernel's unit in /proc/PID/stat (USER_HZ is 100 on every Linux of x86-64 and arm64). */
const ticksPerSecond = 100;

/** CPU seconds, user and system, since the process began (proc(5), fields 14 and 15). */
export function readCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is a name in parentheses that may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Resident memory, MiB. */
export function readResidentMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) / 1024;
}

/** Memory by its share, MiB: a page that several processes have, as the program they run, is divided among them. */
export function readProportionalMib(pid: number): number {
  const kib = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
  return Number(kib) / 1024;
}

/** Threads, those of V8 and libuv included. */
export function readThreads(pid: number): number {
  return Number(/^Threads:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
