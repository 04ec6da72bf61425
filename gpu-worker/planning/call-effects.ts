/**
 * What a call did, and what a tool may do, where the verb of its name does not say it: a shell runs anything, and an agent's list of steps
 * is no part of the work. Pure.
 */
import type { Effect } from "../world-model/manifest.ts";
import { actionText } from "../world-model/text-templates.ts";

/** Tools that keep an agent's own steps and thoughts: "TodoWrite", "TaskUpdate", "update_plan", "think". */
const ownNotes =
  /^(?:todo ?(?:write|read)|(?:write|read) todos?|update (?:plan|todo list)|(?:exit|enter) ?plan ?mode|think(?:ing)?(?: tool)?|sequential ?thinking)$/u;
/** Claude Code's. A tool `task_create` makes tasks of a team's. */
const ownTasks = /^Task(?:Create|Update|List|Get)$/;
export const keepsNotes = (tool: string): boolean => ownTasks.test(tool) || ownNotes.test(actionText(tool));

const shell =
  /^(?:bash|(?:local )?shell(?: command)?|terminal|(?:run|exec|execute)(?: (?:a|in|shell|bash|terminal))?(?: (?:command|cmd|bash|shell|terminal))?)$/u;
/** Whether a tool runs any command, so that its name says nothing of a call. */
export const isShell = (tool: string): boolean => shell.test(actionText(tool));
/** The command in a call's arguments, which may be cut at any place; also `["bash", "-lc", command]`. */
const command =
  /"(?:command|cmd)"\s{0,4}:\s{0,4}(?:\[\s{0,4}(?:"(?:bash|sh|zsh)"\s{0,4},\s{0,4}"-\w{1,4}"\s{0,4},\s{0,4})?)?"((?:[^"\\]|\\.)*)/u;
/** Commands that only look. */
const looking =
  /^(?:ls|cat|head|tail|less|wc|pwd|tree|which|file|stat|du|df|rg|grep|egrep|nl|echo|cd|sed -n|find(?!.*\s-(?:delete|exec))|git (?:status|diff|log|show|blame|grep|branch$|branch -)|kubectl (?:get|describe|logs))\b(?!.*>)/u;

/** The effect of a call. `effect`: by the verb of the tool's name. */
export function effectOfCall(
  { text, args = "" }: { text: string; args?: string | undefined },
  effect: Effect | undefined,
): Effect | undefined {
  if (!isShell(text)) return effect;
  const said = (command.exec(args)?.[1] ?? "").replace(/\d?>(?:&\d|\s?\/dev\/null)/gu, "");
  const steps = said.split(/&&|\|\||\\n|[;|\n]/u).map((step) => step.trim());
  return steps.every((step) => looking.test(step)) ? "look" : effect;
}

/** Whether a tool of this effect leaves something other than it was. */
export const isChange = (effect: Effect | undefined): boolean => effect === "write" || effect === "commit";

/** "search_replace": the first verb of the name looks, the second one writes. */
const replaces = /\b(?:search|find)(?: and)? replace\b/u;

/** Rows of tools that change something: an agent in its plan mode calls none. A shell may look, and notes are the agent's own. */
export const findChanges = (tools: readonly { name: string; effect: Effect | undefined }[]): number[] =>
  [...tools.keys()].filter((row) => {
    const { name, effect } = tools[row]!;
    const words = actionText(name);
    return (isChange(effect) || replaces.test(words)) && !keepsNotes(name) && !shell.test(words);
  });
