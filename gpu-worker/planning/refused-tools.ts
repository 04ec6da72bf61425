/**
 * Rules tools out by the words of a message. Vectors cannot do that: those of "lock" and "unlock", or of "change it" and "change
 * nothing", are nearly the same. Pure.
 */
import type { PlanRequest } from "../../shared/planning.ts";
import type { Effect } from "../world-model/manifest.ts";
import { nameWords } from "../world-model/text-templates.ts";
import { stemsOf } from "../world-model/tool-choice.ts";
import type { Tool } from "../world-model/tools.ts";
import { type Asking, asksOnly, readAskings } from "./asking.ts";
import { type Denial, readDenials } from "./denials.ts";

type Offered = Pick<Tool, "name" | "effect">;

export type Refused = {
  /** The message's parts that say what not to do (denials.ts). */
  denied: readonly Denial[];
  /** Rows of tools that are ruled out, whatever probability the mixer gives them. */
  always: ReadonlySet<number>;
  /** `always`, and the tools that must not be the first call for the goal. */
  untilCalled: ReadonlySet<number>;
};

/** `parts`: empty for a goal of one part. `bestParts`: for each tool, the index of the part most similar to it. */
export type AskedWords = { goal: string; parts: readonly string[]; bestParts: readonly number[] };

export function readRefused(
  { mustCall }: Pick<PlanRequest, "mustCall">,
  { goal, parts, bestParts }: AskedWords,
  tools: readonly Offered[],
): Refused {
  const denied = readDenials(goal);
  // `tool_choice` takes precedence over the message's words.
  if (mustCall) return { denied, always: new Set(), untilCalled: new Set() };
  const always = findOpposites(goal, tools);
  const askings = readAskings(goal, denied);
  const said = parts.length > 0 ? parts : [goal];
  const isQuestion = asksOnly(askings) && !said.some((part) => ambiguous.test(part));
  const isOut = changesNothing(said, askings)
    ? ({ effect }: Offered) => changes(effect)
    : isQuestion && tools.some(looks) && changesByName;
  if (isOut) for (const [row, tool] of tools.entries()) if (isOut(tool)) always.add(row);
  const premature = denied.some(({ isPreview }) => isPreview)
    ? findChanging(tools)
    : findPremature(parts, tools, bestParts);
  return { denied, always, untilCalled: new Set([...always, ...premature]) };
}

const changes = (effect: Effect | undefined): boolean => effect === "write" || effect === "commit";
const looks = ({ effect }: Offered): boolean => effect === "look";

/**
 * Questions that may be requests as well: "Can the meeting be moved to 4?", "could the list go up tonight". Of 430 authored requests of
 * this form that count as questions, 310 ask for a change, of 3,700 others 47.
 */
const ambiguous =
  /^(?:(?:and|but|so|then)[\s,]+)?(?:(?:can|could|will|would)\s+(?!(?:i|you)\b)|is\s+it\s+possible\b|might\s+i\b)/iu;
/** Names of tools whose verb changes something, and which may still serve a question. */
const serves = [
  // What is run may only look: a query, a test, a command.
  /\b(?:run|runs|exec|execute|invoke|perform|process|test|tests|build|export|generate|type|login)\b/u,
  // So may what is sent: "send_request", "http_post", "submit_query".
  /\b(?:api|http|query|sql|search|filter)\b|\b(?:call|send|make|submit)\b.*\b(?:functions?|requests?|commands?|input|keys?)\b/u,
  // What computes or shows: "add" is a sum's, where "add_comment" is none.
  /^add$|\b(?:numbers|aggregate|charts?|plots?|graphs?|print)\b/u,
  // What answers, or lets another answer: "final_answer", "transfer_to_billing_agent".
  /\b(?:answer|reply|respond|response)\b|\bto\b.*\b(?:user|agent|human|support)\b/u,
];
/** Verbs of names that change something too, and that mean nothing of the kind in the checkpoint's table. */
const settles = /^(?:complete|finali[sz]e|finish|mark|resolve|skip)\b/u;
/** "How does the retry work?" is answered without `edit_file`, and also without `send_email`. */
const changesByName = ({ name, effect }: Offered): boolean =>
  (changes(effect) || settles.test(nameWords(name))) && !serves.some((rule) => rule.test(nameWords(name)));

const not = String.raw`(?:do\s*not|don['’]?t|never|without|(?:must|should|may|can)\s*(?:not|n['’]t))`;
const change = "(?:chang(?:e|ing)|modify(?:ing)?|edit(?:ing)?|alter(?:ing)?|touch(?:ing)?|overwrit(?:e|ing))";
/** Parts that forbid every change. "Don't change any tests in src" and "no changes to the API" leave other changes possible. */
const nothing = [
  new RegExp(
    String.raw`\b${not}\s+(?:\p{L}+\s+)?${change}\s+(?:anything|any\s+\p{L}+|(?:the\s+)?code)(?:\s+(?:yet|now|please))?\s*(?:[.,;:!?)]|$)`,
    "iu",
  ),
  /^(?:(?:and|but|so|please|yet)[\s,]+)*no\s+(?:\p{L}+\s+){0,2}(?:changes|edits|modifications)(?:\s+(?:yet|now|please))?\s*(?:[.,;:!?)]|$)/iu,
];
const politeness =
  /^(?:(?:please|pls|can|could|would|will|you|i|we|want|need|like|to|now|then|and|also|so|but|first|just|let['’]?s|go|ahead|help|me|us)[\s,]+)*/iu;

const looking =
  /^(?:explain|tell|show|describe|find|list|summari[sz]e|review|check|analy[sz]e|investigate|inspect|look|read|search|compare|count|diagnose|identify|locate|verify|audit|trace|estimate|suggest|propose|recommend|report|explore|study|walk|figure|understand|know|see|think|outline)\b/iu;
/** Beginnings of parts that continue the part before ("explain the queue, its retries, and the limits") or deny something. */
const noCommand = new RegExp(
  String.raw`^(?:(?:and|but|so|or|please|yet)[\s,]+)*(?:${not}|no|the|its|their|this|that|these|those|any|all|each|how|what|which|who|why|where|when|whether)\b`,
  "iu",
);

/**
 * Whether one part forbids every change and all others only ask to look. Verbs that look are listed, since those that change
 * something are too many: "speed it up without changing any behaviour" begins with a verb that the checkpoint's table does not
 * have.
 */
function changesNothing(parts: readonly string[], askings: readonly Asking[]): boolean {
  if (!parts.some((part) => nothing.some((rule) => rule.test(part)))) return false;
  return parts.every(
    (part, at) =>
      !["anything", "text"].includes(askings[at]!) ||
      noCommand.test(part) ||
      looking.test(part.replace(politeness, "")),
  );
}

const negative = /^(?:un|dis|de)(?=\p{L}{2})/u;
const positive = /^(?:en|in)(?=\p{L}{2})/u;
/**
 * A word without the prefix that makes it the opposite of another: "uninstall" and "install", "disable" and "enable"; "off"
 * becomes "on".
 */
const rootOf = (word: string): string =>
  word === "off" ? "on" : word.replace(negative, "").replace(positive, "");

/** Uses of "off" that ask for nothing: "the wifi is off" (a state), "20% off" (a price), "I am off to work". */
const isOff =
  /(?:\b(?:is|are|am|was|were|be|been|went|goes|got|still|already)|['’](?:s|m|re)|%|\bpercent)\s+off\b|\boff\s+(?:to|of|from|work)\b/giu;

/**
 * Among tools whose names differ only in a word and its opposite ("lock_door", "unlock_door"), those whose word is not in the
 * goal while the opposite is.
 */
function findOpposites(goal: string, tools: readonly Offered[]): Set<number> {
  const wordsOf = (text: string) => text.toLowerCase().match(/\p{L}+/gu) ?? [];
  // Words as written, not stems: "the door is unlocked" asks for neither tool.
  const asked = new Set(wordsOf(goal.replace(isOff, " ")));
  const said = new Set([...wordsOf(goal), ...stemsOf(goal)]);
  const named = tools.map(({ name }) => nameWords(name).split(" "));
  const alike = Map.groupBy(named.keys(), (row) => named[row]!.map(rootOf).join(" "));
  const refused = new Set<number>();
  for (const rows of alike.values()) {
    for (const row of rows) {
      const isOther = (one: number) => {
        const differ = named[one]!.flatMap((word, at) => (word === named[row]![at] ? [] : [at]));
        const [at] = differ;
        if (at === undefined || differ.length > 1) return false;
        const [word, own] = [named[one]![at]!, named[row]![at]!];
        // "On" is too frequent a word to ask for anything ("kill the lights on the terrace").
        const opposite = word === "off" || (word !== "on" && negative.test(word) !== negative.test(own));
        return opposite && asked.has(word) && !said.has(own);
      };
      if (rows.some(isOther)) refused.add(row);
    }
  }
  return refused;
}

/**
 * "Update the page, but show me the change before you save it": the first call changes nothing but a draft, if another tool only
 * looks.
 */
const findChanging = (tools: readonly Offered[]): number[] =>
  tools.some(looks)
    ? [...tools.keys()].filter(
        (row) => changes(tools[row]!.effect) && !drafts.test(nameWords(tools[row]!.name)),
      )
    : [];
const drafts = /\b(?:draft|preview|propose|prepare)\b/u;

/** Conditions on a result that is not known yet: "If so, merge it", "If it rains, move the picnic". */
const conditional =
  /^(?:(?:and|but|then)\s+)?if\s+(?:so|yes|not?|it|they|that|there|the|any|all)\b|\bif\s+(?:so|yes|not)[,:]?$/iu;

/**
 * Rows of the tools that change something and belong to a conditional part or one after it ("check the build; if so, merge it"):
 * before the first call nobody knows whether the condition holds. None if no tool only looks, since then nothing could find out.
 * Of 244 tools that this ruled out in requests of Apollo and Seal-Tools, none was the right first call.
 */
function findPremature(
  parts: readonly string[],
  tools: readonly Offered[],
  bestParts: readonly number[],
): number[] {
  const firstPart = parts.findIndex((part) => conditional.test(part));
  if (firstPart === -1 || !tools.some(looks)) return [];
  return [...tools.keys()].filter((row) => changes(tools[row]!.effect) && bestParts[row]! >= firstPart);
}
