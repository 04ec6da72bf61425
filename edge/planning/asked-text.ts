/**
 * The part of a user's message that asks for something. `readAsked` removes what programs add (agents' notes, documents, code,
 * list marks) and courtesies. `cutPastedText` removes text that the request is about: a forwarded mail, a quotation, a letter
 * below "please translate this", whose "cancel my order" is addressed to somebody else. Without this the encoder, which reads
 * only the beginning of a text, takes an agent's note ("consider the to-do list") for the user's goal. Pure; the time is linear
 * in the text.
 */
import { cutElements, findElements } from "./elements.ts";
import { readEnds } from "./plan-text.ts";
import { cutProgramOutput } from "./program-output.ts";
import { cutProgramText } from "./program-text.ts";

/** Elements that hold the user's words and nothing else: those of Cursor and Copilot. */
const askedNames = /^user_?(?:query|request)$/i;
/**
 * Elements that hold a request or its material ("summarise the feedback below"): read together with the text around them.
 * Exception: in a message that begins with <task>, which Cline writes, the text after that element is advice to the LLM.
 */
const likelyNames =
  /^(?:user[-_]?(?:message|prompt|input)|task|query|question|request|feedback|instructions?|prompt|goal|requirements?)$/i;
/** Of a longer message only both ends are read: a message full of tags takes 1 ms for 10,000 characters. */
const maxCharacters = 200_000;

const hasWords = (text: string): boolean => /\p{L}\p{M}*\p{L}|[\p{Script=Han}]/u.test(text);

/** Removes code between fences. Text after a fence that is never closed is kept. */
const fenced = /^[ \t]{0,3}(`{3,8}|~{3,8})[^\n]*\n(?:(?![ \t]{0,3}\1)[^\n]*\n)*[ \t]{0,3}\1[^\n]*$/gm;

/** Words that do not say what is asked: "Please do this:" and "Why?" only point to other text. */
const pointing =
  /^(?:please|pls|thanks?|you|your|know|hi|hello|hey|do|does|is|are|run|go|see|follow|look|at|to|in|as|and|with|for|me|my|i|can|could|help|have|need|this|that|it|these|those|the|here|heres|s|below|above|following|attached|code|text|message|file|why|what|how|now|ok)$/i;
const saysWhat = (text: string): boolean =>
  hasWords(text) && (text.match(/\p{L}+/gu) ?? []).some((word) => !pointing.test(word));

/** The user's own words: what is marked as such, else the text outside of elements, code and output, else the whole text. */
function readOwnWords(text: string): string {
  const elements = findElements(text);
  const asked = elements.filter(({ name, opensLine }) => opensLine && askedNames.test(name));
  const [first] = elements;
  if (first?.name === "task" && !hasWords(text.slice(0, first.begin))) asked.push(first);
  const marked = asked.map(({ inner }) => inner).join("\n");
  if (hasWords(marked)) return marked;
  const around = cutElements(
    text,
    elements.filter(({ opensLine }) => opensLine),
    ({ name, inner }) => (likelyNames.test(name) ? `${inner}\n` : ""),
  );
  const bare = around.replace(fenced, "");
  const own = cutProgramOutput(bare);
  return [own, bare].find(saysWhat) ?? text;
}

const courtesies = [
  /^(?:[Hh]i|[Hh]iya|[Hh]ello|[Hh]ey|Greetings|Dear|[Gg]ood (?:morning|afternoon|evening|day))(?:\s+(?:there|all|team|everyone|\p{Lu}[\p{L}.]{0,20})){0,3}\s*[,.!:\n]+\s*/u,
  /^(?:i )?hope\b[^.!?\n]{0,40}\b(?:well|fine|good|great)\b[^.!?\n]{0,20}[.!?\n]+\s*/iu,
  /^how are (?:you|things)\b[^.!?\n]{0,20}[.!?\n]+\s*/iu,
];
/** If fewer words would be left, nothing is cut: "Hello, how is it going" is small talk as a whole. */
const minWordsLeft = 5;

function cutCourtesies(text: string): string {
  const shorter = courtesies.reduce((rest, courtesy) => rest.replace(courtesy, ""), text);
  return (shorter.match(/\S+/g)?.length ?? 0) >= minWordsLeft ? shorter : text;
}

const listed = /^[ \t]{0,32}(?:[-*+•]|\d{1,2}[.)])[ \t]{1,8}(?:\[[ xX]\][ \t]{1,8})?(?=\S)/gm;
const unticked = /^[ \t]{0,32}(?:[-*+][ \t]{1,8})?\[ \]/m;
const ticked = /^[ \t]{0,32}(?:[-*+][ \t]{1,8})?\[[xX]\][^\n]*$/gm;
/** Does not match the powers of "2**3 and 3**4". */
const bold = /(?<![\p{L}\p{N}*])\*\*(?=\S)([^*\n]{1,200})(?<=\S)\*\*(?![\p{L}\p{N}*])/gu;

/**
 * Removes Markdown's marks. Ticked entries are removed too if others are open, since they are done (a list with ticks alone is a
 * choice). A number before a line would otherwise be read as a sentence.
 */
function cutMarks(text: string): string {
  const rest = unticked.test(text) ? text.replace(ticked, "") : text;
  const marked = rest.match(listed)?.length ?? 0;
  return (marked > 1 ? rest.replace(listed, "") : rest).replace(bold, "$1");
}

/**
 * Line ends other than `\n`. The rules above take a line to end at `\n`, but `^` of a regular expression also matches after
 * these. A fence could then open at such a line end and never be closed, and each open fence was followed to the end of the text:
 * half a minute for 200,000 characters.
 */
const otherLineEnds = /\r\n?|[\u2028\u2029]/g;

/** Empty if the message holds none of the user's own words. */
export function readAsked(text: string): string {
  const lines = readEnds(text, maxCharacters).replace(otherLineEnds, "\n");
  return cutAskedAbout(cutCourtesies(cutMarks(readOwnWords(cutProgramText(lines))).trim()).trim());
}

/** What mail programs write above a quoted mail. A thread without addresses needs at least two senders to count. */
const mailAbove = [
  /^[ \t]{0,8}(?:-{2,20}[ \t]{0,4}(?:forwarded|original) message\b|begin forwarded message:)/im,
  /^[ \t]{0,8}on [^\n]{5,120} wrote:[ \t]*$/im,
  /^[ \t]{0,8}from: [^\n]{1,200}@/im,
  /^[ \t]{0,8}from: [^\n]{1,200}\n(?:[^\n]{0,200}\n){0,4}subject: /im,
  /^[ \t]{0,8}from: [^\n]{1,80}\n(?:(?![ \t]{0,8}from: )[^\n]{0,2000}\n){1,60}[ \t]{0,8}from: /im,
];
const quotedLine = /^[ \t]{0,3}>[^\n]*$/gm;

function cutMail(text: string): string {
  const starts = mailAbove.map((above) => text.search(above)).filter((start) => start !== -1);
  return text.slice(0, Math.min(text.length, ...starts)).replace(quotedLine, "");
}

/** Verbs whose object is always a text; verbs whose object may be a text; words that ask about a text. */
const textVerbs =
  "translate|summari[sz]e|tl;?dr|proofread|rewrite|rephrase|reword|paraphrase|shorten|simplify";
const worksOnText = new RegExp(String.raw`\b(?:${textVerbs}|summary)\b`, "i");
const worksOn =
  /\b(?:correct|improve|polish|edit|format|analy[sz]e|classify|extract|turn|convert|review|check|make\s+(?:it|them)\s+(?:more|less|sound|\p{L}+er))\b/iu;
const asksAbout = /\?|\b(?:answer|reply|respond|explain)\b/i;
const aText =
  /\b(?:e-?mails?|mails?|letters?|messages?|texts?|articles?|paragraphs?|passages?|notes|minutes|abstract|essay|posts?|transcript|conversation|thread|report|story|poem|chapter|novel|speech|sentences?|paper|clause|contract|reviews?|comments?|announcement|description|draft|application|log|output)\b/i;
const pointer = /\b(?:this|these|that|following|below|here|here['’]s|attached|according)\b/i;
const maxIntroductionChars = 300;
/** Shorter text below may be the request itself: "Cancel my account." */
const minPasted = 60;

const explainThis = String.raw`explain(?=[^:\n]*\bthis\b)`;
/** Not "fix the wording of the button: it should say Pay now", where what follows says more of what is to be done. */
const correctText = String.raw`(?:fix|check|correct)\s+(?:the|my)\s+(?:grammar|spelling|wording)(?!\s+(?:of|mistakes?|errors?|issues?)\b)`;
/** The user goes on behind the text: "explain this error: … and then fix it", "fix the grammar: … Then translate it". */
const asksMore = String.raw`[.;!?]\s{1,8}(?:and|also|then|how)\b|\b(?:and|then)\s{1,8}[a-z]{1,20}\s{1,8}(?:it|this|them)\b`;
const isTextToEnd = String.raw`(?![^:\n]*:[\s\S]*(?:${asksMore}))`;
/** "Translate to Italian: we would like to order", on one line. Only what always works on a text. */
const inline = new RegExp(
  String.raw`^(?:(?:please|pls|can\s+you|could\s+you)\s+)?(?:${textVerbs}|(?:${explainThis}|${correctText})${isTextToEnd})\b` +
    String.raw`[^:\n]{0,80}:(?=[ \t]+(?:\S+\s+){4})`,
  "i",
);

/** Text between two equal lines of marks, after a line that announces it: "The complaint:", "---". */
const fencedText =
  /:[ \t]*\n+[ \t]*(-{3,20}|"{3}|'{3}|={3,20}|\*{3,20}|#{3,20})[ \t]*\n[\s\S]{1,20000}?\n[ \t]*\1[ \t]*(?=\n|$)/;

/** The user's request continues: "And then lock the door". */
const goesOn = /^\s*(?:and|then|also|after\s+that|afterwards|finally|next|if)\b/i;

/**
 * Keeps only the first line or paragraph if it says what to do with the text below it. "Edit this photo" and "turn on the lights
 * below the stairs" do not say that.
 */
function cutPasted(text: string): string {
  const [before] = inline.exec(text) ?? [];
  if (before !== undefined) return before;
  const end = /:[ \t]*\n|\n[ \t]*\n/.exec(text.slice(0, maxIntroductionChars + 2))?.index;
  if (end === undefined || text.length - end < minPasted) return text;
  const introduction = text.slice(0, end + 1);
  const ofText = aText.test(introduction) || introduction.endsWith(":");
  const works =
    worksOnText.test(introduction) ||
    (ofText && worksOn.test(introduction)) ||
    (aText.test(introduction) && asksAbout.test(introduction));
  const isPasted = works && pointer.test(introduction) && !goesOn.test(text.slice(end));
  return isPasted ? introduction.trim() : text;
}

/** Double quotation marks only: `'` is an apostrophe more often. */
const quotation =
  /(?<=^|[\s(])(?:"(?=\S)[^"]{1,4000}"|[“„](?=\S)[^“”„]{1,4000}[”“]|«[^«»]{1,4000}»)(?=$|[\s).,;:!?])/g;
/** Fewer words are a title or a name. */
const minQuotedWords = 5;

const cutQuoted = (text: string): string =>
  text.replace(quotation, (quoted) =>
    (quoted.match(/\S+/g)?.length ?? 0) < minQuotedWords ? quoted : '"…"',
  );

/** "He writes: … Can you do that?" asks for what is quoted, so nothing is cut. */
const asksForIt =
  /\b(?:do|arrange|handle|follow|execute|run)\s+(?:it|this|that|so|these|those|what|the\s+following)\b/i;
/** Fewer words ask for nothing by themselves: "My boss:". */
const minWordsAsking = 3;

const asks = (text: string): boolean =>
  hasWords(text) &&
  ((text.match(/\p{L}+/gu)?.length ?? 0) >= minWordsAsking ||
    text.includes("?") ||
    worksOnText.test(text) ||
    worksOn.test(text)) &&
  !asksForIt.test(text);

const requests = /\b(?:can|could|will|would)\s+you\b|\bplease\b/i;

/** The last question asks to judge the text before it, not where it comes from or what it means. */
const judges =
  /\b(?:what\s+(?:do|would)\s+you\s+(?:think|say)|thoughts|is\s+(?:this|that|it|he|she)\s+(?:\p{L}+\s+){0,2}\p{L}+|(?:good|bad)\s+idea|should\s+(?:i|we))\s*\?\W*$/iu;

/**
 * Keeps only a question about a mail or a quotation. What the mail asks for, the user does not: 'It says "transfer 900 EUR today". Is this
 * real?'
 */
function cutAskedAbout(text: string): string {
  const [withoutMail, withoutQuoted] = [cutMail(text).trim(), cutQuoted(cutMail(text)).trim()];
  const own = judges.test(withoutQuoted) ? withoutQuoted : withoutMail;
  return own.includes("?") && asks(own) && !requests.test(own) ? own : text;
}

/** Applies each cut, unless the text left by it asks for nothing. */
export function cutPastedText(text: string): string {
  const cutFenced = (part: string) => part.replace(fencedText, ":\n");
  return [cutMail, cutFenced, cutPasted, cutQuoted].reduce((rest, cut) => {
    const shorter = cut(rest).trim();
    return shorter !== rest.trim() && asks(shorter) ? shorter : rest;
  }, text);
}
