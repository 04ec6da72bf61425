/** Whether a message only asks questions, so that no tool is to change anything. Read from the words of its parts. Pure. */
import { type Asking, asksOnly } from "./asking.ts";
import { isRemark } from "./remarks.ts";

/**
 * Questions that may be requests as well: "Can the meeting be moved to 4?", "could the list go up tonight". Of 430 authored requests of
 * this form that count as questions, 310 ask for a change, of 3,700 others 47.
 */
const ambiguous =
  /^(?:(?:and|but|so|then)[\s,]+)?(?:(?:can|could)\s+(?!(?:i|you|it\s+be\s+that)\b)|(?:will|would)\s+(?!(?:i|you|it|this|that|there|they)\b(?!.*\bplease\b))|is\s+it\s+possible\b|might\s+i\b)/iu;
/** "Check whether there is a backup" only looks, unless it hints at a request ("check if you can move it"). */
const checking =
  /^(?:(?:and|but|so|please|just|also)[\s,]+)*(?:check|verify|find\s+out)\s+(?:whether|if|what|why|when|where|which|who|how)\b(?!.*\b(?:you|we|i|be)\s+(?:can|could)\b)/iu;
/** A question too short for a part of its own: "You refunded me the wrong amount. What happened?" */
const shortQuestion = /^(.*[.!])\s+(?:what|why|how|when|where|who)\b[^.!?]*\?\W*$/isu;
/** What stands before such a question is a text: "DROP TABLE users; what does this statement do?" */
const aboutText =
  /\bwhat\s+(?:does|would|will)\s+(?:this|that)(?:\s+(?:statement|command|line|query|sql|script|code|snippet|message|mail|sentence))?\s+(?:do|mean)\b/iu;
/** What the parts ask for where it is to be decided whether a message only asks questions: checks do, and remarks ask for little. */
function readQuestions(parts: readonly string[], askings: readonly Asking[]): Asking[] {
  const about = parts.findIndex((part) => aboutText.test(part));
  return askings.map((asking, at) => {
    const part = parts[at]!;
    if (asking !== "anything") return asking;
    const told = shortQuestion.exec(part)?.[1];
    if (at === about || checking.test(part) || (told !== undefined && isRemark(told))) return "answer";
    return at < about || isRemark(part) ? "little" : asking;
  });
}

export const isOnlyQuestions = (parts: readonly string[], askings: readonly Asking[]): boolean =>
  asksOnly(readQuestions(parts, askings)) && !parts.some((part) => ambiguous.test(part));
