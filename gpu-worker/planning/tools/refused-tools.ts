/**
 * Rules tools out by the words of a message. Vectors cannot do that: those of "lock" and "unlock", or of "change it" and "change
 * nothing", are nearly the same. Pure.
 */
import type { PlanRequest } from "../../../shared/planning.ts";
import { actionVerb, nameWords } from "../../world-model/text-templates.ts";
import { stemsOf } from "../../world-model/tool-ranking.ts";
import type { Tool } from "../../world-model/tools.ts";
import { canAskFor, ofQuestions } from "../message/asking.ts";
import type { Denial } from "../message/denials.ts";
import { endsSentence, verbsOf } from "../message/goal-text.ts";
import { type Message, readMessage } from "../message/read-message.ts";
import { readTold } from "../message/telling.ts";
import { event, past, promised } from "../message/told-events.ts";
import { changesByName, findChanges, looks, mayChange, type NamedTool } from "../session/call-effects.ts";
import { findDenied, hasVerb, isInstead, isRenewal } from "./denied-tools.ts";
import { findMute } from "./mute-tools.ts";
import { forbidsChanges, isOnlyQuestions } from "./no-changes.ts";
import { findEnded, findOpposites, findRemoving, rootOf } from "./opposite-tools.ts";
import { findQuoted, withoutQuotations } from "./quoted-tools.ts";
import { findUnmet } from "./unmet-tools.ts";
import { findAwaiting, findWaiting } from "./waiting-tools.ts";

type ReadTool = Pick<Tool, "name" | "effect" | "verb">;

export type Refused = {
  /** The message's parts that say what not to do (denials.ts), or what is to stay as it is ("leave the others alone"). */
  denied: readonly Denial[];
  /** Rows of tools that are ruled out, whatever probability the mixer gives them. */
  always: ReadonlySet<number>;
  /** `always`, and the tools that must not be the first call for the goal. */
  untilCalled: ReadonlySet<number>;
};

type Circumstances = Pick<PlanRequest, "mustCall" | "changesNothing"> & {
  /** Whether the message is a conversation's first. */
  isOpening: boolean;
  /** Of the calls since the message, oldest first. */
  results?: readonly string[];
};

/** Applies all rules, in the order of README.md. `bestParts`: for each tool, the index of the message's part most similar to it. */
export function readRefused(
  { mustCall, changesNothing: isPlanMode, isOpening, results = [] }: Circumstances,
  said: Message,
  bestParts: readonly number[],
  tools: readonly ReadTool[],
): Refused {
  const message = { ...said, denied: [...said.denied, ...readLeftAlone(said)] };
  const named = tools.map(({ name }) => nameWords(name).split(" "));
  const isSameTool = (one: Denial) => named.some((words) => hasVerb(words, one) && isInstead(words, one));
  const denied = message.denied.filter(
    (one) => !one.isReplaced && !one.things && !isSameTool(one) && !isRenewal(one),
  );
  // `tool_choice` takes precedence over the message's words.
  if (mustCall) return { denied, always: new Set(), untilCalled: new Set() };
  const always = new Set([
    ...findOpposites(said.text, tools),
    ...findRemoving(said.text, tools),
    ...findEnded(said.text, tools),
    ...findDenied(message, tools),
    // "Don't add the insurance" may answer a question about an earlier request, which stands.
    ...(isOpening ? findBeside(message, tools) : []),
    ...findTold(message, tools),
    ...findUnwanted(message, tools),
    ...findQuoted(said.text, tools),
    ...findChanging(message, tools),
    ...findBesideTelling(message, tools),
    ...findUnmet(said.parts, tools, results),
    ...(results.length === 0 ? findAwaiting(said.text, tools) : []),
    ...(isPlanMode ? findChanges(tools) : []),
  ]);
  return {
    denied,
    always,
    untilCalled: new Set([...always, ...findWaiting(message, bestParts, tools, isOpening)]),
  };
}

/**
 * Tools that tell nobody, where the message asks for nothing but that somebody is told something: "the invoice is paid, let Bob know".
 * If it asks a question besides, tools that look are kept, since the answer has to be looked up.
 */
function findBesideTelling({ parts, askings }: Message, tools: readonly NamedTool[]): number[] {
  const told = parts.map(readTold);
  const others = askings.flatMap((asking, at) => {
    if (told[at] !== undefined) return [];
    return clauseToCheck.test(parts[at]!) && at + 1 < parts.length && !endsSentence(parts[at]!)
      ? ["answer" as const]
      : [asking];
  });
  if (others.length === parts.length || others.some((asking) => !ofQuestions.has(asking))) return [];
  const isAsked = others.includes("answer");
  const kinds = new Set(told.flatMap((kind) => (isAsked && kind === "statement" ? "other" : (kind ?? []))));
  const mutes = [...kinds].map((kind) => new Set(findMute(tools, kind)));
  return [...tools.keys()].filter((row) => {
    return mutes.every((mute) => mute.has(row)) && !(isAsked && looks(tools[row]!));
  });
}

/** "If the train is late, tell her": to be looked up. Not "if you can move it, tell her", a request. */
const clauseToCheck = /^(?:and\s+|but\s+)?if\s+(?!.*\b(?:you|we|i|be)\s+can\b)/iu;

/** Parts that ask for nothing, though they deny no action: "leave the blinds open". As a whole message that may be a request. */
const readLeftAlone = ({ parts, denied, askings }: Message): Denial[] =>
  parts.flatMap((text, part) =>
    parts.length > 1 && askings[part] === "nothing" && denied.every((one) => one.part !== part)
      ? [{ part, text, verbs: [], isOpen: false }]
      : [],
  );

/**
 * Tools that change something, if the message wants nothing changed. For a message of questions only if a tool that looks may answer it
 * instead, or if all tools commit to something, so that none may.
 */
function findChanging(message: Message, tools: readonly NamedTool[]): number[] {
  const rowsThat = (isOut: (tool: NamedTool) => boolean) =>
    [...tools.keys()].filter((row) => isOut(tools[row]!));
  if (forbidsChanges(message)) return rowsThat(mayChange);
  const mayAnswer = tools.some(looks) || tools.every(({ effect }) => effect === "commit");
  const around = withoutQuotations(message.text);
  const asksOnly = isOnlyQuestions(message) || (around !== undefined && isOnlyQuestions(readMessage(around)));
  return mayAnswer && asksOnly ? rowsThat(changesByName) : [];
}

const canEnd = ({ effect, verb }: ReadTool): boolean => canAskFor("stop", effect ?? "none", verb ?? null);

/**
 * Tools that change something, where a message does no more than deny what a tool does and tell why: "I changed my mind, don't cancel
 * it".
 */
function findBeside({ denied, askings }: Message, tools: readonly ReadTool[]): number[] {
  if (denied.length === 0 || askings.some((asking) => asking !== "nothing" && asking !== "little")) return [];
  const isOfTool = ({ name }: NamedTool) => denied.some((one) => hasVerb(nameWords(name).split(" "), one));
  const isOut = (tool: ReadTool) => changesByName(tool) && !(denied.some(isRenewal) && canEnd(tool));
  return tools.some(isOfTool) ? [...tools.keys()].filter((row) => isOut(tools[row]!)) : [];
}

/**
 * Asks for the same once more, or otherwise, without a verb of its own: "the same for Bob", "another one for Monday", "Ann too", "try
 * again". Not "find me another one". Or tells that it did not succeed.
 */
const onceMore =
  /^(?:(?:and|now|then|please|but)[\s,]+)*(?:(?:do|try|get|send)\b.*\b(?:same|again|too|also|as\s+well|once\s+more)\b|(?:the\s+)?(?:same|another|again|also|once|next|second)\b|(?!\S+\s+(?:it|them|that|this|me|us|him|her)\b)(?:\S+\s+){1,3}(?:too|also|as\s+well|again|instead)\b)|\bfail(?:ed|s)?\b/iu;
/** Verbs of what may have to be done again to the same thing: "I set a limit of 500, raise it", "I completed the task, mark it". */
const adjusts = /^(?:set|change|update|adjust|edit|complete|finish)$/u;
/**
 * What somebody did to a thing of which others keep a copy, as in a calendar, or what the same may answer: "Anna sent the wrong file, let
 * Bob know". Not "Kim shared the notes, add a line to them".
 */
const mirrored =
  /^(?:answer|call|cancel|change|close|delete|drop|end|fail|finish|forward|leave|lose|message|move|pay|postpone|quit|remove|rename|reply|reschedule|resign|send|shift|stop|transfer|update|write)$/u;
const pastForm = new RegExp(`^(?:${past}|\\p{L}+ing)$`, "iu");
const bySpeaker = /\b(?:i|we)\b/iu;
const byMistake = /\bby\s+(?:mistake|accident)\b|\baccidentally\b/iu;

/**
 * Tools for what somebody did: "I paid the gas bill. Did it go through?" rules out `pay_bill`, which has the verb and the thing in
 * its name, and "we deployed at noon" `deploy`. Not if another part has the verb. If other parts name another tool, two more are ruled
 * out: one that names the thing otherwise ("I uploaded the photos. Move them": `upload_file`), and the opposite one ("I locked the
 * door, close the garage": `unlock_door`), unless they may mean that door.
 */
function findTold({ parts, askings }: Message, tools: readonly NamedTool[]): number[] {
  if (parts.length < 2) return [];
  return parts.flatMap((part, at) => {
    const [begun] = event.exec(part) ?? promised.exec(part) ?? [];
    if (askings[at] !== "little" || begun === undefined) return [];
    if (!byMistake.test(part) && parts.some((one, other) => other !== at && onceMore.test(one))) return [];
    // "I lost my card" is what `lost_card` is for.
    const verbs = verbsOf(part.slice(begun.length)).filter((verb) => !pastForm.test(verb));
    const things = new Set(stemsOf(part.slice(begun.length).replace(/^\S+/u, "")));
    const rest = parts.filter((_, other) => other !== at).join(" ");
    const others = new Set(stemsOf(rest));
    if (verbs.some((verb) => others.has(verb) || adjusts.test(verb))) return [];
    const isNamed = (words: readonly string[]) =>
      words.some((word) => word.length >= minThing && others.has(word));
    const namesOther =
      /\banother\b/iu.test(rest) || tools.some(({ name }) => isNamed(nameWords(name).split(" ")));
    // "Anna cancelled lunch, take it out of my calendar": may ask for the same to be done here.
    const mayMirror = verbs.some((verb) => mirrored.test(verb));
    if (!namesOther && !bySpeaker.test(begun) && mayMirror && askings.includes("anything")) return [];
    return [...tools.keys()].filter((row) => {
      const verb = actionVerb(tools[row]!.name);
      const thing = nameWords(tools[row]!.name)
        .split(" ")
        .filter((word) => word !== verb);
      const isIn = (stems: ReadonlySet<string>) =>
        thing.some((word) => stemsOf(word).some((stem) => stems.has(stem)));
      const mayUndo = !namesOther || isIn(others) || pronoun.test(rest) || byMistake.test(part);
      const isVerb = (word: string) => word === verb || (!mayUndo && rootOf(word) === rootOf(verb));
      const isThing =
        thing.length === 0 ||
        isIn(things) ||
        ((namesOther || !mayMirror) && verbs.includes(verb) && !isIn(others));
      return !looks(tools[row]!) && verbs.some(isVerb) && !others.has(verb) && isThing;
    });
  });
}

/**
 * Least letters of a word in a tool's name that may be a thing ("on" is none in turn_on_light), and of its first word ("set" in
 * set_limit).
 */
const [minThing, minWord] = [3, 4];
/** Where, when or for whom the thing is: "the table at Luigi's". */
const place = /\s(?:on|in|at|to|from|for|with)\s.*$/isu;
const pronoun = /\b(?:it|them|this|these|those|(?<!\bthe\s)ones?)\b/iu;

/**
 * Tools named after a thing that only such parts name as do not want it, or want it left alone: after "leave the blinds open" neither
 * `open_blinds` nor `close_blinds`, after "I don't need a refund" not `refund_order`. None if another part may mean the thing ("rename
 * it"), and no tool that alone has a word of another part: "leave the issue open and leave a comment" wants `comment_issue`. If the
 * thing is to end ("I no longer need the hotel"), the tool that ends it is kept, or, without one, what may ("I no longer need the
 * lamp": `set_lamp`).
 */
function findUnwanted({ parts, denied, askings }: Message, tools: readonly ReadTool[]): number[] {
  const isOfThing = ({ part, verbs }: Denial) => verbs.length === 0 || /^without\b/iu.test(parts[part]!);
  const ending = parts.flatMap((text, part) =>
    askings[part] === "stop" ? [{ part, text: text.replace(place, ""), verbs: [] }] : [],
  );
  const things = [...denied.filter(isOfThing), ...ending];
  const others = parts.filter((_, at) => things.every(({ part }) => part !== at));
  if (things.length === 0 || others.some((part) => pronoun.test(part))) return [];
  const stemsIn = (texts: readonly string[]) => new Set(texts.flatMap((text) => stemsOf(text)));
  const unwanted = stemsIn(
    things.map(({ text, verbs }) => (verbs.length === 0 ? text : text.replace(/^\S+/u, ""))),
  );
  const wanted = stemsIn(others);
  const isUnwanted = (word: string, at: number) =>
    word.length >= (at === 0 ? minWord : minThing) &&
    stemsOf(word).some((stem) => unwanted.has(stem) && !wanted.has(stem));
  const named = tools.map(({ name }) => nameWords(name).split(" "));
  const isNamed = (row: number) => named[row]!.some(isUnwanted);
  const isEnded = tools.some((tool, row) => canEnd(tool) && isNamed(row));
  const mayEnd = (tool: ReadTool) =>
    ending.length > 0 && (canEnd(tool) || (!isEnded && adjusts.test(tool.verb ?? "")));
  const isOut = tools.map((tool, row) => !looks(tool) && !mayEnd(tool) && isNamed(row));
  const served = new Set(named.flatMap((words, row) => (isOut[row] ? [] : words)));
  const isNeeded = (word: string) => !served.has(word) && stemsOf(word).some((stem) => wanted.has(stem));
  return [...tools.keys()].filter((row) => isOut[row] && !named[row]!.some(isNeeded));
}
