/** Requests that the words behind them take back: "Delete the branch. Never mind." Pure. */
import { tells } from "./asking.ts";
import { withoutPoliteness } from "./goal-text.ts";

/** Not "never mind the egg timer" or "don't forget it", nor "I changed my mind", which is a reason to cancel an order. */
const marks =
  /\b(?:never\s*mind(?:\s+(?:that|it))?|scratch\s+that|forget\s+(?:that|(?:about\s+)?it)|(leave|keep)\s+(?:it|that|them)(?:\s+(?:as\s+(?:it|they)\s+(?:is|are)|be|alone))?)(?=\s*(?:[.,;!…–—-]|$))/giu;
/** What stands between the request and the mark. Before "leave it" a word must say that something is taken back: "pack it, leave it" is a request. */
const opening =
  /[.!?,;…–—-]\s*(?:(?:oh|ah|hmm+|no|wait|sorry|ok(?:ay)?|and|well|(?:on\s+)?second\s+thoughts?|actually)[\s,.…]+){0,4}$/iu;
const turning = /\b(?:no|wait|(?:on\s+)?second\s+thoughts?|actually)[\s,.…]+$/iu;
/** "Send Ann a note saying sorry, never mind": what she is told. */
const quoting = /\b(?:say(?:s|ing)?|tell(?:ing)?|writ(?:e|ing)|reply(?:ing)?|post)\b/iu;
/** As far as those words reach. */
const charactersBefore = 60;
/** Only mends the request: "Book a table for two. Scratch that, for four", "a flight to Oslo, scratch that, Bergen". */
const corrects =
  /^[\s,.!;-]*(?:(?:no|i\s+mean[st]?)\s+)?(?:(?:for|to|at|on|in|with|from|by|until|till|make\s+(?:it|that)|the|an?|my|\d)(?![\p{L}'’])|(?!(?:thanks?|thx|thank|sorry|please|pls|cheers|ok|okay|bye|then|now)\b|\S+\s+(?:it|that|them|him|her|me|us)\b)\p{L}+(?:\s+\p{L}+)?\W*$)/iu;
/** A title: "Put on Nirvana, Nevermind". */
const titled = /^\p{Lu}/u;

/** The parts that are taken back, with their text from the verb on. What only tells is no request: "the chair I ordered, forget it". */
export function readTakenBack(goal: string, parts: readonly string[]): { part: number; text: string }[] {
  let end = 0;
  const begins = parts.map((part) => {
    const begin = Math.max(end, goal.indexOf(part, end));
    end = begin + part.length;
    return begin;
  });
  return [...goal.matchAll(marks)].flatMap(({ 0: mark, 1: stays, index }) => {
    const before = goal.slice(Math.max(0, index - charactersBefore), index);
    if (!opening.test(before) || (stays !== undefined && !turning.test(before))) return [];
    const part = begins.findLastIndex((at) => at < index);
    const request = parts[part]?.slice(0, index - begins[part]!).trim() ?? "";
    const text = withoutPoliteness(request);
    const isContent = quoting.test(request) && !/[.!?…]/u.test(opening.exec(before)![0]);
    const isNone =
      isContent ||
      (titled.test(mark) && /[,–—-]\s*$/.test(before)) ||
      text.search(/\s/) === -1 ||
      tells(request) ||
      corrects.test(goal.slice(index + mark.length));
    return isNone ? [] : [{ part, text }];
  });
}
