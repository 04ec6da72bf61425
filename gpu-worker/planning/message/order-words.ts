/** What a message says of the order in which its parts are to be done. Pure. */
import { opensSentence, withoutPoliteness } from "./goal-text.ts";

const first = /(?<!\bthe\s+)\bfirst\b|\bbeforehand\b/iu;
const before = /^(?:but\s+|and\s+)?before\s+(?:that|this|you|doing)\b/iu;

/** Whether a part is to be done earlier than it stands: "Refund it, but check the policy first". "The first one" is none. */
export const isDoneBefore = (part: string): boolean => first.test(part) || before.test(part);

/** Whether a part says before what the next one is to be done: "Before paying it, check my balance". What it names is done after that. */
export const opensWithBefore = (parts: readonly string[], at: number): boolean =>
  /^(?:(?:and|but|so|please)[\s,]+)*before\s+(?!(?:that|this|it|then)\W*$)/iu.test(parts[at]!) &&
  parts[at + 1] !== undefined &&
  !opensSentence(parts, at + 1);

/** "Before that, check it": a part by itself, or the beginning of one. */
const beforeThat =
  /^(?:(?:and|but|oh|so)\s+)*before\s+(?:that|this|doing\s+(?:that|this|it|so)|you\s+do)\b\W*/iu;
const withoutBeforeThat = (part: string): string => part.replace(beforeThat, "");

/** "Close the issue, but first comment on it": what stands before a part that begins so is done after it. */
export const beginsWithFirst = (part: string): boolean =>
  /^(?:please\s+)?first\b/iu.test(part) || beforeThat.test(part);

/** "Run the migration, but take the site down first". Not "the oldest one first", which orders things, or "it was here first". */
export const endsWithFirst = (part: string): boolean =>
  /^(?!(?:the|my|our|his|her|their|an?|that|those|these|with|by|in|on|at|from|to|for|i|we|he|she|it|they|you)\s)\p{L}+\s+\S.*\s(?<!\b(?:come|came|comes|coming)\s)first\W*$/iu.test(
    part,
  );

const checks =
  /^(?:make\s+sure|ensure|confirm|ask|check|verify|look|see|read|find|test|search|list|review|compare|inspect)\b/iu;

/** "Delete it, but first make sure that nothing needs it": a later part asks for a check before the work. */
export const checksFirst = (parts: readonly string[]): boolean =>
  parts.some((part, at) => {
    if (at === 0) return false;
    const isFirst = first.test(part) || beforeThat.test(part) || withoutBeforeThat(parts[at - 1]!) === "";
    return isFirst && checks.test(withoutPoliteness(withoutBeforeThat(part)));
  });
