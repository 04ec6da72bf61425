/**
 * Conditions: their words, parts that depend on one, parts that only say on what another one depends, what a condition waits for, and
 * questions about what would be ("If we book it today, can we cancel later?" asks for neither). Pure.
 */
import { endsSentence, opensSentence } from "./goal-text.ts";

/** The words of conditions, one row for each kind, as sources of patterns. What may stand around them is decided where they are read. */
export const words = {
  /** What holds or does not may be known already: "provided that it is free". Not "in case", which may name a purpose. */
  if: String.raw`if|assuming(?:\s+that)?|provid(?:ed|ing)(?:\s+that)?|(?:as|so)\s+long\s+as`,
  unless: "unless",
  /** What is waited for: "as soon as the tests pass". */
  once: String.raw`once|as\s+soon\s+as|when`,
  /** The other branch. "Nothing else" and "what else" begin none. */
  else: String.raw`otherwise|(?<!\b(?:any|some|every|no)[ -]?(?:thing|one|body|where) |\b(?:what|who|where) )else`,
} as const;

/** Behind "if I" these name a state, which can be looked up: "if I have enough days left, can we book it". */
const state =
  "am|are|was|were(?!\\s+to\\b)|have|haven['’]?t|had|has|can|can['’]?t|could|need|want|like|do|don['’]?t|did|didn['’]?t|will|would|get|got|qualify|may|must|should|still|already|give|tell|come|arrive|stay|meet|bring|show";
/** The speaker does something. */
const ownDeed = String.raw`(?:i|we)\s+(?!(?:${state})\b)\p{L}{2,}\b(?!.*\byou\b)`;
const joined = String.raw`^(?:(?:and|but|so|ok|okay|well|hey|hi|hello|also|quick\s+question)[\s,.!:]+)*`;
/** Words that ask, not the agent for something. */
const asking = String.raw`(?:can|could|will|would|do|does|is|are|should|may)\s+(?!you\b|some(?:one|body)\b|any(?:one|body)\b)`;
const asker = "(?:i|we|it|they|he|she|my|our|the|this|that|there)";

const supposes = new RegExp(String.raw`${joined}(?:${words.if}|once)\s+${ownDeed}`, "iu");
const asks = new RegExp(String.raw`^(?:then\s+)?(?:${asking}|what|how|when|which|why)\b`, "iu");
/** "If I freeze my card will my subscription still go through?": without a comma it is one part. */
const inOne = new RegExp(
  String.raw`${joined}(?:${words.if}|once)\s+${ownDeed}.*\s(?:can|could|will|would|does|is|are)\s+${asker}\b`,
  "iu",
);
/** "Could we still cancel if we reserve now?" */
const behind = new RegExp(String.raw`${joined}${asking}${asker}\b.*\sif\s+${ownDeed}`, "iu");

/** Whether a part supposes a deed of the speaker's and asks what follows from it, or is the one half of such a sentence. */
export function isSupposed(parts: readonly string[], at: number): boolean {
  const part = parts[at]!;
  if (/\bplease\b/iu.test(part)) return false;
  return inOne.test(part) || behind.test(part) || isHalf(parts, at) || isHalf(parts, at - 1);
}

const isHalf = (parts: readonly string[], at: number): boolean =>
  at >= 0 &&
  parts[at + 1] !== undefined &&
  !opensSentence(parts, at + 1) &&
  !endsSentence(parts[at]!) &&
  supposes.test(parts[at]!) &&
  asks.test(parts[at + 1]!) &&
  !/\bplease\b/iu.test(parts[at + 1]!);

const fronting = new RegExp(
  String.raw`^(?:(?:and|but|or|then)\s+)*(?:(?:only|just)\s+)?(?:${words.if}|${words.unless}|${words.once})\s+\S`,
  "iu",
);
/** Behind what depends on it; "if" alone may begin a request there: "look it up, and if not make one". */
const following = new RegExp(
  String.raw`^(?:(?:and|but|or)\s+)*(?:(?:only|just|not)\s+(?:${words.if}|${words.once})|${words.unless})\s+\S`,
  "iu",
);

/**
 * Whether a part is nothing but a condition, which may have to be looked up: "if the customer has confirmed, close it", "book it, but only
 * if it is refundable". `goal`: the text with all parts.
 */
export function isCondition(goal: string, parts: readonly string[], at: number): boolean {
  const part = parts[at]!;
  const isFront =
    fronting.test(part) &&
    parts[at + 1] !== undefined &&
    goal.slice(goal.indexOf(part) + part.length).startsWith(",");
  return isFront || (at > 0 && !opensSentence(parts, at) && following.test(part));
}

const unknown =
  "it|they|he|she|that|there|the|any|all|none|no(?:body|thing)?|every(?:one|thing)|some(?:one|body)";
/** A state of the speaker's that a tool may know: "if I'm free on Monday", "if I have enough days left". Not "if I have to", "if I'm late". */
const ownState = String.raw`(?:['’]ve|\s+have)\s+(?!to\b)|(?:['’](?:m|re)|\s+(?:am|are))\s+(?:free|busy|available|out\s+of|over|under|still|already)\b`;
/** Conditions on a result that is not known yet: "If so, merge it", "If it rains, move the picnic", "unless it is full". */
const conditional = new RegExp(
  String.raw`^(?:(?:and|but|then|only|just|not)\s+)*(?:${words.if}|${words.unless})\s+(?!(?:you|your|(?:i|we)(?!${ownState})|possible|needed|necessary|need|ok|okay|anything)\b)\S|\bif\s+(?:so|yes|not)[,:]?$`,
  "iu",
);
/** "Over 2 % → roll back", "above 5: page me". */
const limit =
  /^(?:if\s+)?(?:over|above|under|below|more\s+than|less\s+than|higher\s+than|lower\s+than|[<>]=?)\s*\S?\d\S*(?:\s+[^\s,:→]+){0,3}?\s*(?:→|[-=]>|:|,|\bthen\b)/iu;
/** Whether a part is or begins with a condition on a result that is not known yet. */
export const isConditional = (part: string): boolean => conditional.test(part) || limit.test(part);

/** The state of a thing: "its soil is dry", "CPU drops below 40". Not of the speaker or the agent. */
const stateOfThing =
  String.raw`(?!(?:you|your|i|we|this|possible|needed|necessary|ok|okay|anything|\d+)\b)(?:[^\s,.;:!?]+\s+){0,5}?` +
  String.raw`(?:[^\s,.;:!?]+['’]s|\S+\s+(?:(?:is|are|has|have|does|do)(?:n['’]?t)?|goes|gets|pass(?:es|ed)?|fail(?:s|ed)?|succeed(?:s|ed)?|drops|falls|rises|exceeds|reaches|comes|looks|works|says|shows|starts|stops|stays|opens|closes|finishes|ends|arrives))\b`;
/** A time, as in "only after 6", is no state that a call has to find out. */
const notAtTime = String.raw`(?!\d|(?:noon|midnight|sunset|sunrise|dark|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)`;
/** Whose state a tool may know, or a person whose answer counts: "if I have enough left", "if Dr. Ray agrees". */
const someone = String.raw`(?:i|we)(?:['’](?:m|re|ve)|\s+(?:(?:still|really|also|already)\s+)?(?:do|don['’]?t|am|are|have|haven['’]?t|run))\b|(?-i:\p{Lu}\p{Ll}+\.?)(?:\s+(?-i:\p{Lu}\p{Ll}+))?\s+(?:is|has|can|agrees|says|wants)`;
const outOrAsleep = String.raw`(?:i|we|he|she|they)(?:(?:['’](?:ve|re|m|s)|\s+(?:have|has|am|are|is))\s+(?:all\s+)?(?:left|gone|out|away|off|asleep|in\s+bed)|\s+(?:leave|leaves|go\s+out|goes\s+out))\b`;
const noMatter = String.raw`(?!\s+(?:is\s+|are\s+)?(?:possible|ok|okay|needed|necessary|fine)\b)`;
/**
 * Conditions in the same part, after what depends on them. Not "tell me if it worked" (a question), "remind me if it is late" (the reminder
 * waits), "even if it is late", "a taxi for when I leave" or "if possible".
 */
const dependents = [
  // "Pay it unless it is over 80".
  String.raw`(${words.unless}|${words.if})\s+(?:${unknown}|${someone}|${stateOfThing})\b${noMatter}`,
  // "Start the vacuum once we've left", "turn the heating down when I leave".
  String.raw`(?:${words.once}|after)\s+${outOrAsleep}`,
  // "Deploy once the tests pass", "run the migration only after you have checked the metrics".
  String.raw`(${words.once})\s+${stateOfThing}`,
  String.raw`only\s+(?:after|${words.once})\s+${notAtTime}`,
  // "Unlock it when Ben arrives, not before", "I want to truncate it at some point, but not today".
  String.raw`(?:but\s+)?not\s+before\W*$`,
  String.raw`(?:at\s+some\s+point|some\s?day|eventually)\b.{0,80}\bnot\s+(?:today|now|yet|right\s+now)\W*$`,
];
const dependent = new RegExp(String.raw`\S\s(?<!\b(?:even|as|what|for)\s)(?:${dependents.join("|")})`, "iu");
/**
 * Before "if" these make it a question or part of what is told, and no condition. In "send the reply if it is ready" the word is a
 * noun, and the condition stays one.
 */
const told =
  /(?<!\b(?:the|an?|my)\s)\b(?:whether|see|check|know|verify|(?:find|figure)\s+out|(?:text|call|message|e?mail|send)\s+(?:me|us)|ask(?:s|ed|ing)?|tell(?:s|ing)?|wonder\p{L}*|sure|notify|alert|remind|warn|ping|reply|answer|say|saying|that\s+(?:i|we|he|she|they))\b/iu;
/** "The export fails when the file is large" tells when something happens. */
const happens =
  /^(?:(?:and|but|so)\s+)*(?:it|they|he|she|there|this|that|users?|people|customers?|(?:the|an?|my|our|your|his|her|its|their|some)\s)(?!.*\b(?:should|must|please|needs?)\b)/iu;
/** "The bug that happens when nobody is logged in". */
const clause = /\b(?:that|which|who|how|why|what|where)\b/iu;
/** What is quoted is only to be written down: "add 'call when they are open' to my list". */
const quotation = /["“«][^"“”«»]{0,300}["”»]/gu;
function isDependent(part: string): boolean {
  const text = part.replace(quotation, '""');
  const found = dependent.exec(text);
  if (found === null) return false;
  const before = text.slice(0, found.index + 1);
  if (found[1]?.toLowerCase() === words.unless) return true;
  return !(told.test(before) || happens.test(before) || (found[2] !== undefined && clause.test(before)));
}

/**
 * Waits for a state of things: "once the latency is back to normal, silence the alert". Not "once done", "once you have it" or "once a
 * month", nor a need: "as soon as I land I need a car".
 */
const awaited = new RegExp(
  String.raw`^(?:(?:and|but|then)\s+)?(?:(?:once|as\s+soon\s+as)\s+(?!(?:you|done|finished|ready|complete|that|this|i['’]?m|an?|every|per|more|again|and)\b)|(?:${words.once}|after)\s+${outOrAsleep}|(?:${words.once})\s+${stateOfThing})(?!.*\b(?:need|tell|let|notify|alert\s+me|remind|warn|ping)\b)`,
  "iu",
);
/** Whether the sentence of a part begins with what is waited for: "as soon as the money is there, pay it". */
const isAwaiting = (parts: readonly string[], at: number): boolean =>
  awaited.test(parts[at]!) || (!opensSentence(parts, at) && isAwaiting(parts, at - 1));

const otherBranch = new RegExp(String.raw`^(?:or\s+)?(?:${words.else})\b`, "iu");

/** Whether a part is the other branch of a condition: "otherwise tell Jo". */
export const isOtherwise = (part: string): boolean => otherBranch.test(part);

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
 * "Roll it back, otherwise leave it": nobody says on what the part before depends, but it does. Not "rename it, otherwise leave everything
 * as it is", which limits what is asked for.
 */
const orNothing = new RegExp(
  String.raw`^(?:or\s+)?(?:${words.else})\s+(?:(?:do\s*n[o'’]t|don['’]?t)\b(?!.*\b(?:any|rest|others?)\p{L}*)|do\s+nothing\b|nothing\b|(?:leave|keep|skip)\s+(?:it|them|that|this)\b(?!\s+as\b))`,
  "iu",
);

/**
 * Whether a part makes what it asks for depend on something: before the first call nobody knows whether it holds. Of 244 tools that
 * conditions ruled out in requests of Apollo and Seal-Tools, none was the right first call.
 */
export const depends = (parts: readonly string[], at: number): boolean =>
  isDependent(parts[at]!) ||
  isAwaiting(parts, at) ||
  otherBranch.test(parts[at]!) ||
  limit.test(parts[at]!) ||
  orNothing.test(parts[at + 1] ?? "") ||
  isTrailing(parts, at + 1);

/** The sentence of a part, up to the other branch, and the parts of it that depend on a condition. */
export function readDependents(parts: readonly string[], at: number): { sentence: string; places: number[] } {
  const begin = [...parts.keys()].findLastIndex((one) => one <= at && opensSentence(parts, one));
  const next = parts.findIndex((part, one) => one > at && (opensSentence(parts, one) || isOtherwise(part)));
  const end = next === -1 ? parts.length : next;
  const sentence = parts.slice(Math.max(0, begin), end).join(" ");
  if (isOtherwise(parts[at]!)) return { sentence, places: [] };
  if (depends(parts, at)) return { sentence, places: [at] };
  return { sentence, places: isConditional(parts[at]!) ? [...parts.keys()].slice(at, end) : [] };
}

const condition = String.raw`\b(?:${words.if}|${words.unless}|${words.once}|after)\s(?:(?!\b(?:${words.else})\b).){0,100}?`;
/** In front of a colour or "broken" that is said of something: not "the red one". */
const being = String.raw`(?<=\b(?:${words.if}|${words.unless}|${words.once}|is|are|was|were|be|been|goes|turns|n['’]t)\s+(?:(?:not|all|still|now|already|no\s+longer)\s+){0,2}|['’](?:s|re)\s+(?:(?:not|all|still|now)\s+)?)`;
/** In front of a noun or of what is to be done: "the failed job", "a season pass", "if he is in, pass it", "mark it as failed". */
const otherwiseMeant = String.raw`(?<!\b(?:an?|the|any|some|no|my|our|your|his|her|as|to|season|boarding)\s|[,;]\s{0,3})`;
const succeeds = new RegExp(
  String.raw`${condition}\b(?:${being}(?:green|(?<bad>red|broken))|${otherwiseMeant}(?:pass(?:e[sd])?|succeed(?:s|ed)?|success(?:ful)?|(?<fails>fail(?:s|ed)?)))\b`,
  "iu",
);
const negated = /\b(?:not|none|nothing|nobody|neither|never|no|0)\b|n['’]t\b/giu;
const unless = new RegExp(String.raw`^${words.unless}\b`, "iu");
const notInState = new RegExp(
  String.raw`${condition}(?:\b(?:has|have|is|are|was|were)(?:\s+not|n['’]t)\s+(?:(?:yet|been|already)\s+)*|(?<=\bunless\b.{0,100})\b(?:has|have|is|are|was|were)\s+(?:(?:been|already)\s+)*)(\p{L}{4,})`,
  "iu",
);

/** What a sentence with a condition waits for: that something passes or fails, or that a thing is not in a state ("not shipped"). */
export function readCondition(text: string): { wants?: "pass" | "fail"; notIn?: string } {
  const sentence = text.replace(/\bnot\s+if\b/giu, words.unless);
  const found = succeeds.exec(sentence);
  if (found) {
    const [said] = found;
    const { bad, fails } = found.groups!;
    const turned = [unless.test(said), (bad ?? fails) !== undefined].filter(Boolean).length;
    return { wants: (turned + (said.match(negated)?.length ?? 0)) % 2 === 0 ? "pass" : "fail" };
  }
  const state = notInState.exec(sentence)?.[1];
  return state === undefined ? {} : { notIn: state.toLowerCase() };
}
