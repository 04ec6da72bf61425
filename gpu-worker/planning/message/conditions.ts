/**
 * Conditions: parts that only say on what another one depends, and questions about what would be ("If we book it today, can we cancel
 * later?" asks for neither). Pure.
 */
import { endsSentence, opensSentence } from "./goal-text.ts";

/** Behind "if I" these name a state, which can be looked up: "if I have enough days left, can we book it". */
const state =
  "am|are|was|were(?!\\s+to\\b)|have|haven['’]?t|had|has|can|can['’]?t|could|need|want|like|do|don['’]?t|did|didn['’]?t|will|would|get|got|qualify|may|must|should|still|already|give|tell|come|arrive|stay|meet|bring|show";
/** The speaker does something. */
const ownDeed = String.raw`(?:i|we)\s+(?!(?:${state})\b)\p{L}{2,}\b(?!.*\byou\b)`;
const joined = String.raw`^(?:(?:and|but|so|ok|okay|well|hey|hi|hello|also|quick\s+question)[\s,.!:]+)*`;
/** Words that ask, not the agent for something. */
const asking = String.raw`(?:can|could|will|would|do|does|is|are|should|may)\s+(?!you\b|some(?:one|body)\b|any(?:one|body)\b)`;
const asker = "(?:i|we|it|they|he|she|my|our|the|this|that|there)";

const supposes = new RegExp(String.raw`${joined}(?:if|once|assuming)\s+${ownDeed}`, "iu");
const asks = new RegExp(String.raw`^(?:then\s+)?(?:${asking}|what|how|when|which|why)\b`, "iu");
/** "If I freeze my card will my subscription still go through?": without a comma it is one part. */
const inOne = new RegExp(
  String.raw`${joined}(?:if|once)\s+${ownDeed}.*\s(?:can|could|will|would|does|is|are)\s+${asker}\b`,
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

const conditional = /^(?:(?:and|but|or|then)\s+)*(?:(?:only|just)\s+)?(?:if|unless)\s+\S/iu;
/** Behind what depends on it; "if" alone may begin a request there: "look it up, and if not make one". */
const trailing = /^(?:(?:and|but|or)\s+)*(?:(?:only|just)\s+if|unless)\s+\S/iu;

/**
 * Whether a part is nothing but a condition, which may have to be looked up: "if the customer has confirmed, close it", "book it, but only
 * if it is refundable". `goal`: the text with all parts.
 */
export function isCondition(goal: string, parts: readonly string[], at: number): boolean {
  const part = parts[at]!;
  const isFront =
    conditional.test(part) &&
    parts[at + 1] !== undefined &&
    goal.slice(goal.indexOf(part) + part.length).startsWith(",");
  return isFront || (at > 0 && !opensSentence(parts, at) && trailing.test(part));
}
