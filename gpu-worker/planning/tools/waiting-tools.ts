/** The tools that must not be the first call for a message, since something is to be looked at or done before them. Pure. */
import { actionVerb, nameWords } from "../../world-model/text-templates.ts";
import { stemsOf } from "../../world-model/tool-ranking.ts";
import { depends, isConditional, words } from "../message/conditions.ts";
import { verbsOf, withoutPoliteness, wordsOf } from "../message/goal-text.ts";
import { beginsWithFirst, checksFirst, endsWithFirst, opensWithBefore } from "../message/order-words.ts";
import type { Message } from "../message/read-message.ts";
import { isRemark } from "../message/remarks.ts";
import { changesByName, lists, looks, makesNew, mayChange, type NamedTool } from "../session/call-effects.ts";
import { actsLater } from "./mute-tools.ts";

/**
 * Rows of the tools that must wait. `isOpening`: the message is a conversation's first. `bestParts`: for each tool, the index of the
 * part most similar to it. If no tool only looks, nothing can be found out before a change, so then only those wait that the message
 * itself puts behind another part ("but first comment on it").
 */
export function findWaiting(
  message: Message,
  bestParts: readonly number[],
  tools: readonly NamedTool[],
  isOpening: boolean,
): number[] {
  const { text, parts, denied, askings } = message;
  const canLook = tools.some(looks);
  if (denied.some(({ isPreview }) => isPreview) || notYet.test(text) || checksFirst(parts))
    return canLook ? findMoreThanDrafts(tools) : [];
  if (canLook && isOnlyLookBefore(parts, askings))
    return findMoreThanDrafts(tools).filter((row) => !setsUp(tools[row]!) && !findsOut(tools[row]!, parts));
  const order = parts.findLastIndex((part, at) => beginsWithFirst(part) || (at > 0 && endsWithFirst(part)));
  const from = parts.findIndex(isConditional);
  const isAfterCondition = (part: number) => from !== -1 && part >= from;
  // "Can we merge 88? If its checks are green, merge it" asks for it behind the condition alone.
  const isLater = ({ name }: NamedTool, at: number) =>
    (isAfterCondition(at) || depends(parts, at)) && wordsOf(parts[at]!).includes(actionVerb(name));
  const isOrder = ({ name }: NamedTool, at: number) =>
    askings[at] === "anything" && wordsOf(parts[at]!).includes(actionVerb(name));
  return [...tools.keys()].filter((row) => {
    const part = bestParts[row]!;
    const said = parts[part]!;
    const changes = mayChange(tools[row]!) || changesByName(tools[row]!) || isOrdered(tools[row]!, said);
    if (changes && part < order) return true;
    if (!canLook || findsOut(tools[row]!, parts)) return false;
    if (isOpening && usesEarlier(message, tools[row]!)) return true;
    if (changes && (takesListed(said, tools[row]!, tools) || isPutOff(tools[row]!, text))) return true;
    if (changes && (opensWithBefore(parts, part) || comesLast(said, tools[row]!))) return true;
    if (changes && isAsked(said) && parts.some((_, at) => at > part && isLater(tools[row]!, at))) return true;
    // "Is 12 still open? If so, close it": `create_issue` is nearest to the question. Not "Do I need a coupon? Just apply it".
    if (changes && isAsked(said) && askings[part] === "answer" && askings.includes("anything"))
      return !parts.some((_, at) => isOrder(tools[row]!, at));
    // With `lock_door` ruled out of "lock the door if it is open" the likeliest tool is `open_blinds`, so tools that move wait, too.
    return (
      (changes || tools[row]!.effect === "move") &&
      (isAfterCondition(part) || (depends(parts, part) && !setsUp(tools[row]!)))
    );
  });
}

const looksAt =
  /^(?:have\s+(?:a|another)\s+look|look\s+(?:at|into|up)|check|see|read|review|inspect|find\s+out|show\s+me|tell\s+me)\b/iu;
/** "Have a look at that PR. If it's ok and green, approve it": all that is asked for before the condition is a look. */
function isOnlyLookBefore(parts: readonly string[], askings: Message["askings"]): boolean {
  const from = parts.findIndex(isConditional);
  return (
    from !== -1 &&
    parts
      .slice(0, from)
      .every((part, at) => askings[at] !== "anything" || looksAt.test(withoutPoliteness(part)))
  );
}

/** What a denial begins with, before its verb. */
const never = String.raw`\b(?:do\s*not|don['’]?t|never)\s+(?:(?:ever|yet)\s+)?`;
/**
 * "Don't send the offer before Ken has signed off": the verb is denied until something has happened. "Don't schedule it before Monday" only
 * says for when.
 */
const putOff = new RegExp(
  String.raw`${never}(?!(?:re)?(?:schedule|book)\b[^.;!?]{0,100}\b(?:before|until|till)\s+(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|next|the\s+\d))(\p{L}+)\b(?=[^.;!?]{0,100}\b(?:before|until|till|unless)\s+(?!(?:\d|noon|midnight)))`,
  "giu",
);
const isPutOff = ({ name }: NamedTool, text: string): boolean =>
  [...text.matchAll(putOff)].some(([, verb]) => actionVerb(name) === verb!.toLowerCase());

/** "Until legal signs off", "before Ana has looked at it": no call brings that about. */
const awaitsPerson = new RegExp(
  String.raw`${never}(\p{L}+)\b(?=[^.;!?]{0,100}\b(?:before|until|till|unless)\s+(?!you\b)[^.;!?,]{1,60}?\b(?:sign(?:s|ed)?\s+(?:it\s+)?off|approv(?:es?|ed)|agree[sd]?|confirm(?:s|ed)?|says?|(?:has|have)\s+(?:seen|looked|read|checked|answered|replied|paid)|reviews?|answers?|replies|pays?|is\s+back|comes?\s+back)\b)`,
  "giu",
);
/** Tools that a message puts off until somebody has agreed: no plan made at once names them at all. */
export const findAwaiting = (text: string, tools: readonly NamedTool[]): number[] => {
  const verbs = [...text.matchAll(awaitsPerson)].map(([, verb]) => verb!.toLowerCase());
  // "Don't book the hotel until they confirm. Book the flight": said once more, the verb is asked for, too.
  const said = wordsOf(text);
  const isPut = (verb: string) => verbs.includes(verb) && said.filter((word) => word === verb).length === 1;
  return [...tools.keys()].filter((row) => isPut(actionVerb(tools[row]!.name)));
};

const isAsked = (part: string): boolean => /\?\W*$/u.test(part);

/** "Create an alert when CPU exceeds 80": is set up before what it waits for. Not "arm the alarm if nobody is home". */
const setsUp = (tool: NamedTool): boolean => makesNew(tool) && actsLater(tool);

/** Whether a part begins with the verb of a tool, of which verbs.json knows no effect: "water the ficus if it is dry". */
const isOrdered = ({ name, effect }: NamedTool, part: string): boolean =>
  effect === undefined && wordsOf(withoutPoliteness(part))[0] === actionVerb(name);

const withPronoun = /^(?:(?:then|please|also)\s+)*(\p{L}+)\s+(?:it|them|those)\b/iu;
/** "Looks good" makes and finds nothing. */
const minWordsOfWork = 3;
/** Begins a part that only names what "it" is: "my blue card, block it", "go to a.txt and delete it", "select 1 from b; run it". */
const namesThing =
  /^(?:\P{L}|(?:one|two|three|four|five|the|that|this|these|those|an?|my|our|your|his|her|their|for|about|regarding|concerning|with|in|on|from|when|now|it|i|we|you|he|she|they|go|select\b.*\sfrom|insert\s+into|update\s+\S+\s+set|delete\s+from)\b|take\s+(?!an?\b))/iu;
/**
 * "Correct the total and push it": what is done with what an earlier part makes or finds is done after it. Not with a word of that part. In
 * a later message "it" may be what the talk is about.
 */
function usesEarlier({ parts, askings }: Message, { name }: NamedTool): boolean {
  const isWork = (part: string, at: number) =>
    askings[at] === "anything" &&
    !isRemark(part) &&
    !namesThing.test(withoutPoliteness(part)) &&
    wordsOf(part).length >= minWordsOfWork;
  return parts.some((part, at) => {
    const verb = withPronoun.exec(part)?.[1]?.toLowerCase();
    if (verb === undefined || (verb !== actionVerb(name) && nameWords(name) !== `git ${verb}`)) return false;
    return parts.some((one, other) => other < at && isWork(one, other) && !wordsOf(one).includes(verb));
  });
}

/** "Fix the typo and push": what hands work in comes after the work. */
const handsOver =
  /^(?!(?:and|but|so|ok|okay|yes|i|we|he|she|it|they|the|my)\b)\S+\s+(?:\S.*\s)?(?:and|then)\s+(?:then\s+)?(commit|push|publish|deploy|merge|release|ship)\b(?:\s+(?:it|them|that|everything|the\s+changes?))?\W*$/iu;
/** "Before merging 12 show me what is in it", without a comma. Not "before you send it send a test". */
const opensBefore =
  /^(?:(?:and|but|so|please)[\s,]+)*before\s+(?:you\s+)?(\p{L}+)\b(?!.*\b\1\b)(?:\s+\S+){4}/iu;
/**
 * "Archive it once you've forwarded it", "close the sprint after moving what is left". Not "call me after lunch", "move it
 * to after training on Monday" or "tell Bo that I call after parking".
 */
const doneAfter =
  /^(\p{L}+)\b(?!.*\bthat\s+(?:i|we|he|she|they)\b).*\s(?:once|after|as\s+soon\s+as|when)\s+(?:you(?:['’]ve|\s+have)\s+(?!(?:done|finished|got|had|time)\b)\p{L}+\b|you(?:['’]re|\s+are)\s+done\s+\p{L}+ing\b|(?!(?:even|morn|spr|train|box|meet|wedd|build)ing\b)\p{L}{3,}ing\s+\S)/iu;
/** Whether the words of a part say that something is to be done before what a tool does. */
function comesLast(part: string, { name }: NamedTool): boolean {
  const said = withoutPoliteness(part);
  const [, verb] = handsOver.exec(said) ?? doneAfter.exec(said) ?? opensBefore.exec(part) ?? [];
  return verb !== undefined && verbsOf(verb).some((one) => nameWords(name).split(" ").includes(one));
}

/** Puts the whole message off, by its last words: "Is there a way to get it back? Don't do it yet". */
const notYet =
  /\b(?:don['’]?t|do\s+not)\s+(?:do|start)\s+(?:it|that|this|anything)\s+(?:just\s+)?(?:yet|for\s+now)(?:\s+(?:though|please|pls|ok|okay))?\W*$/iu;

/** What a check is run by: "run_tests", "lint". Not "cancel_build". */
export const runs = /^(?:(?:run|execute)\b.*\b)?(tests?|lint|builds?)\b(?! and\b)/u;
/** A condition, up to the end of its part or to what depends on it: "once it is deployed run the tests". */
const condition = new RegExp(
  String.raw`\b(?:after|${words.if}|${words.unless}|${words.once})\b(?:(?!\b(?:re-?)?run\b).)*`,
  "iu",
);
/** Whether a tool runs what a condition asks about, and so comes first: "push if the tests pass", "if the build is green, deploy". */
function findsOut({ name }: NamedTool, parts: readonly string[]): boolean {
  const [check] = stemsOf(runs.exec(nameWords(name))?.[1] ?? "");
  return (
    check !== undefined && parts.some((part) => stemsOf(condition.exec(part)?.[0] ?? "").includes(check))
  );
}

const everything = String.raw`\b(?:all|whole|each|every\p{L}*)\b`;
/** "Close all stale issues except 12", "remove everyone who never wrote": not all that there is. */
const limited = new RegExp(
  String.raw`${everything}.*\b(?:except|excluding|apart\s+from|other\s+than|besides|from|before|after|since|by|older|newer|larger|smaller|(?:under|over|below|above)\s+\S?\d|that|which|who|whose)\b`,
  "iu",
);
/** What all of are meant: "every charge", "all the plants", "all (of) my open tickets". Not "all music". */
const allOf = new RegExp(String.raw`${everything}(?:\s+[^\s,.;]+){1,4}`, "iu");
const severalThings = /^e(?:ach|very)|s\b/iu;
const thingsOf = ({ name }: NamedTool): string[] =>
  nameWords(name)
    .split(" ")
    .slice(1)
    .flatMap((word) => stemsOf(word));
const isAbout = (one: NamedTool, other: NamedTool): boolean => {
  const things = new Set(thingsOf(other));
  return thingsOf(one).some((thing) => things.has(thing));
};
/**
 * Whether a part asks for a tool to be used on all of certain things: which ones they are is looked up first, where a tool lists such
 * things. A tool named after several things ("turn_off_lights") may take them at once, unless they are limited.
 */
function takesListed(part: string, tool: NamedTool, tools: readonly NamedTool[]): boolean {
  const [things] = allOf.exec(part) ?? [];
  if (things === undefined || makesNew(tool)) return false;
  const named = new Set(stemsOf(things));
  const isNamed = thingsOf(tool).some((thing) => named.has(thing));
  const isMeant =
    limited.test(part) || (isNamed && !/s$/u.test(nameWords(tool.name)) && severalThings.test(things));
  return isMeant && tools.some((other) => lists(other) && isAbout(other, tool));
}

const drafts = /\b(?:draft|preview|propose|prepare)\b/u;
/** Tools that change more than a draft: in "update the page, but show me the change before you save it" they are not called first. */
const findMoreThanDrafts = (tools: readonly NamedTool[]): number[] =>
  [...tools.keys()].filter(
    (row) =>
      (mayChange(tools[row]!) || changesByName(tools[row]!)) && !drafts.test(nameWords(tools[row]!.name)),
  );
