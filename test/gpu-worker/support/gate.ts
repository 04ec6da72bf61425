/** A gate a planner thread waits at until the test opens it: a file, since nothing else reaches that thread. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** `goal` makes the fake planner hold its thread until `open` is called (30 s at most). */
export function createGate(): { goal: string; open(): void } {
  const path = join(mkdtempSync(join(tmpdir(), "gate-")), "open");
  return { goal: `hold:${path}`, open: () => writeFileSync(path, "") };
}
