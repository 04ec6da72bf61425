/** Requests that the words behind them take back: "Delete the branch. Never mind.", "Sell ten, no, buy ten". Pure. */
import { asksQuestion, tells } from "./asking.ts";
import { partsOf, withoutPoliteness, wordsOf } from "./goal-text.ts";

const forgotten = String.raw`never\s*mind(?:\s+(?:that|it))?|scratch\s+that|forget\s+(?:that|(?:about\s+)?it)`;
const asItWas = String.raw`as\s+(?:it|they)\s+(?:is|are)|be|alone|open|running|on|going|for\s+now`;
/** "Leave it", "keep them as they are", "don't do it". */
const stays = String.raw`(?:leave|keep)\s+(?:it|that|them|him|her)(?:\s+(?:${asItWas}))?|don['’]?t(?:\s+do\s+(?:it|that))?`;
/**
 * Words that take a request back, before a pause or "and". Not "never mind the egg timer" or "don't forget it", nor "I changed my mind",
 * which is a reason to cancel an order.
 */
const marks = new RegExp(
  String.raw`\b(?:${forgotten}|(?<stays>${stays}))(?=\s*(?:[.,;!…–—-]|$|\s+and\b))`,
  "giu",
);
/**
 * What stands between the request and these words. Before "leave it" there must be one that turns the request round (`turning`): "pack
 * it, leave it" is a request.
 */
const opening =
  /[.!?,;…–—-]\s*(?:(?:oh|ah|hmm+|no|wait|sorry|ok(?:ay)?|and|well|(?:on\s+)?second\s+thoughts?|actually)[\s,.…]+){0,4}$/iu;
const turning = /\b(?:no|wait|(?:on\s+)?second\s+thoughts?|actually)[\s,.…]+$/iu;
/** In "send Ann a note saying sorry, never mind" the words are what she is told. */
const quoting = /\b(?:say(?:s|ing)?|tell(?:ing)?|writ(?:e|ing)|reply(?:ing)?|post)\b/iu;
/** Before the mark, so many characters are searched for those words. */
const charactersBefore = 60;
/**
 * What follows corrects the request, which stands otherwise: "Book a table for two. Scratch that, for four", "a flight to Oslo, scratch
 * that, Bergen".
 */
const corrects =
  /^[\s,.!;-]*(?:(?:no|i\s+mean[st]?)\s+)?(?:(?:for|to|at|on|in|with|from|by|until|till|make\s+(?:it|that)|the|an?|my|\d)(?![\p{L}'’])|(?!(?:thanks?|thx|thank|sorry|please|pls|cheers|ok|okay|bye|then|now)\b|\S+\s+(?:it|that|them|him|her|me|us)\b)\p{L}+(?:\s+\p{L}+)?\W*$)/iu;
/**
 * Interrupts a request. It is taken back by a statement or a question behind: "Cancel it – no, sorry, she is coming", "Close the account.
 * Hm, no, wait. Can I keep it?"
 */
const interruptions =
  /[.!,;…–—-]\s*(?:oh[\s,]+|hm+[\s,.…]+)?(?:no[\s,]+(?:wait|sorry|hold\s+on)|(?:wait|sorry|hold\s+on)[\s,]+no)\s*[,.:;!…–—-]+\s*(?=(?<next>[^.!?…\n]{1,120}[?]?))/giu;
/** A part may be the whole message, and is read once for each interruption: the time is the product of both. */
const maxInterruptedChars = 400;
/** A statement that corrects a value: "no, wait, we are five", "sorry, no, it's on Friday". Not "no, wait, it's fine". */
const correctsValue =
  /^(?:it|that|this|there|we|i)(?:['’](?:s|re|m)|\s+(?:is|are|was|were|am))\b.*(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight|tomorrow|\p{L}+day)\b|\s(?-i:\p{Lu})\p{L})/iu;
/** A mark with a capital behind a comma is a title: "Put on Nirvana, Nevermind". */
const titled = /^\p{Lu}/u;

/**
 * After "no" or "sorry" these begin no request that replaces the one before: "no, for four", "sorry, Friday the third", "sorry, forgot
 * the file", "no, give the other one".
 */
const noRequest =
  "for|from|to|at|on|in|into|of|by|with|without|about|and|or|but|not|only|just|all|both|half|the|an?|my|our|i|we|you|he|she|they|it|this|that|there|these|those|" +
  "is|are|was|were|if|when|once|because|since|as|like|than|what|which|who|how|why|where|can|could|would|will|should|do|does|did|don|have|has|had|" +
  "forgot|meant|make|let|keep|leave|give|ignore|excuse|forgive|see|think|know|need|want|got|wrong|double|more|less|maybe|instead|use|try|" +
  // These ask for the same as the verb before, by a general word: "book the Hilton, no, take the Ritz".
  "take|get|turn|switch|pick|choose|forward|" +
  "monday|tuesday|wednesday|thursday|friday|saturday|sunday|next|last";
/** "No", "oh sorry", "wait, no", "no wait", with the punctuation before and after it. */
const turn = String.raw`[.!,;…–—-]\s*(?:oh[\s,]+)?(?:wait[\s,]+)?(?:no|sorry|i\s+meant?)(?:[\s,]+(?:wait|sorry|no))?\s*[,.:…–—-]+\s*`;
/** Begins the object of a verb. */
const object = String.raw`(?:it|them|him|her|an?|the|my|our|your|some|all|\d+)\b`;
/** Said of a further request, which replaces none: "sorry, buy ten as well", "sorry, add the eggs". */
const further = String.raw`[^.!?]*\b(?:too|also|as\s+well|first|again)\b`;
const addition = String.raw`(?<=\bsorry\P{L}+)(?:add|include)\b`;
/** Another request instead of the one before: "sell ten, sorry, buy ten", "Close it. No wait, assign it to Ben". */
const replaced = new RegExp(
  String.raw`${turn}(?:please\s+)?(?!${addition})(?<verb>(?!(?:${noRequest})\b)\p{L}+(?<!ed))\s+(?=${object})(?!${further})`,
  "giu",
);

/** A part that is taken back, with its text from the verb on. */
type TakenBack = {
  part: number;
  text: string;
  /** Where in the goal the words end that take it back. */
  end: number;
  /** The verb of what is wanted instead. */
  instead?: string;
  /** What is wanted instead stands in the same part. */
  isReplaced?: true;
};

/**
 * The requests that later words take back (`marks`) or replace by another (`replaced`), in any order. None before the words if the part
 * only tells something ("the chair I ordered, forget it"), or has but one word.
 */
export function readTakenBack(goal: string, parts: readonly string[]): TakenBack[] {
  let end = 0;
  const begins = parts.map((part) => {
    const begin = Math.max(end, goal.indexOf(part, end));
    end = begin + part.length;
    return begin;
  });
  const requestBefore = (index: number) => {
    const part = begins.findLastIndex((at) => at < index);
    return { part, request: parts[part]?.slice(0, index - begins[part]!).trim() ?? "" };
  };
  const marked = [...goal.matchAll(marks)].flatMap(({ 0: mark, groups, index }): TakenBack[] => {
    const before = goal.slice(Math.max(0, index - charactersBefore), index);
    const [opened] = opening.exec(before) ?? [];
    if (opened === undefined || (groups!.stays !== undefined && !turning.test(before))) return [];
    const { part, request } = requestBefore(index - opened.length + Number(/^[.!?…]/u.test(opened)));
    const text = withoutPoliteness(request);
    const isContent = quoting.test(request) && !/[.!?…]/u.test(opened);
    const isNone =
      isContent ||
      (titled.test(mark) && /[,–—-]\s*$/.test(before)) ||
      text.search(/\s/) === -1 ||
      tells(request) ||
      corrects.test(goal.slice(index + mark.length));
    return isNone ? [] : [{ part, text, end: index + mark.length }];
  });
  const mended = [...goal.matchAll(replaced)].flatMap(({ 0: said, groups, index }): TakenBack[] => {
    const { part, request } = requestBefore(index + Number(/^[.!…]/u.test(said)));
    const text = withoutPoliteness(request);
    const instead = groups!.verb!.toLowerCase();
    const isRequest = text.search(/\s/) !== -1 && !tells(request) && !quoting.test(request);
    if (!isRequest || wordsOf(text)[0] === instead) return [];
    const end = index + said.length;
    const isInPart = end < begins[part]! + parts[part]!.length;
    return [{ part, text, end, instead, ...(isInPart && { isReplaced: true }) }];
  });
  const interrupted = [...goal.matchAll(interruptions)].flatMap(({ 0: said, groups, index }): TakenBack[] => {
    const next = groups!.next!;
    const isReason = tells(next) || asksQuestion(next);
    if (!isReason || corrects.test(next) || correctsValue.test(next)) return [];
    const { part, request } = requestBefore(index + Number(/^[.!…]/u.test(said)));
    if (request.length > maxInterruptedChars) return [];
    const text = withoutPoliteness(request);
    const isNone = text.search(/\s/) === -1 || tells(request) || quoting.test(request);
    return isNone ? [] : [{ part, text, end: index + said.length }];
  });
  return [...marked, ...mended, ...interrupted];
}

/** Words that ask for nothing. */
const courtesy =
  /^(?:\s|\p{P}|\b(?:thanks?|thank\s+you|thx|cheers|sorry|please|ok(?:ay)?|for\s+now|then)\b)*$/iu;

/** Whether nothing is asked for, since the message's only request is taken back: "Close the ticket. No, keep it." */
export function isTakenBack(goal: string): boolean {
  const parts = partsOf(goal);
  return readTakenBack(goal, parts).some(({ part, end, isReplaced }) => {
    return part === 0 && !isReplaced && courtesy.test(goal.slice(end));
  });
}
