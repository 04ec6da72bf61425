/**
 * What a user asks for, without the text that it is about: a mail that is forwarded, a sentence in quotation marks, a letter below
 * "please translate this". Such a text says "cancel my order" or "call the janitor" to somebody else. Pure; the time is linear.
 */
const hasWords = /\p{L}\p{M}*\p{L}/u;

/** Where the mail below begins: what mail programs write above it. A thread without addresses has at least two senders. */
const mailAbove = [
  /^[ \t]{0,8}(?:-{2,20}[ \t]{0,4}(?:forwarded|original) message\b|begin forwarded message:)/im,
  /^[ \t]{0,8}on [^\n]{5,120} wrote:[ \t]*$/im,
  /^[ \t]{0,8}from: [^\n]{1,200}@/im,
  /^[ \t]{0,8}from: [^\n]{1,200}\n(?:[^\n]{0,200}\n){0,4}subject: /im,
  /^[ \t]{0,8}from: [^\n]{1,80}\n(?:(?![ \t]{0,8}from: )[^\n]{0,2000}\n){1,60}[ \t]{0,8}from: /im,
];
const answered = /^[ \t]{0,3}>[^\n]*$/gm;

function cutMail(text: string): string {
  const starts = mailAbove.map((above) => text.search(above)).filter((start) => start !== -1);
  return text.slice(0, Math.min(text.length, ...starts)).replace(answered, "");
}

/** Verbs that only texts can be the object of; verbs that texts can also be; words that ask about a text. */
const worksOnText =
  /\b(?:translate|summari[sz]e|summary|tl;?dr|proofread|rewrite|rephrase|reword|paraphrase|shorten|simplify)\b/i;
const worksOn =
  /\b(?:correct|improve|polish|edit|format|analy[sz]e|classify|extract|turn|convert|review|check)\b/i;
const asksAbout = /\?|\b(?:answer|reply|respond|explain)\b/i;
const aText =
  /\b(?:e-?mails?|mails?|letters?|messages?|texts?|articles?|paragraphs?|passages?|notes|minutes|abstract|essay|posts?|transcript|conversation|thread|report|story|poem|chapter|novel|speech|sentences?|paper|clause|contract|reviews?|comments?|announcement|description|draft|application|log|output)\b/i;
const pointer = /\b(?:this|these|that|following|below|here|here['’]s|attached|according)\b/i;
const mostIntroduction = 300;
/** "Cancel my account." is as likely what is asked for. */
const leastPasted = 60;

/** "Translate to Italian: we would like to order". These work on texts alone. */
const inline =
  /^(?:please\s+|pls\s+|can\s+you\s+|could\s+you\s+)?(?:translate|summari[sz]e|proofread|rewrite|rephrase|reword|paraphrase|shorten|simplify)\b[^:\n]{0,80}:(?=[ \t]+(?:\S+\s+){4})/i;

/** "And then lock the door": the user goes on. */
const goesOn = /^\s*(?:and|then|also|after\s+that|afterwards|finally|next|if)\b/i;

/**
 * The first line or paragraph, where it says what to do with what follows: "edit this photo" and "turn on the lights below the stairs" do
 * not.
 */
function cutPasted(text: string): string {
  const [before] = inline.exec(text) ?? [];
  if (before !== undefined) return before;
  const end = /:[ \t]*\n|\n[ \t]*\n/.exec(text.slice(0, mostIntroduction + 2))?.index;
  if (end === undefined || text.length - end < leastPasted) return text;
  const introduction = text.slice(0, end + 1);
  const ofText = aText.test(introduction) || introduction.endsWith(":");
  const works =
    worksOnText.test(introduction) ||
    (ofText && worksOn.test(introduction)) ||
    (aText.test(introduction) && asksAbout.test(introduction));
  const isPasted = works && pointer.test(introduction) && !goesOn.test(text.slice(end));
  return isPasted ? introduction.trim() : text;
}

/** Apostrophes are none; `'` is not looked at. */
const quotation =
  /(?<=^|[\s(])(?:"(?=\S)[^"]{1,4000}"|[“„](?=\S)[^“”„]{1,4000}[”“]|«[^«»]{1,4000}»)(?=$|[\s).,;:!?])/g;
/** A title or a name is shorter. */
const leastQuotedWords = 5;

const cutQuoted = (text: string): string =>
  text.replace(quotation, (quoted) =>
    (quoted.match(/\S+/g)?.length ?? 0) < leastQuotedWords ? quoted : '"…"',
  );

/** "He writes: … Can you do that?" asks for what is quoted. */
const asksForIt =
  /\b(?:do|arrange|handle|follow|execute|run)\s+(?:it|this|that|so|these|those|what|the\s+following)\b/i;
/** "Please see below:" and "My boss:" ask for nothing themselves. */
const leastWords = 3;

const asks = (text: string): boolean =>
  hasWords.test(text) &&
  ((text.match(/\p{L}+/gu)?.length ?? 0) >= leastWords ||
    text.includes("?") ||
    worksOnText.test(text) ||
    worksOn.test(text)) &&
  !asksForIt.test(text);

/** Each cut is undone if what it leaves asks for nothing. */
export function cutPastedText(text: string): string {
  return [cutMail, cutPasted, cutQuoted].reduce((rest, cut) => {
    const shorter = cut(rest).trim();
    return shorter !== rest.trim() && asks(shorter) ? shorter : rest;
  }, text);
}
