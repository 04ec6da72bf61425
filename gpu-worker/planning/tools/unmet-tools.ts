/** The tools whose change depends on a condition that does not hold, as the results of a session's calls show. Pure. */
import { actionText, nameWords } from "../../world-model/text-templates.ts";
import { stemsOf } from "../../world-model/tool-ranking.ts";
import { isConditional, isOtherwise, readCondition, readDependents } from "../message/conditions.ts";
import { wordsOf } from "../message/goal-text.ts";
import { changesByName, isShell, mayChange, type NamedTool } from "../session/call-effects.ts";
import { looksFailed } from "../session/events.ts";
import { showsPassed, tellsErrors } from "../session/test-results.ts";
import { runs } from "./waiting-tools.ts";

/** What a result tells of a state, as fields write it. */
const stated = /"?\b(?:status|state|conclusion|result|outcome)"?\s{0,2}[:=]\s{0,2}"?([a-z][\w-]{1,40})/giu;
const failedState = /^(?:fail|error|red$|broken|timed)/iu;
const passedState = /^(?:success|succeed|pass|green$|ok$)/iu;
const statesIn = (result: string): string[] => [...result.matchAll(stated)].map(([, state]) => state!);
const tellsFailed = (result: string): boolean =>
  looksFailed(result) || tellsErrors(result) || statesIn(result).some((state) => failedState.test(state));
const tellsPassed = (result: string): boolean =>
  showsPassed(result) || statesIn(result).some((state) => passedState.test(state));

/** Whether results tell that a condition does not hold: by the newest one that says anything of it. */
function isUnmet({ wants, notIn }: ReturnType<typeof readCondition>, results: readonly string[]): boolean {
  const newest = results.toReversed();
  if (wants !== undefined) {
    const verdict = newest.find((result) => tellsFailed(result) || tellsPassed(result));
    return verdict !== undefined && tellsFailed(verdict) !== (wants === "fail");
  }
  if (notIn === undefined) return false;
  const told = newest.find((result) => statesIn(result).length > 0) ?? "";
  const isIn = (state: string) => stemsOf(state).some((stem) => stemsOf(notIn).includes(stem));
  // Of several things some may still allow it.
  return /^\s*\[/u.test(told) ? statesIn(told).every(isIn) : statesIn(told).some(isIn);
}

/**
 * Rows of the tools that change what a condition does not allow: "deploy if the tests pass", and they failed; "cancel it if it has not
 * shipped", and it has. `results`: of the calls since the message, oldest first.
 */
export function findUnmet(
  parts: readonly string[],
  tools: readonly NamedTool[],
  results: readonly string[],
): number[] {
  if (results.length === 0) return [];
  const unmet = new Set(
    parts.flatMap((_, at) => {
      const { sentence, places } = readDependents(parts, at);
      return places.length > 0 && isUnmet(readCondition(sentence), results) ? places : [];
    }),
  );
  const wordsWhere = (isMeant: (at: number) => boolean) =>
    new Set([...parts.keys()].filter(isMeant).flatMap((at) => wordsOf(parts[at]!)));
  const said = wordsWhere((at) => unmet.has(at));
  // "If they fail, create an issue. Otherwise create a release": the verb alone does not tell the branches apart.
  const due = wordsWhere((at) => !unmet.has(at) && (isOtherwise(parts[at]!) || isConditional(parts[at]!)));
  const isSaid = ([verb, ...thing]: readonly string[]) =>
    said.has(verb!) && (!due.has(verb!) || thing.some((word) => said.has(word) && !due.has(word)));
  return [...tools.keys()].filter((row) => {
    const tool = tools[row]!;
    return (
      (mayChange(tool) || changesByName(tool)) &&
      !isShell(tool.name) &&
      !runs.test(nameWords(tool.name)) &&
      isSaid(actionText(tool.name).split(" "))
    );
  });
}
