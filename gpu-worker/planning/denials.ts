/**
 * What a goal says not to do ("do not send it yet"). The decoder, the library and the readers take a denied action for a wished one, since
 * their vectors hardly differ. Pure.
 */
import { splitGoal } from "./goal-parts.ts";

/** "I don't want to cancel it", "we are not looking to buy anything". */
const unwished =
  /(?:i|we)\s+(?:do\s*not|don['’]?t)\s+(?:want|wish|need|plan|intend|mean)\s+(?:you\s+)?to|(?:i['’]?m|i\s+am|we['’]?re|we\s+are)\s+not\s+(?:looking|trying|going|planning|asking|here)\s+(?:(?:for\s+)?you\s+)?to/;
const denial = new RegExp(
  String.raw`^(?:(?:and|but|so|please|pls|just|yet)[\s,]+)*(?:do\s*not|don['’]?t|never|you\s+(?:must|should|may|can)\s*(?:not|n['’]t)|${unwished.source})\s+(?:(?:yet|ever|even|actually|please)\s+)?`,
  "iu",
);
/**
 * These deny no action ("don't forget to call", "never mind"), or ask for the opposite one ("don't lose my changes", "don't leave me
 * signed in").
 */
const idiom =
  /^(?:forget|hesitate|worry|mind|know|have|want|need|think|like|care|be|fail|miss|let|just|only|stop|understand|see|look|remember|wait|feel|expect|trust|give|leave|lose|make|break|go|get|keep|take|put|throw|tell|show|wake|waste|do|use|hang|skip|ignore|delay|exceed|sound|believe|neglect|overlook|disturb)\b/iu;
/** "Don't send the paper any more": to be stopped. */
const standing = /\b(?:any\s?more|any\s+longer|again)\b/iu;
/** What depends on something may still have to be done. */
const condition = /\b(?:if|unless|otherwise|else)\b/iu;
const exception = /\b(?:except|besides|apart|other\s+than)\b/iu;
/** "Don't deliver before noon", "don't pay more than 300" say how it is to be done; "not before I have seen it" says not now. */
const bound =
  /\b(?:more\s+than|less\s+than|too)\b|\b(?:before|after|until|till|without)\b(?!\s+(?:i|me|my|we|asking|approval)\b)/iu;
/** "Don't send it to Bob, just to Ana": to be done, otherwise. */
const otherwise = /^(?:just|only|but|instead|rather)\s+(?:to|for|with|in|on|at|by|from)\b/iu;

/** "Never been there", "never heard back" tell what was. */
const telling =
  /^never\s+(?:\p{L}+ed|been|made|got|gotten|had|seen|saw|heard|told|said|found|came|went|took|gave|did|was|were)\b/iu;
const opensSentence = (parts: readonly string[], place: number): boolean =>
  place === 0 || /[.!?]["'”’)]?$/.test(parts[place - 1]!);

/** "Send it yet", "book anything": whatever the verb can be done to. */
const openObject =
  /^\p{L}+(?:\s+(?:it|them|this|that|these|those|him|her|any|anything|anybody|anyone|one|yet|now)\b|\W*$)/iu;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

/**
 * `place`: of the part that says it; 0 in a goal of one part. `text`: the part without its denial. `isOpen`: whether all is denied
 * that its verb can mean.
 */
export type Denial = { place: number; text: string; isOpen: boolean };

/**
 * The denied parts of a goal, without their denial ("send it yet"). None where the goal states a condition, or where another part
 * asks for what is denied ("never call my ex, call my mum").
 */
export function readDenials(goal: string): Denial[] {
  const divided = splitGoal(goal);
  const parts = divided.length > 0 ? divided : [goal.trim()];
  if (parts.some((part) => condition.test(part))) return [];
  const found = parts.flatMap((part, place) => {
    const [said] = denial.exec(part) ?? [];
    const text = said === undefined ? "" : part.slice(said.length);
    // "I drive all week and never write down a kilometre": told of the speaker.
    const tells = /^never/i.test(said ?? "") && (telling.test(part) || !opensSentence(parts, place));
    if (text === "" || tells || otherwise.test(parts[place + 1] ?? "")) return [];
    if ([idiom, standing, exception, bound].some((rule) => rule.test(text))) return [];
    // "Don't buy the red one. Buy blue."
    const [verb, ...others] = wordsOf(text);
    if (verb === undefined || others.includes(verb)) return [];
    return [{ place, text, isOpen: openObject.test(text) }];
  });
  const denied = new Set(found.map(({ place }) => place));
  const asked = new Set(parts.flatMap((part, place) => (denied.has(place) ? [] : wordsOf(part))));
  return found.filter(({ text }) => !asked.has(wordsOf(text)[0]!));
}
