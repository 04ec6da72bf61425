// A child that does nothing for a minute.
import { type ChildProcess, spawn } from "node:child_process";
import { vi } from "vitest";
import { recordProcess } from "../../../../scripts/self-host/processes.ts";

/**
 * Resolves once the kernel lists its command line. It has none for a moment after "spawn": the program is then loaded, but its
 * arguments are not yet in place.
 */
export async function spawnSleep(): Promise<ChildProcess> {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  await vi.waitUntil(async () => (await recordProcess(child.pid!))?.commandLine.startsWith("sleep"), {
    timeout: 15_000,
  });
  return child;
}
