/**
 * Whether a message asks to commit, push or propose changes, and whether calls have done so. The reader of sessions does not see it:
 * of a call it gets the tool's name alone. Pure.
 */
import { actionText } from "../../world-model/text-templates.ts";
import { splitGoal } from "../message/goal-text.ts";
import { readCalls, type SessionEvent } from "./events.ts";

/** What a message may ask of version control, and what shows that it was done: a shell's command, or a tool of that name. */
const deliveries = [
  { asked: /\bcommit\b/i, done: /\bgit (?:-\S+ )*commit\b/ },
  { asked: /\bpush\b/i, done: /\bgit (?:-\S+ )*push\b/ },
  {
    asked: /\b(?:pr|mr|(?:pull|merge)[ -]request)\b/i,
    done: /\b(?:gh pr|glab mr) create\b|^create (?:pull|merge) request\b/,
  },
];
const opening =
  "and|then|also|please|pls|ok(?:ay)?|now|finally|lastly|great|perfect|good|nice|cool|thanks|looks good|lgtm|can you|could you|go ahead and|just|let['’]?s|yes|yep|sure";
/** A part that asks for a delivery: "and open a PR with gh". Not "run the tests after you commit". */
const asksDelivery = new RegExp(
  String.raw`^\W*(?:(?:${opening})\b[\s,.!:]*)*(?:commit|push|(?:open|create|make|submit|raise|file|draft|send|put up)\s+(?:(?:a|an|the|new|draft)\s+){0,3}(?:pr|mr|(?:pull|merge)[ -]request))\b(?!.*\b(?:each|every|separate\w*|individual\w*|after|before|once|when|until|unless|if)\b)`,
  "iu",
);
/** A delivery that is not wanted: "don't commit". */
const denied = /\b(?:do not|don['’]?t|never|without|not|no)\s+(?:\w+\s+)?(?:commit|push)\w*/giu;

/** Whether a hook stopped the commit: its output names the hook, and no new commit, as Git's does behind a hook that passes. */
const isStopped = (result: string): boolean =>
  /\b(?:pre-commit|husky|lint-staged)\b/.test(result) && !/^\[[^\]\n]{1,200} [\da-f]{7,40}\]/m.test(result);

/** Between two deliveries: "commit and push". */
const joint =
  /(?:[,;&]|\b(?:and|then)\b)\s*(?:(?:and|then)\s+)?(?=(?:commit|push|(?:open|create|make|submit|raise|file|draft|send|put)\b.{0,40}?\b(?:pr|mr|request))\b)/giu;
/** More is asked for than one of each: "commit and tag it", "push to both", "commit in small steps". */
const more =
  /[,;&+]\s*[\p{L}\d]|\b(?:and|then|plus|too|as\s+well|tags?|both|two|three|four|several|multiple|commits|chunks|steps|pieces|batches|rest)\b|\b\d+\s+\p{L}+s\b/iu;

/**
 * `none`: the message asks for no delivery. `open`: it does, and one is missing. `made`: all were made, and there may be more to do.
 * `last`: the newest call made the last thing that is asked for.
 */
export type Delivery = "none" | "open" | "made" | "last";

/** `since`: what happened after the message `goal`, oldest first. */
export function readDelivery(goal: string, since: readonly SessionEvent[]): Delivery {
  const said = goal.replace(denied, " ");
  const wanted = deliveries.filter(({ asked }) => asked.test(said));
  if (wanted.length === 0) return "none";
  const ran = readCalls(since)
    .filter(({ failed, result }) => !failed && !isStopped(result?.text ?? ""))
    .map(({ name, call: { args = "" } }) => `${actionText(name)} ${args}`);
  if (!wanted.every(({ done }) => ran.some((one) => done.test(one)))) return "open";
  const last = splitGoal(said).at(-1) ?? said;
  const [lead] = asksDelivery.exec(last) ?? [];
  const isNewest = deliveries.some(({ asked, done }) => asked.test(last) && done.test(ran.at(-1) ?? ""));
  return isNewest && lead !== undefined && !more.test(last.slice(lead.length).replace(joint, " "))
    ? "last"
    : "made";
}
