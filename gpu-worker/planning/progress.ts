/** How far the calls since the last user message have served its requests, found by counting. Pure. */
import type { Tool } from "../world-model/tools.ts";
import { type Asking, readAskings } from "./asking.ts";
import { readDenials } from "./goal-text.ts";
import { lastGoal, looksFailed, type SessionEvent } from "./session-events.ts";

/**
 * `passed`: something was changed, and tests pass. `answered`: all parts are questions, and a call was made. `behind`: fewer
 * calls than parts that ask for something. `even`: as many calls that may have changed something as there are such parts, and the
 * last call is one. `unclear`: anything else, or the newest turn is no result, or a failure.
 */
export type Progress = "passed" | "answered" | "behind" | "even" | "unclear";

/** Results of passed tests and builds: "112 passed; 0 failed", "build succeeded". */
const passed = /\b(?:passed|passing|0 (?:failed|failures)|build succeeded|all green)\b/i;
const notPassed = /\b[1-9]\d* (?:failed|failures|errors?)\b|\bFAIL(?:ED|URE)?\b|\berror:/;

/** Whether a message only asks questions. */
const asksOnly = (askings: readonly Asking[]): boolean =>
  askings.includes("answer") && askings.every((asking) => asking === "answer" || asking === "little");

/** `turns`: oldest first, without the system prompt. */
export function readProgress(
  turns: readonly SessionEvent[],
  tools: readonly Pick<Tool, "name" | "effect">[],
): Progress {
  const goal = lastGoal(turns);
  const newest = turns.at(-1);
  if (goal === -1 || newest?.kind !== "result") return "unclear";
  const isPassed = passed.test(newest.text) && !notPassed.test(newest.text);
  if (!isPassed && looksFailed(newest.text)) return "unclear";
  const effects = new Map(tools.map(({ name, effect }) => [name, effect]));
  const done = turns.slice(goal + 1).flatMap(({ kind, text }, at, all) => {
    const next = all[at + 1];
    const failed = next !== newest && next?.kind === "result" && looksFailed(next.text);
    return kind === "call" && !failed ? [effects.get(text)] : [];
  });
  const changes = done.filter((effect) => effect !== "look").length;
  if (done.length === 0) return "unclear";
  if (isPassed && done.some((effect) => effect === "write" || effect === "commit")) return "passed";
  const { text } = turns[goal]!;
  const askings = readAskings(text, readDenials(text));
  if (asksOnly(askings)) return "answered";
  const asked = askings.filter((asking) => asking === "answer" || asking === "anything").length;
  if (done.length < asked) return "behind";
  return done.at(-1) !== "look" && changes >= Math.max(1, asked) ? "even" : "unclear";
}
