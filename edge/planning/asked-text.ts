/**
 * What a user's message asks for, without what stands around it: notes that programs put into the user's turn, pasted documents and
 * code, courtesies, marks of lists. The encoder has room for the beginning of a text only, and an agent's own note ("consider the
 * to-do list") reads like a wish of its user. Pure; the time is linear in the text.
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
/** Of a longer message both ends are read. The cost: a message full of tags takes 1 ms for 10,000 characters. */
const mostCharacters = 200_000;

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
const leastWords = 5;

function cutCourtesies(text: string): string {
  const shorter = courtesies.reduce((rest, courtesy) => rest.replace(courtesy, ""), text);
  return (shorter.match(/\S+/g)?.length ?? 0) >= leastWords ? shorter : text;
}

const listed = /^[ \t]{0,32}(?:[-*+•]|\d{1,2}[.)])[ \t]{1,8}(?:\[[ xX]\][ \t]{1,8})?(?=\S)/gm;
const unticked = /^[ \t]{0,32}(?:[-*+][ \t]{1,8})?\[ \]/m;
const ticked = /^[ \t]{0,32}(?:[-*+][ \t]{1,8})?\[[xX]\][^\n]*$/gm;
const heading = /^#{1,6}[ \t]{1,8}(?=\S)/gm;
/** Not the powers of "2**3 and 3**4". */
const bold = /(?<![\p{L}\p{N}*])\*\*(?=\S)([^*\n]{1,200})(?<=\S)\*\*(?![\p{L}\p{N}*])/gu;

/**
 * Without the marks of Markdown: what is ticked off beside open entries is done (ticks alone are a choice), and a number before a
 * line is no sentence.
 */
function cutMarks(text: string): string {
  const rest = unticked.test(text) ? text.replace(ticked, "") : text;
  const marked = rest.match(listed)?.length ?? 0;
  return (marked > 1 ? rest.replace(listed, "") : rest).replace(heading, "").replace(bold, "$1");
}

/**
 * To the rules a line ends at `\n`; `^` of a regular expression also stands behind these. With them each fence may open a block, and
 * none closes one: every open one was followed to the end, half a minute for 200,000 characters.
 */
const otherLineEnds = /\r\n?|[\u2028\u2029]/g;

/** Empty where the message holds none of the user's words. */
export function readAsked(text: string): string {
  const half = mostCharacters / 2;
  const read = text.length <= mostCharacters ? text : `${text.slice(0, half)}\n${text.slice(-half)}`;
  const lines = read.replace(otherLineEnds, "\n");
  return cutCourtesies(cutMarks(readOwnWords(lines)).trim()).trim();
}
