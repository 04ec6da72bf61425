/**
 * A message that only answers the assistant's question ("tomorrow at two" after "When?") asks for nothing by itself. Its goal is the goal
 * of the message before that question, with the answer added. Pure.
 */
import { cutPastedText } from "./asked-text.ts";

/**
 * Questions whose answer adds nothing to the goal: small talk, and offers and choices. Those are answered by yes, no or a name, and the
 * answer may withdraw what was asked for.
 */
const offerOrSmallTalk =
  /^\W*(?:(?:so|ok|okay|great|then|and)[\s,]+)*(?:(?:shall|should|can|could|may)\s+(?:i|we)\s+(?!ask\b)|(?:would|do)\s+you\s+(?:like|want|prefer)\b|how\s+(?:are|is|was|were|do)\b|(?:are|is)\s+(?:that|this|it)\b)|\bwhich\s+(?:one|of)\b|\b(?:any|some)thing\s+else\b|\bwhat\s+else\b|\bhelp\s+(?:you|with)\b/iu;
const months = "jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec";
const numbers = "one|two|three|four|five|six|seven|eight|nine|ten|a|an";
/** Beginnings of an answer. A command ("book it") or a message of its own begins otherwise. */
const answering = new RegExp(
  String.raw`^(?:[#$€£]?\d|(?:the|my|our|his|her|their|it['’]?s|i|i['’]?m|i['’]?ve|we|we['’]?re|from|to|in|on|at|for|with|by|before|after|between|about|around|approx\p{L}*|roughly|maybe|probably|up\s+to|max|under|over|only|mid|early|late|next|this|tomorrow|tmrw|tmw|today|tonight|asap|too|very|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:${months})\p{L}*|${numbers})\b)`,
  "iu",
);
/** An answer with a wish of its own is a request: "my order number is 12, please cancel it". */
const asks =
  /[?]|\b(?:want|need|would|please|pls|can|could|instead|forget|cancel|stop|like\s+to)\b|['’]d\b/iu;
const maxWords = 25;
/** Most questions in a row that are followed back: a chat may have ten thousand messages. */
const maxAnswers = 8;

/** Whether `said` only answers the question with which the assistant's `talk` ends. */
export function answersQuestion(said: string, talk: string): boolean {
  const question = /[^.!?\n]*\?\W*$/u.exec(talk.slice(-400))?.[0];
  if (question === undefined || offerOrSmallTalk.test(question)) return false;
  return answering.test(said) && !asks.test(said) && said.split(/\s+/).length <= maxWords;
}

const closing = /[.!:,;\s]/;

/** Letter by letter: the expression `[.!:,;\s]+$` is tried again at each letter of every run, which took 38 s for 200,000 commas. */
function cutClosing(text: string): string {
  let end = text.length;
  while (end > 0 && closing.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

/** The goal with the answer: "Schedule a call with Nina, tomorrow at two". */
export const withAnswer = (goal: string, answer: string): string =>
  goal.endsWith("?") ? `${goal} ${answer}` : `${cutClosing(goal)}, ${answer}`;

/**
 * What the user's message at `index` of a chat asks for. `asked`: what each message asks for, empty for the assistant's. `talkAt`: what the
 * assistant says at an index. `answersLeft`: how many questions are still followed back.
 */
export function readChatGoal(
  asked: readonly string[],
  talkAt: (index: number) => string,
  index: number,
  answersLeft = maxAnswers,
): string {
  const said = cutPastedText(asked[index] ?? "");
  const earlier = answersLeft === 0 ? -1 : asked.slice(0, index).findLastIndex((text) => text !== "");
  const isAnswer = earlier !== -1 && answersQuestion(said, talkAt(index - 1));
  return isAnswer ? withAnswer(readChatGoal(asked, talkAt, earlier, answersLeft - 1), said) : said;
}
