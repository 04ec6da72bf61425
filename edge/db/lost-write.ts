/**
 * A write whose answer was lost may have been carried out. Its request ends with an error, and what it wrote would stay: here it is
 * undone in the background, by one attempt.
 */
import { isDatabaseBusy, isDatabaseUnavailable } from "./connection.ts";

/** Such a write may have been sent in a group just before its caller gave up, and a group may take 5 s. */
const undecidedMs = 6_000;

export type Background = {
  /** Lets work outlast its request. */
  waitUntil: (work: Promise<unknown>) => void;
  sleep: (milliseconds: number) => Promise<void>;
};

/** Runs `work` once, when a write that was sent before now can no longer be carried out. What it throws is dropped. */
export function runLater({ waitUntil, sleep }: Background, work: () => Promise<unknown>): void {
  const waited = async () => {
    await sleep(undecidedMs);
    await work();
  };
  waitUntil(waited().catch(() => {}));
}

/** The result of `write`. If the database may have carried it out without an answer, `undo` runs later. Throws what `write` throws. */
export async function undoIfLost<Result>(
  services: Background,
  write: () => Promise<Result>,
  undo: () => Promise<unknown>,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (isDatabaseUnavailable(error) && !isDatabaseBusy(error)) runLater(services, undo);
    throw error;
  }
}
