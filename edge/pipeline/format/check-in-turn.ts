/**
 * An account's answers are checked one after another, and after a long check all others of the isolate come first: a check blocks its only
 * thread, and a schema of two kilobytes makes it as long as it may be.
 */
import type { Services } from "../services.ts";
import type { FormatCheck } from "./answer-format.ts";

/** Shorter checks cost less than the wait for others would. */
const restAfterSteps = 1_000;
/** As long as a step takes, so that checks of one account take half of the thread at most. */
const restMsPerStep = 0.01;
const patienceMs = 30_000;
const lastsMs = 5_000;

/** As `check`. An answer whose turn does not come in time is checked all the same. */
export function checkInTurn(
  check: FormatCheck,
  accountId: string,
  { turns, sleep, waitUntil, now }: Pick<Services, "turns" | "sleep" | "waitUntil" | "now">,
): (answer: string) => Promise<string | undefined> {
  const { steps } = check;
  if (steps === undefined) return async (answer) => check(answer);
  return async (answer) => {
    const turn = await turns.take({ name: `check ${accountId}`, atOnce: 1, lastsMs }, patienceMs, {
      now,
      sleep,
    });
    const before = steps();
    const broken = check(answer);
    const taken = steps() - before;
    if (taken < restAfterSteps) turn?.end();
    else waitUntil(sleep(taken * restMsPerStep).finally(() => turn?.end()));
    return broken;
  };
}
