/**
 * The part of a user's message that asks for something. `readAsked` removes what programs and manners add around it: notes of agents,
 * documents and code, greetings, list marks. `cutPastedText` removes the text that the request is about: a forwarded mail, a quotation,
 * a letter below "please translate this", which says "cancel my order" to somebody else. The encoder reads only the beginning of a
 * text, and takes an agent's note ("consider the to-do list") for a wish of the user. Pure; the time is linear in the text.
 */

/** Elements that agents write and users do not: those of Claude Code, Cline, Codex, Copilot and others, and our own (compaction.ts). */
const noteNames =
  /^(?:system[-_]reminder|environment[-_](?:details|context)|conversation_summary|user_?instructions|reminder_?instructions|editor_?context)$/i;
/** Elements that hold the user's words and nothing else: those of Cursor and Copilot. */
const askedNames = /^user_?(?:query|request)$/i;
/**
 * Elements that hold a request or its material ("summarise the feedback below"): read together with the text around them. A message
 * that begins with <task> is Cline's, and what follows the element is advice to the LLM.
 */
const likelyNames =
  /^(?:user[-_]?(?:message|prompt|input)|task|query|question|request|feedback|instructions?|prompt|goal|requirements?)$/i;
const tag = /<(\/?)([a-z][\w-]{0,39})(?:\s[^<>]{0,300})?>/gi;
/** A longer message is read at both ends only: one full of tags takes 1 ms for 10,000 characters. */
const maxCharacters = 200_000;

type Element = { name: string; begin: number; end: number; inner: string; opensLine: boolean };

const hasWords = (text: string): boolean => /\p{L}\p{M}*\p{L}|[\p{Script=Han}]/u.test(text);

/** The tag that closes the one at `place` among the tags of its name. */
function findClose(tags: readonly RegExpExecArray[], place: number): RegExpExecArray | undefined {
  let depth = 0;
  for (let at = place; at < tags.length; at++) {
    depth += tags[at]![1] === "/" ? -1 : 1;
    if (depth === 0) return tags[at];
  }
  return undefined;
}

/** The outermost elements that are closed, in order. */
function findElements(text: string): Element[] {
  const tags = [...text.matchAll(tag)].filter(({ 0: written }) => !written.endsWith("/>"));
  const byName = Map.groupBy(tags, (found) => found[2]!.toLowerCase());
  const passed = new Map<string, number>();
  const unclosed = new Set<string>();
  const elements: Element[] = [];
  for (const open of tags) {
    const name = open[2]!.toLowerCase();
    const begin = open.index;
    const place = passed.get(name) ?? 0;
    passed.set(name, place + 1);
    if (open[1] === "/" || begin < (elements.at(-1)?.end ?? 0) || unclosed.has(name)) continue;
    const close = findClose(byName.get(name)!, place);
    if (!close) {
      unclosed.add(name);
      continue;
    }
    const inner = text.slice(begin + open[0].length, close.index);
    const opensLine = /(?:^|\n)[ \t]{0,32}$/.test(text.slice(Math.max(0, begin - 33), begin));
    elements.push({ name, begin, end: close.index + close[0].length, inner, opensLine });
  }
  return elements;
}

/** The text with `kept` of each element in its place. */
function cutElements(
  text: string,
  elements: readonly Element[],
  kept: (element: Element) => string = () => "",
): string {
  let rest = "";
  let at = 0;
  for (const element of elements) {
    rest += `${text.slice(at, element.begin)}\n${kept(element)}`;
    at = element.end;
  }
  return rest + text.slice(at);
}

/** Code between fences; an open fence is kept. */
const fenced = /^[ \t]{0,3}(`{3,8}|~{3,8})[^\n]*\n(?:(?![ \t]{0,3}\1)[^\n]*\n)*[ \t]{0,3}\1[^\n]*$/gm;

/** "Please do this:" and "Why?" point to what follows them. */
const pointing =
  /^(?:please|pls|thanks?|you|your|know|hi|hello|hey|do|does|is|are|run|go|see|follow|look|at|to|in|as|and|with|for|me|my|i|can|could|help|have|need|this|that|it|these|those|the|here|heres|s|below|above|following|attached|code|text|message|file|why|what|how|now|ok)$/i;
const saysWhat = (text: string): boolean =>
  hasWords(text) && (text.match(/\p{L}+/gu) ?? []).some((word) => !pointing.test(word));

/** A message's own words: what is marked as the user's, else what stands outside of elements and code, else all of it. */
function readOwnWords(text: string): string {
  const elements = findElements(text);
  const notes = elements.filter(({ name }) => noteNames.test(name));
  const asked = elements.filter(({ name, opensLine }) => opensLine && askedNames.test(name));
  const first = elements.find(({ name }) => !noteNames.test(name));
  if (first?.name === "task" && !hasWords(cutElements(text.slice(0, first.begin), notes))) asked.push(first);
  const marked = asked.map(({ inner }) => inner).join("\n");
  if (hasWords(marked)) return marked;
  const around = cutElements(
    text,
    elements.filter((element) => element.opensLine || noteNames.test(element.name)),
    ({ name, inner }) => (likelyNames.test(name) ? `${inner}\n` : ""),
  );
  const bare = around.replace(fenced, "");
  return saysWhat(bare) ? bare : cutElements(text, notes);
}

const courtesies = [
  /^(?:[Hh]i|[Hh]iya|[Hh]ello|[Hh]ey|Greetings|Dear|[Gg]ood (?:morning|afternoon|evening|day))(?:\s+(?:there|all|team|everyone|\p{Lu}[\p{L}.]{0,20})){0,3}\s*[,.!:\n]+\s*/u,
  /^(?:i )?hope\b[^.!?\n]{0,40}\b(?:well|fine|good|great)\b[^.!?\n]{0,20}[.!?\n]+\s*/iu,
  /^how are (?:you|things)\b[^.!?\n]{0,20}[.!?\n]+\s*/iu,
];
/** "Hello, how is it going" is small talk as a whole. */
const minWordsLeft = 5;

function cutCourtesies(text: string): string {
  const shorter = courtesies.reduce((rest, courtesy) => rest.replace(courtesy, ""), text);
  return (shorter.match(/\S+/g)?.length ?? 0) >= minWordsLeft ? shorter : text;
}

const listed = /^[ \t]{0,32}(?:[-*+•]|\d{1,2}[.)])[ \t]{1,8}(?:\[[ xX]\][ \t]{1,8})?(?=\S)/gm;
const unticked = /^[ \t]{0,32}(?:[-*+][ \t]{1,8})?\[ \]/m;
const ticked = /^[ \t]{0,32}(?:[-*+][ \t]{1,8})?\[[xX]\][^\n]*$/gm;
/** Not the powers of "2**3 and 3**4". */
const bold = /(?<![\p{L}\p{N}*])\*\*(?=\S)([^*\n]{1,200})(?<=\S)\*\*(?![\p{L}\p{N}*])/gu;

/**
 * Without the marks of Markdown: what is ticked off beside open entries is done (ticks alone are a choice), and a number before a
 * line is no sentence.
 */
function cutMarks(text: string): string {
  const rest = unticked.test(text) ? text.replace(ticked, "") : text;
  const marked = rest.match(listed)?.length ?? 0;
  return (marked > 1 ? rest.replace(listed, "") : rest).replace(bold, "$1");
}

/**
 * To the rules a line ends at `\n`; `^` of a regular expression also stands behind these. With them each fence may open a block, and
 * none closes one: every open one was followed to the end, half a minute for 200,000 characters.
 */
const otherLineEnds = /\r\n?|[\u2028\u2029]/g;

/** Empty where the message holds none of the user's words. */
export function readAsked(text: string): string {
  const half = maxCharacters / 2;
  const read = text.length <= maxCharacters ? text : `${text.slice(0, half)}\n${text.slice(-half)}`;
  const lines = read.replace(otherLineEnds, "\n");
  return cutCourtesies(cutMarks(readOwnWords(lines)).trim()).trim();
}

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
const maxIntroductionChars = 300;
/** "Cancel my account." is as likely what is asked for. */
const minPasted = 60;

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

/** Apostrophes are none; `'` is not looked at. */
const quotation =
  /(?<=^|[\s(])(?:"(?=\S)[^"]{1,4000}"|[“„](?=\S)[^“”„]{1,4000}[”“]|«[^«»]{1,4000}»)(?=$|[\s).,;:!?])/g;
/** A title or a name is shorter. */
const minQuotedWords = 5;

const cutQuoted = (text: string): string =>
  text.replace(quotation, (quoted) =>
    (quoted.match(/\S+/g)?.length ?? 0) < minQuotedWords ? quoted : '"…"',
  );

/** "He writes: … Can you do that?" asks for what is quoted. */
const asksForIt =
  /\b(?:do|arrange|handle|follow|execute|run)\s+(?:it|this|that|so|these|those|what|the\s+following)\b/i;
/** "Please see below:" and "My boss:" ask for nothing themselves. */
const minWordsAsking = 3;

const asks = (text: string): boolean =>
  hasWords(text) &&
  ((text.match(/\p{L}+/gu)?.length ?? 0) >= minWordsAsking ||
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
