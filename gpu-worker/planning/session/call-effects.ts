/**
 * What a call did, and what a tool may do, where the verb of the tool's name does not say it: a shell runs any command, and the list in
 * which an agent keeps its own steps is no part of the work. Pure.
 */
import type { Effect } from "../../world-model/manifest.ts";
import { actionText, nameWords } from "../../world-model/text-templates.ts";
import type { Tool } from "../../world-model/tools.ts";

/** `effect`: of the verb of its name. */
export type NamedTool = Pick<Tool, "name" | "effect">;
/** `text`: the tool's name. */
type Call = { text: string; args?: string | undefined };

/** Tools that keep an agent's own steps and thoughts: "TodoWrite", "TaskUpdate", "update_plan", "think". */
const ownNotes =
  /^(?:todo ?(?:write|read)|(?:write|read) todos?|update (?:plan|todo list)|(?:exit|enter) ?plan ?mode|think(?:ing)?(?: tool)?|sequential ?thinking)$/u;
/** Claude Code's names, as they are written: `task_create` of another program creates a team's task. */
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

/** The effect of a call: `effect`, that of the verb of the tool's name, unless all commands of a shell's call only look. */
export function effectOfCall({ text, args = "" }: Call, effect: Effect | undefined): Effect | undefined {
  if (!isShell(text)) return effect;
  const said = (command.exec(args)?.[1] ?? "").replace(/\d?>(?:&\d|\s?\/dev\/null)/gu, "");
  const steps = said.split(/&&|\|\||\\n|[;|\n]/u).map((step) => step.trim());
  return steps.every((step) => looking.test(step)) ? "look" : effect;
}

/** The effects of calls of these tools. */
export function effectsOfCalls(tools: readonly NamedTool[]): (call: Call) => Effect | undefined {
  const effects = new Map(tools.map(({ name, effect }) => [name, effect]));
  return (call) => effectOfCall(call, effects.get(call.text));
}

/** Whether a tool of this effect leaves something other than it was. */
export const isChange = (effect: Effect | undefined): boolean => effect === "write" || effect === "commit";

/**
 * Verbs of names that change something too, and that the checkpoint's table does not have, or has for the start of a plan alone. Not
 * "retry_policy".
 */
const unlisted =
  /^(?:start|begin|launch|trigger|boot|activate|drain|cordon|scale|silence|rent|unpublish|rotate|promote|provision|page|unfreeze|unban|unblock|kick|mute|kill|evict|abort|redo|undo|flush|throttle|invalidate|failover|re(?:run|try|deploy|launch|play|queue|process|build|trigger|sume))\b(?! (?:policy|policies|urls?|counts?|status|history|stats|info|details)$)/u;
/** Whether a tool may change something: by its effect or, if its verb has none, by its name. */
export const mayChange = ({ name, effect }: NamedTool): boolean =>
  isChange(effect) || ((effect === undefined || effect === "none") && unlisted.test(actionText(name)));
export const looks = ({ effect }: NamedTool): boolean => effect === "look";
/** Whether a tool looks at several things. Not one that looks at a single one, such as "read_file" and "describe_table". */
export const lists = (tool: NamedTool): boolean =>
  looks(tool) && /\b(?:list|search|find|view|show|browse|glob|ls)\b|s$/u.test(nameWords(tool.name));
const makes =
  /^(?:create|add|set|send|book|order|make|schedule|post|insert|write|buy|reserve|invite|register|e?mail|message)\b/u;
/** Whether a tool makes something that is in no list yet: "set an alarm for every day except Sunday". */
export const makesNew = ({ name }: NamedTool): boolean => makes.test(nameWords(name));

/** Names of tools whose verb changes something, and which may still serve a question. */
const serves = [
  // What is run may only look: a query, a test, a command.
  /\b(?:run|runs|exec|execute|invoke|perform|process|test|tests|build|export|generate|type|login)\b/u,
  // So may what is sent: "send_request", "http_post", "submit_query". Not what people are asked for: "submit_leave_request".
  /\b(?:api|http|query|sql|search|filter)\b|\b(?:call|send|make|submit)\b(?:.*\b(?:functions?|commands?|input|keys?)|(?: (?:get|post|put|web|network|rest|graphql|raw|json))? requests?)\b/u,
  // What computes or shows: "add" is a sum's, where "add_comment" is none, and "text_to_speech" sends no text.
  /^add$|^text to (?:speech|audio|voice)\b|\b(?:numbers|aggregate|charts?|plots?|graphs?|print)\b/u,
  // What answers the user who asks, or lets another do so: "final_answer", "reply", "transfer_to_billing_agent". Not "reply_to_email".
  /\banswer(?: (?:questions?|user))?$|^(?:(?:send|give|final|plan mode) )?(?:reply|respond|response)$|\bto\b.*\b(?:user|agent|human|support)\b/u,
];
const lookedUp = "list|history|status|stats|count|get|view|read|find|look ?up|show|fetch|details?|info";
/**
 * Names that change something too, though the checkpoint's table of verbs says that they do not. Not "list_open_pull_requests", nor
 * "check_in_stock".
 */
const settles = new RegExp(
  [
    `^(?:complete|finali[sz]e|finish|mark|resolve|skip|reopen|comment|withdraw|acknowledge|escalate|grade|record)\\b(?!.* (?:${lookedUp})\\b)`,
    `^check ?in\\b(?!.* (?:${lookedUp}|progress|stock|range|times?)\\b)|^(?:set reminder|remind)\\b`,
    "\\bclose (?:\\w+ )?(?:tickets?|issues?|cases?|accounts?|incidents?|disputes?|tasks?|deals?|claims?|pull requests?|orders?)\\b",
    "\\bopen (?:\\w+ )?(?:account|dispute|claim|pull request)\\b",
    "\\b(?:open|close) (?:covers?|blinds?|curtains?|shades?|shutters?|garages?|doors?|gates?|valves?|vents?)\\b",
  ].join("|"),
  "u",
);
/** What is run here changes something, and serves no question: "run_migration"; also what ends or begins a run: "abort_run". */
const runsChange =
  /\b(?:migrations?|payroll|playbooks?|deploy\w*|rollbacks?|failover)\b|^(?:abort|cancel|delete|kill|pause|resume|retry|rerun|start|stop|trigger)\b.*\bruns?$/u;
/**
 * Whether a tool changes something and cannot serve a question: "How does the retry work?" needs neither `edit_file` nor `send_email`.
 */
export const changesByName = (tool: NamedTool): boolean =>
  (mayChange(tool) || settles.test(nameWords(tool.name))) &&
  (runsChange.test(nameWords(tool.name)) || !serves.some((rule) => rule.test(nameWords(tool.name))));

/** "search_replace": the first verb of the name looks, the second one writes. */
const replaces = /\b(?:search|find)(?: and)? replace\b/u;

/** Rows of tools that change something: an agent in its plan mode calls none. A shell may look, and notes are the agent's own. */
export const findChanges = (tools: readonly NamedTool[]): number[] =>
  [...tools.keys()].filter((row) => {
    const { name, effect } = tools[row]!;
    const words = actionText(name);
    return (isChange(effect) || replaces.test(words)) && !keepsNotes(name) && !shell.test(words);
  });

/** Names of tools that change files ("edit_lines", "search_replace", "create_file"), by their words (`nameWords`). */
export const edits =
  /\b(?:edit|patch|replace|insert|write)\b|\b(?:create|new|update|modify)\b.*\b(?:file|code|cell)\b/u;

/** Names of tools that find errors in files. */
export const checks = /\b(?:tests?|lints?|build|diagnostics?|problems|errors|typecheck|compile)\b/u;
