/**
 * The parts of a goal: spans of its text that may each ask for something. Pure; training/goal_parts.py is the same rule.
 * Cutting too often costs an encoder run and no more: a model attends to the parts it needs.
 */
import { sentenceEnd } from "../world-model/text-templates.ts";

const sequel = String.raw`\s*,?\s*\b(?:and then|then|after that|afterwards|finally)\b,?\s*`;
const joint = String.raw`\s*[,;:]\s+(?:and\s+|but\s+|or\s+)?|\s+(?:and|but|so)\s+|\s+[-\u2013\u2014]+\s+|\s*&\s*`;
const cut = new RegExp(`${sentenceEnd.source}|${sequel}|${joint}`, "giu");
const leastWords = 3;
/** "book it", "tell me": short, and still a request of its own. */
const shortRequest = /^\S+\s+(?:it|them|this|that|these|those|him|her|me|us|both|everybody|everything)\b/iu;
export const mostParts = 8;
/** Text of a goal beyond this is not searched for parts. */
const mostCharacters = 2_000;
/** `cut` backtracks over every split of a run of spaces: seconds for two thousand. The encoder reads a run as one space. */
const longSpace = /\s{33,}/gu;

const shortenSpaces = (text: string): string =>
  text.replace(longSpace, (run) => (run.includes("\n") ? "\n" : " "));

const countWords = (text: string): number => text.match(/\S+/g)?.length ?? 0;

/** Whether a goal is as short as no part of one is: the networks have hardly learned from such. */
export const isBrief = (goal: string): boolean => countWords(goal.trim()) < leastWords;

/** Whether a goal may ask for several things, parts too short to stand alone counted ("find it and book it"). */
export const mayAskSeveral = (goal: string): boolean => shortenSpaces(goal.trim()).search(cut) > 0;

/** The parts in order; empty for a goal of one part. Of more than eight, the first four and the last four are kept. */
export function splitGoal(text: string): string[] {
  const goal = shortenSpaces(text.slice(0, mostCharacters));
  const spans: { begin: number; end: number }[] = [];
  let begin = 0;
  const keep = (end: number) => {
    const part = goal.slice(begin, end).trim();
    const before = spans.at(-1);
    if (part === "") return;
    // Another part of one or two words says nothing alone: it stays with the one before it ("salt and pepper").
    if (before && countWords(part) < leastWords && !shortRequest.test(part)) before.end = end;
    else spans.push({ begin, end });
  };
  for (const { 0: match, index } of goal.matchAll(cut)) {
    if (match === "") continue;
    keep(index);
    begin = index + match.length;
  }
  keep(goal.length);
  const parts = spans.map((span) => goal.slice(span.begin, span.end).trim());
  if (parts.length < 2) return [];
  const half = mostParts / 2;
  return parts.length <= mostParts ? parts : [...parts.slice(0, half), ...parts.slice(-half)];
}
