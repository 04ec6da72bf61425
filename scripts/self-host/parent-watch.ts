/**
 * Notices that npm is gone. `kill -9` of npm notifies nobody, and a shell between npm and us may live on, so both links of that
 * chain are watched. A service started without npm is not watched.
 */
import { parentOf, recordProcess } from "./processes.ts";
import type { Environment } from "./settings.ts";

const everyMs = 250;

/** Calls `onGone` once when the chain of processes up to npm has changed. */
export async function watchParent(env: Environment, onGone: () => void): Promise<void> {
  if (env.npm_lifecycle_event !== "start") return;
  const parent = process.ppid;
  const isShell = /^([^\0]*\/)?(sh|bash|dash|ash)\0-c\0/.test(
    (await recordProcess(parent))?.commandLine ?? "",
  );
  const npm = isShell ? await parentOf(parent) : undefined;
  const timer = setInterval(async () => {
    if (process.ppid === parent && (npm === undefined || (await parentOf(parent)) === npm)) return;
    clearInterval(timer);
    onGone();
  }, everyMs);
  timer.unref();
}
