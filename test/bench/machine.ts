/** Facts about where the figures were taken: without them two runs cannot be compared. */
import { execFileSync } from "node:child_process";
import { arch, cpus, loadavg, release, totalmem } from "node:os";

/** Read at the start of a run: the load average shows whether the machine was busy with something else. */
export function readMachineFacts(now: Date) {
  return {
    takenAt: now.toISOString(),
    commit: readCommit(),
    processor: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    architecture: arch(),
    kernel: release(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    loadAverageBefore: loadavg().map((load) => Number(load.toFixed(2))),
  };
}

function readCommit(): string {
  const git = (...words: string[]) =>
    execFileSync("git", words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    return git("rev-parse", "HEAD") + (git("status", "--porcelain") === "" ? "" : " (changed)");
  } catch {
    return "unknown";
  }
}
