/** The tools that must not be the first call for a message, since something is to be looked at or done before them. Pure. */
import { nameWords } from "../../world-model/text-templates.ts";
import { stemsOf } from "../../world-model/tool-ranking.ts";
import { endsSentence, opensSentence } from "../message/goal-text.ts";
import { beginsWithFirst, checksFirst, opensWithBefore } from "../message/order-words.ts";
import type { Message } from "../message/read-message.ts";
import { changesByName, looks, mayChange, type NamedTool } from "../session/call-effects.ts";

/**
 * Rows of the tools that must wait. `parts`: the message itself if it is one part. `bestParts`: for each tool, the index of the part
 * most similar to it. If no tool only looks, nothing can be found out before a change, so then only those wait that the message itself
 * puts behind another part ("but first comment on it").
 */
export function findWaiting(
  { text, parts, denied }: Omit<Message, "askings">,
  bestParts: readonly number[],
  tools: readonly NamedTool[],
): number[] {
  const canLook = tools.some(looks);
  if (denied.some(({ isPreview }) => isPreview) || notYet.test(text) || checksFirst(parts))
    return canLook ? findMoreThanDrafts(tools) : [];
  const order = parts.findLastIndex(beginsWithFirst);
  const from = parts.findIndex((part) => conditional.test(part));
  const isAfterCondition = (part: number) => from !== -1 && part >= from;
  return [...tools.keys()].filter((row) => {
    const part = bestParts[row]!;
    const changes = mayChange(tools[row]!) || changesByName(tools[row]!);
    if (changes && part < order) return true;
    if (!canLook || findsOut(tools[row]!, parts)) return false;
    if (
      changes &&
      !makes.test(nameWords(tools[row]!.name)) &&
      excepts.test(parts[part] ?? "") &&
      tools.some((other) => lists(other) && isAbout(other, tools[row]!))
    )
      return true;
    if (changes && opensWithBefore(parts, part)) return true;
    return (changes || tools[row]!.effect === "move") && (isAfterCondition(part) || depends(parts, part));
  });
}

/** Puts the whole message off, by its last words: "Is there a way to get it back? Don't do it yet". */
const notYet =
  /\b(?:don['’]?t|do\s+not)\s+(?:do|start)\s+(?:it|that|this|anything)\s+(?:just\s+)?(?:yet|for\s+now)(?:\s+(?:though|please|pls|ok|okay))?\W*$/iu;

/** What a check is run by: "run_tests", "lint". Not "cancel_build". */
const runs = /^(?:(?:run|execute)\b.*\b)?(tests?|lint|builds?)\b(?! and\b)/u;
/** A condition, up to the end of its part or to what depends on it: "once it is deployed run the tests". */
const condition = /\b(?:if|unless|once|as\s+soon\s+as|only\s+(?:after|when))\b(?:(?!\b(?:re-?)?run\b).)*/iu;
/** Whether a tool runs what a condition asks about, and so comes first: "push if the tests pass", "if the build is green, deploy". */
function findsOut({ name }: NamedTool, parts: readonly string[]): boolean {
  const [check] = stemsOf(runs.exec(nameWords(name))?.[1] ?? "");
  return (
    check !== undefined && parts.some((part) => stemsOf(condition.exec(part)?.[0] ?? "").includes(check))
  );
}

/** "Close all stale issues except 12": which ones they are is looked up first, where a tool lists such things. */
const excepts =
  /\b(?:all|whole|each|every\p{L}*)\b.*\b(?:except|excluding|apart\s+from|other\s+than|besides)\b/iu;
/** What these make is in no list yet: "set an alarm for every day except Sunday". */
const makes =
  /^(?:create|add|set|send|book|order|make|schedule|post|insert|write|buy|reserve|invite|register|e?mail|message)\b/u;
/** Not what looks at one thing, such as "read_file" and "describe_table". */
const lists = (tool: NamedTool): boolean =>
  looks(tool) && /\b(?:list|search|find|view|show|browse|glob|ls)\b|s$/u.test(nameWords(tool.name));
const thingsOf = ({ name }: NamedTool): string[] =>
  nameWords(name)
    .split(" ")
    .slice(1)
    .flatMap((word) => stemsOf(word));
const isAbout = (one: NamedTool, other: NamedTool): boolean => {
  const things = new Set(thingsOf(other));
  return thingsOf(one).some((thing) => things.has(thing));
};

const drafts = /\b(?:draft|preview|propose|prepare)\b/u;
/** Tools that change more than a draft: in "update the page, but show me the change before you save it" they are not called first. */
const findMoreThanDrafts = (tools: readonly NamedTool[]): number[] =>
  [...tools.keys()].filter((row) => mayChange(tools[row]!) && !drafts.test(nameWords(tools[row]!.name)));

const unknown =
  "it|they|he|she|that|there|the|any|all|none|no(?:body|thing)?|every(?:one|thing)|some(?:one|body)";
/** A state of the speaker's that a tool may know: "if I'm free on Monday", "if I have enough days left". Not "if I have to", "if I'm late". */
const ownState = String.raw`(?:['’]ve|\s+have)\s+(?!to\b)|(?:['’](?:m|re)|\s+(?:am|are))\s+(?:free|busy|available|out\s+of|over|under|still|already)\b`;
/** Conditions on a result that is not known yet: "If so, merge it", "If it rains, move the picnic", "unless it is full". */
const conditional = new RegExp(
  String.raw`^(?:(?:and|but|then|only|just)\s+)*(?:if|unless)\s+(?!(?:you|your|(?:i|we)(?!${ownState})|possible|needed|necessary|need|ok|okay|anything)\b)\S|\bif\s+(?:so|yes|not)[,:]?$`,
  "iu",
);

/**
 * A condition in the same part, after what depends on it: "pay it unless it is over 80", "cancel my order if it has not shipped". Not
 * "tell me if it worked" (a question), "remind me if it is late" (the reminder waits) or "if possible".
 */
const dependent = new RegExp(
  String.raw`\S\s(unless|if)\s+(?:${unknown}|(?:i|we)(?:['’](?:m|re|ve)|\s+(?:do|don['’]?t|am|are|have|haven['’]?t|run))\b|(?-i:\p{Lu}\p{Ll}+\.?)(?:\s+(?-i:\p{Lu}\p{Ll}+))?\s+(?:is|has|can|agrees|says|wants))\b(?!\s+(?:is\s+|are\s+)?(?:possible|ok|okay|needed|necessary|fine)\b)`,
  "iu",
);
/**
 * Before "if" these make it a question or part of what is told, and no condition. In "send the reply if it is ready" the word is a
 * noun, and the condition stays one.
 */
const told =
  /(?<!\b(?:the|an?|my)\s)\b(?:whether|see|check|know|ask(?:s|ed|ing)?|tell(?:s|ing)?|wonder\p{L}*|sure|notify|alert|remind|warn|ping|reply|answer|say|saying|that\s+(?:i|we|he|she|they))\b/iu;
function isDependent(text: string): boolean {
  const found = dependent.exec(text);
  return found !== null && (/unless/iu.test(found[1]!) || !told.test(text.slice(0, found.index + 1)));
}

/**
 * Waits for a state of things: "once the latency is back to normal, silence the alert". Not "once done", "once you have it" or "once a
 * month", nor a need: "as soon as I land I need a car".
 */
const awaited =
  /^(?:(?:and|but|then)\s+)?(?:once|as\s+soon\s+as)\s+(?!(?:you|done|finished|ready|complete|that|this|i['’]?m|an?|every|per|more|again|and)\b)(?!.*\b(?:need|tell|let|notify|alert\s+me|remind|warn|ping)\b)/iu;

/** "Run the migration only after you have checked the metrics". Not with a time ("only after 6"), which no call has to find out. */
const onlyAfter =
  /\S\s+only\s+(?:after|once|when)\s+(?!\d|(?:noon|midnight|sunset|sunrise|dark|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)/iu;
/** "Unlock it when Ben arrives, not before", "I want to truncate it at some point, but not today". */
const later =
  /\S\s+(?:but\s+)?not\s+before\W*$|\b(?:at\s+some\s+point|some\s?day|eventually)\b.{0,80}\bnot\s+(?:today|now|yet|right\s+now)\W*$/iu;
/** Not "remind me to pay only after I am back": the reminder can be set at once. */
const waits = (text: string): boolean => {
  const found = onlyAfter.exec(text) ?? later.exec(text);
  return found !== null && !told.test(text.slice(0, found.index + 1));
};

/** The other branch of a condition: "cancel it if it has not shipped, otherwise return it". */
const otherBranch = /^(?:or\s+)?(?:otherwise|else)\b/iu;

/** "Restart it, or if that fails page me": what is done after the part before, and no condition on it. */
const fallback =
  /^(?:(?:and|but|or)\s+)?if\s+(?:that|this|it)\s+(?:fails|does\s*n(?:['’]?t|ot)\s+(?:help|work))\b,?\s+\p{L}/iu;

/** "Change the address, if it has not been shipped.": a condition at the end of a sentence, on the part before it. */
const isTrailing = (parts: readonly string[], at: number): boolean => {
  const part = parts[at];
  if (part === undefined || opensSentence(parts, at)) return false;
  return conditional.test(part) && !fallback.test(part) && (at === parts.length - 1 || endsSentence(part));
};

/**
 * Whether a part makes what it asks for depend on something: before the first call nobody knows whether it holds. With `lock_door`
 * ruled out of "lock the door if it is open" the likeliest tool is `open_blinds`, so tools that move wait there, too. Of 244 tools that
 * conditions ruled out in requests of Apollo and Seal-Tools, none was the right first call.
 */
const depends = (parts: readonly string[], at: number): boolean => {
  const part = parts[at]!;
  return (
    isDependent(part) ||
    awaited.test(part) ||
    waits(part) ||
    otherBranch.test(part) ||
    isTrailing(parts, at + 1)
  );
};
