/** The tools that must not be the first call for a message, since something is to be looked at or done before them. Pure. */
import { actionText, nameWords } from "../world-model/text-templates.ts";
import type { Tool } from "../world-model/tools.ts";
import { isChange } from "./call-effects.ts";
import { withoutPoliteness } from "./goal-text.ts";
import { opensWithBefore } from "./order-steps.ts";

export type Offered = Pick<Tool, "name" | "effect">;

/** `parts`: empty for a goal of one part. `bestParts`: for each tool, the index of the part most similar to it. */
export type AskedWords = { goal: string; parts: readonly string[]; bestParts: readonly number[] };

/** Verbs of names that change something too, and that the checkpoint's table does not have. */
const unlisted = /^(?:drain|cordon|scale|silence|rent|unpublish|rotate|promote|provision)\b/u;
export const mayChange = ({ name, effect }: Offered): boolean =>
  isChange(effect) || (effect === undefined && unlisted.test(actionText(name)));
export const looks = ({ effect }: Offered): boolean => effect === "look";

/**
 * Rows of tools that change something and must wait for the first call. `isPreview`: the message asks to see something before it is done.
 */
export function findWaiting(
  { goal, parts, bestParts }: AskedWords,
  tools: readonly Offered[],
  isPreview: boolean,
): number[] {
  if (isPreview || notYet.test(goal) || parts.some((_, at) => at > 0 && checksFirst(parts, at)))
    return findChanging(tools);
  return [...findPremature({ goal, parts, bestParts }, tools), ...findLater(parts, bestParts, tools)];
}

/** The last words of "Is there a way to get it back? Don't do it yet". */
const notYet =
  /\b(?:don['’]?t|do\s+not)\s+(?:do|start)\s+(?:it|that|this|anything)\s+(?:just\s+)?(?:yet|for\s+now)(?:\s+(?:though|please|pls|ok|okay))?\W*$/iu;

/** "Before that, check it": a part by itself, or the beginning of one. */
const before = /^(?:(?:and|but|oh|so)\s+)*before\s+(?:that|this|doing\s+(?:that|this|it|so)|you\s+do)\b\W*/iu;

/** "Delete it, but first make sure that nothing needs it". "Check the first one" is none. */
const checksFirst = (parts: readonly string[], at: number): boolean =>
  (/(?<!\bthe\s+)\bfirst\b|\bbeforehand\b/iu.test(parts[at]!) ||
    before.test(parts[at]!) ||
    isAlone(parts[at - 1]!)) &&
  /^(?:make\s+sure|ensure|confirm|ask|check|verify|look|see|read|find|test|search|list|review|compare|inspect)\b/iu.test(
    withoutPoliteness(parts[at]!.replace(before, "")),
  );
const isAlone = (part: string): boolean => part.replace(before, "") === "";

/** "Close the issue, but first comment on it": what is asked for before the part that begins so comes after it. */
function findLater(
  parts: readonly string[],
  bestParts: readonly number[],
  tools: readonly Offered[],
): number[] {
  const first = parts.findLastIndex((part) => /^(?:please\s+)?first\b/iu.test(part) || before.test(part));
  const isLater = (part: number) =>
    part < first || (parts.length > 0 && opensWithBefore(parts, part) && tools.some(looks));
  return [...tools.keys()].filter((row) => mayChange(tools[row]!) && isLater(bestParts[row]!));
}

/**
 * "Update the page, but show me the change before you save it": the first call changes nothing but a draft, if another tool only
 * looks.
 */
const findChanging = (tools: readonly Offered[]): number[] =>
  tools.some(looks)
    ? [...tools.keys()].filter((row) => mayChange(tools[row]!) && !drafts.test(nameWords(tools[row]!.name)))
    : [];
const drafts = /\b(?:draft|preview|propose|prepare)\b/u;

const unknown =
  "it|they|he|she|that|there|the|any|all|none|no(?:body|thing)?|every(?:one|thing)|some(?:one|body)";
/** Conditions on a result that is not known yet: "If so, merge it", "If it rains, move the picnic". */
const conditional = new RegExp(
  String.raw`^(?:(?:and|but|then)\s+)?if\s+(?:so|yes|not|${unknown})\b|\bif\s+(?:so|yes|not)[,:]?$`,
  "iu",
);

/**
 * A condition in the same part, after what depends on it: "pay it unless it is over 80", "cancel my order if it has not shipped". Not
 * "tell me if it worked" (a question), "remind me if it is late" (the reminder waits) or "if possible".
 */
const dependent = new RegExp(
  String.raw`\S\s(unless|if)\s+(?:${unknown})\b(?!\s+(?:is\s+|are\s+)?(?:possible|ok|okay|needed|necessary|fine)\b)`,
  "iu",
);
/** Before "if": a question, or what is told. "Send the reply if it is ready" has only its noun. */
const told =
  /(?<!\b(?:the|an?|my)\s)\b(?:whether|see|check|know|ask(?:s|ed|ing)?|tell(?:s|ing)?|wonder\p{L}*|sure|notify|alert|remind|warn|ping|reply|answer|say|saying|that\s+(?:i|we|he|she|they))\b/iu;
function isDependent(text: string): boolean {
  const found = dependent.exec(text);
  return found !== null && (/unless/iu.test(found[1]!) || !told.test(text.slice(0, found.index + 1)));
}

/**
 * Waits for a state of things: "once the latency is back to normal, silence the alert". Not "once done", "once you have it" or "once a month",
 * nor a need: "as soon as I land I need a car".
 */
const awaited =
  /^(?:(?:and|but|then)\s+)?(?:once|as\s+soon\s+as)\s+(?!(?:you|done|finished|ready|complete|that|this|i['’]?m|an?|every|per|more|again|and)\b)(?!.*\b(?:need|tell|let|notify|alert\s+me|remind|warn|ping)\b)/iu;

/** "Run the migration only after you have checked the metrics". A time says when, and what is told may be told at once. */
const onlyAfter =
  /\S\s+only\s+(?:after|once|when)\s+(?!\d|(?:noon|midnight|sunset|sunrise|dark|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)/iu;
/** "Unlock it when Ben arrives, not before", "I want to truncate it at some point, but not today". */
const later =
  /\S\s+(?:but\s+)?not\s+before\W*$|\b(?:at\s+some\s+point|some\s?day|eventually)\b.{0,80}\bnot\s+(?:today|now|yet|right\s+now)\W*$/iu;
const waits = (text: string): boolean => {
  const found = onlyAfter.exec(text) ?? later.exec(text);
  return found !== null && !told.test(text.slice(0, found.index + 1));
};

/** The other branch of a condition: "cancel it if it has not shipped, otherwise return it". */
const otherBranch = /^(?:or\s+)?(?:otherwise|else)\b/iu;

/** "Change the address, if it has not been shipped.": a condition at the end of a sentence, on the part before it. */
const isTrailing = (parts: readonly string[], at: number): boolean => {
  const isEnd = parts[at + 1] === undefined || /[.!?]$/.test(parts[at]!);
  return isEnd && conditional.test(parts[at] ?? "") && !/[.!?]$/.test(parts[at - 1]!);
};

/**
 * Rows of the tools that change something and belong to a conditional part or one after it ("check the build; if so, merge it"), or depend
 * on a condition after them: before the first call nobody knows whether it holds. After "lock the door if it is open" the likeliest other
 * tool is `open_blinds`, so tools that move wait there, too. None if no tool only looks, since then nothing could find out.
 * Of 244 tools that this ruled out in requests of Apollo and Seal-Tools, none was the right first call.
 */
function findPremature({ goal, parts, bestParts }: AskedWords, tools: readonly Offered[]): number[] {
  if (!tools.some(looks)) return [];
  const firstPart = parts.findIndex((part) => conditional.test(part));
  const isLater = (part: number) => firstPart !== -1 && part >= firstPart;
  const depends = (part: number) => {
    const text = parts[part] ?? goal;
    return (
      isDependent(text) ||
      awaited.test(text) ||
      waits(text) ||
      otherBranch.test(text) ||
      isTrailing(parts, part + 1)
    );
  };
  return [...tools.keys()].filter((row) => {
    const part = bestParts[row]!;
    const { effect } = tools[row]!;
    return (
      (mayChange(tools[row]!) && isLater(part)) ||
      ((mayChange(tools[row]!) || effect === "move") && depends(part))
    );
  });
}
