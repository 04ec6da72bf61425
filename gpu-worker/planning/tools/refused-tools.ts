/**
 * Rules tools out by the words of a message. Vectors cannot do that: those of "lock" and "unlock", or of "change it" and "change
 * nothing", are nearly the same. Pure.
 */
import type { PlanRequest } from "../../../shared/planning.ts";
import { actionText, nameWords } from "../../world-model/text-templates.ts";
import { stemsOf } from "../../world-model/tool-choice.ts";
import { ofQuestions } from "../message/asking.ts";
import { type Denial, verbsOf } from "../message/denials.ts";
import { wordsOf } from "../message/goal-text.ts";
import { type Message, readMessage } from "../message/read-message.ts";
import { readTold } from "../message/telling.ts";
import { changesByName, findChanges, looks, mayChange, type NamedTool } from "../session/call-effects.ts";
import { findMute } from "./mute-tools.ts";
import { forbidsChanges, isOnlyQuestions } from "./no-changes.ts";
import { findQuoted } from "./quoted-tools.ts";
import { findWaiting } from "./waiting-tools.ts";

export type Refused = {
  /** The message's parts that say what not to do (denials.ts), or what is to stay as it is ("leave the others alone"). */
  denied: readonly Denial[];
  /** Rows of tools that are ruled out, whatever probability the mixer gives them. */
  always: ReadonlySet<number>;
  /** `always`, and the tools that must not be the first call for the goal. */
  untilCalled: ReadonlySet<number>;
};

/** All rules in their order. `bestParts`: for each tool, the index of the message's part most similar to it. */
export function readRefused(
  { mustCall, changesNothing: isPlanMode }: Pick<PlanRequest, "mustCall" | "changesNothing">,
  text: string,
  bestParts: readonly number[],
  tools: readonly NamedTool[],
): Refused {
  const said = readMessage(text);
  const message = { ...said, denied: [...said.denied, ...findSilent(said)] };
  const named = tools.map(({ name }) => nameWords(name).split(" "));
  const isSameTool = (one: Denial) => named.some((words) => hasVerb(words, one) && isInstead(words, one));
  const denied = message.denied.filter((one) => !one.isReplaced && !isSameTool(one));
  // `tool_choice` takes precedence over the message's words.
  if (mustCall) return { denied, always: new Set(), untilCalled: new Set() };
  const always = new Set([
    ...findOpposites(text, tools),
    ...findDenied(message, tools),
    ...findTold(message, tools),
    ...findUnwanted(message, tools),
    ...findQuoted(text, tools),
    ...findChanging(message, tools),
    ...findSilenced(message, tools),
    ...(isPlanMode ? findChanges(tools) : []),
  ]);
  return { denied, always, untilCalled: new Set([...always, ...findWaiting(message, bestParts, tools)]) };
}

/**
 * Tools that tell nobody, where the message asks for nothing but that somebody is told something: "the invoice is paid, let Bob know". What has to
 * be found out first may be looked up.
 */
function findSilenced({ parts, askings }: Message, tools: readonly NamedTool[]): number[] {
  const told = parts.map(readTold);
  const others = askings.filter((_, at) => told[at] === undefined);
  if (others.length === parts.length || others.some((asking) => !ofQuestions.has(asking))) return [];
  const isAsked = others.includes("answer");
  const kinds = new Set(told.flatMap((kind) => (isAsked && kind === "statement" ? "other" : (kind ?? []))));
  const mutes = [...kinds].map((kind) => new Set(findMute(tools, kind)));
  return [...tools.keys()].filter((row) => {
    return mutes.every((mute) => mute.has(row)) && !(isAsked && looks(tools[row]!));
  });
}

/** Parts that ask for nothing, though they deny no action: "leave the blinds open". A message of that alone may ask for it. */
const findSilent = ({ parts, denied, askings }: Message): Denial[] =>
  parts.flatMap((text, part) =>
    parts.length > 1 && askings[part] === "nothing" && denied.every((one) => one.part !== part)
      ? [{ part, text, verbs: [], isOpen: false }]
      : [],
  );

/** Tools that change something, if the message wants nothing changed. A question is answered without them only if another tool can. */
function findChanging(message: Message, tools: readonly NamedTool[]): number[] {
  const rowsThat = (isOut: (tool: NamedTool) => boolean) =>
    [...tools.keys()].filter((row) => isOut(tools[row]!));
  if (forbidsChanges(message)) return rowsThat(mayChange);
  const mayAnswer = tools.some(looks) || tools.every(({ effect }) => effect === "commit");
  return mayAnswer && isOnlyQuestions(message) ? rowsThat(changesByName) : [];
}

/**
 * Tools that change something and have the denied verb in their names: "instead of paying it now, file the invoice" rules out `pay_invoice`.
 * The mixer finds that tool likely for "file the invoice" too, so its probabilities do not rule it out (tool-chances.ts). A tool whose name also
 * has the verb that is wanted instead is kept: "send him the file. No, email it" leaves `send_email`.
 */
const findDenied = ({ denied }: Message, tools: readonly NamedTool[]): number[] => {
  const whole = denied.filter(({ isWhole, isPreview }) => isWhole && !isPreview);
  const isOut = (tool: NamedTool) => {
    const words = nameWords(tool.name).split(" ");
    return mayChange(tool) && whole.some((one) => hasVerb(words, one) && !isInstead(words, one));
  };
  return [...tools.keys()].filter((row) => isOut(tools[row]!));
};
const hasVerb = (words: readonly string[], { verbs }: Denial): boolean =>
  words.some((word) => verbs.includes(word));
const isInstead = (words: readonly string[], { instead }: Denial): boolean =>
  instead !== undefined && words.includes(instead);

/** Begins a part that tells what the speaker did. Its verb follows. */
const did =
  /^(?:(?:and|but|so|well|ok(?:ay)?|hi|hey|sorry)[\s,]+)*(?:i|we)(?:['’]ve|\s+have)?\s+(?:(?:already|just)\s+)?/iu;
/** The same may be to be done once more, or otherwise. */
const onceMore =
  /\b(?:again|another|same|once\s+more|wrong|mistake|instead|fail(?:ed|s)?|second|too|more)\b/iu;
/** What they did may be what is asked for: "I set a limit of 500, raise it", "I completed the task, mark it". */
const adjusts = /^(?:set|change|update|adjust|edit|complete|finish)$/u;
const byMistake = /\bby\s+(?:mistake|accident)\b|\baccidentally\b/iu;

/**
 * Tools for what the speaker did: "I paid the gas bill. Did it go through?" rules out `pay_bill`, named after verb and thing. Not if another part has
 * the verb.
 */
function findTold({ parts, askings }: Message, tools: readonly NamedTool[]): number[] {
  if (parts.length < 2) return [];
  return parts.flatMap((part, at) => {
    const [begun] = did.exec(part) ?? [];
    if (askings[at] !== "little" || begun === undefined) return [];
    if (!byMistake.test(part) && parts.some((one) => onceMore.test(one))) return [];
    const verbs = verbsOf(part.slice(begun.length));
    const things = new Set(stemsOf(part.slice(begun.length).replace(/^\S+/u, "")));
    const others = new Set(stemsOf(parts.filter((_, other) => other !== at).join(" ")));
    if (verbs.some((verb) => others.has(verb) || adjusts.test(verb))) return [];
    return [...tools.keys()].filter((row) => {
      const [verb = ""] = actionText(tools[row]!.name).split(" ");
      const thing = nameWords(tools[row]!.name)
        .split(" ")
        .filter((word) => word !== verb);
      return (
        changesByName(tools[row]!) &&
        verbs.includes(verb) &&
        thing.some((word) => stemsOf(word).some((stem) => things.has(stem)))
      );
    });
  });
}

/** Shorter words of a tool's name are no things: "turn_on_light". */
const minThing = 4;
const pronoun = /\b(?:it|them|this|these|those)\b/iu;

/**
 * Tools for a thing that only parts name which do not want it, or want it left alone: after "leave the blinds open" neither `open_blinds` nor
 * `close_blinds`, after "I don't need a refund" not `refund_order`. None if another part may mean the thing ("rename it"), and no tool that
 * alone has a word of another part: "leave the issue open and leave a comment" wants `comment_issue`.
 */
function findUnwanted({ parts, denied }: Message, tools: readonly NamedTool[]): number[] {
  if (parts.length < 2) return [];
  const isOfThing = ({ part, verbs }: Denial) => verbs.length === 0 || /^without\b/iu.test(parts[part]!);
  const things = denied.filter(isOfThing);
  const others = parts.filter((_, at) => things.every(({ part }) => part !== at));
  if (things.length === 0 || others.some((part) => pronoun.test(part))) return [];
  const stemsIn = (texts: readonly string[]) => new Set(texts.flatMap((text) => stemsOf(text)));
  const unwanted = stemsIn(
    things.map(({ text, verbs }) => (verbs.length === 0 ? text : text.replace(/^\S+/u, ""))),
  );
  const wanted = stemsIn(others);
  const isUnwanted = (word: string) =>
    word.length >= minThing && stemsOf(word).some((stem) => unwanted.has(stem) && !wanted.has(stem));
  const named = tools.map(({ name }) => nameWords(name).split(" "));
  const isOut = tools.map(({ effect }, row) => effect !== "look" && named[row]!.some(isUnwanted));
  const served = new Set(named.flatMap((words, row) => (isOut[row] ? [] : words)));
  const isNeeded = (word: string) => !served.has(word) && stemsOf(word).some((stem) => wanted.has(stem));
  return [...tools.keys()].filter((row) => isOut[row] && !named[row]!.some(isNeeded));
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
function findOpposites(goal: string, tools: readonly NamedTool[]): Set<number> {
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
