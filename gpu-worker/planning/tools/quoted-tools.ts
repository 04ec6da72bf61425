/** Tools that only a quotation asks for: "play 'Turn off the light'". Pure. */
import { nameWords } from "../../world-model/text-templates.ts";
import { withoutPoliteness, wordsOf } from "../message/goal-text.ts";
import { looks, type NamedTool } from "../session/call-effects.ts";

/** A quotation in quotes of any kind; an apostrophe within a word ends none. */
const quotation =
  /(?<!\S)(?:'([^'\n]+(?:'\p{L}[^'\n]*)*)'|"([^"\n]+)"|[“„]([^“”\n]+)[”“]|‘([^‘\n]+?)’)(?!\p{L})/gu;

/** What a message is to say, without quotation marks: "comment saying that we must not merge it". */
const clause =
  /(?<=\bsaying\s+)(?:that\s+)?(?!(?:yes|no|that|so|goodbye|hello|hi|thanks?)\b\W*$)[^"“”„'‘.!?;,\n]+?(?=\s+and\b|[.!?;,\n]|$)/giu;
/** With these around it, what a quotation asks for is asked for: "Bob's mail says 'cancel the meeting'. Please do that". */
const adopts = /\b(?:do\s+(?:it|that|this|so)|go\s+ahead)\b/iu;
/** With these it may be: not if another tool is asked for. */
const attributes = /\b(?:says?|said|wrote|asks?|asked|wants?)\b/iu;

/** What follows is to be said, whatever it asks for: "say 'lock the door' in the hall". */
const saying =
  /(?:^|[.!?,;]\s+|\band\s+)(?:please\s+)?(?:say|write|tell|text|message|announce|reply|answer|post|shout)\b[^.!?]*$/iu;

/** Names a text of somebody else, and asks for nothing itself: "Ann's message:", "Customer:", "Request from Ann:". */
const heading =
  /^\W*(?:(?:the|an?|new|customers?|clients?|users?)\b|\p{L}+['’]s\s|(?:message|e-?mail|request|note)\s+from\b)[^.!?]*:\W*$/iu;

/** Words before a quotation that say where it is from: "Ann writes:", "I got this mail:". Not "log that he said". */
const source =
  /(?:^|[.!?\n]\s*)(?:(?:(?:i|we)\s+)?(?:just\s+)?(?:got|received)\b|(?:fwd|from|(?:e-?mail|message|letter|note|request)\s+from)\b|(?!\p{L}+\s+(?:that|what|down)\b)(?:\p{L}+['’]?\p{L}*\s+){1,4}(?:writes?|wrote|says?|said|asks?|asked)\b)[^.!?\n"“„'‘]*$/iu;
const minWordsCut = 5;

/**
 * The message without its longer quotations, and without what says where they are from. Undefined if there are none, or one is to be said or
 * to be done.
 */
export function withoutQuotations(text: string): string | undefined {
  let [rest, behind] = ["", 0];
  for (const match of text.matchAll(quotation)) {
    const said = match.slice(1).find((one) => one !== undefined)!;
    if (wordsOf(said).length < minWordsCut) continue;
    const before = text.slice(behind, match.index);
    if (saying.test(before)) return undefined;
    rest += before.replace(source, "");
    behind = match.index + match[0].length;
  }
  const around = rest + text.slice(behind).replace(/^\W+/u, " ");
  return behind === 0 || adopts.test(around) ? undefined : around.trim();
}

/** Shorter words of a name ("to", "on") stand anywhere. */
const minWord = 4;

/**
 * Rows of the tools whose verb begins a quotation and stands nowhere else, if the words around it name another tool; also of those
 * that do something else to the same thing, since with `close_garage` ruled out "announce 'close the garage'" opens it.
 */
export function findQuoted(text: string, tools: readonly NamedTool[]): number[] {
  const quoted = [
    ...[...text.matchAll(quotation)].map((match) => {
      const said = match.slice(1).find((one) => one !== undefined)!;
      const words = wordsOf(withoutPoliteness(said)).slice(0, 1);
      return { said, words, isToSay: saying.test(text.slice(0, match.index)) };
    }),
    ...[...text.matchAll(clause)].map(([said]) => ({ said, words: wordsOf(said), isToSay: true })),
  ];
  // Of more than a word, since a single one may be a state that is asked for: "set it to 'closed'".
  const titles = quoted.filter(({ said }) => /\S\s+\S/u.test(said));
  if (titles.length === 0) return [];
  const inside = new Set(titles.flatMap(({ words }) => words));
  const around = text.replace(quotation, " ").replace(clause, " ");
  const areToSay = titles.every(({ isToSay }) => isToSay);
  if (heading.test(around) || (!areToSay && adopts.test(around))) return [];
  const outside = new Set(wordsOf(around));
  const named = tools.map(({ name }) => nameWords(name).split(" "));
  const isQuoted = named.map(([verb = ""]) => inside.has(verb) && !outside.has(verb));
  const isNamed = (words: string[]) => words.some((word) => word.length >= minWord && outside.has(word));
  const isAsked = ([verb = ""]: string[]) => verb.length >= minWord && outside.has(verb);
  const isOther = attributes.test(around) ? isAsked : isNamed;
  if (!areToSay && !named.some((words, row) => !isQuoted[row] && isOther(words))) return [];
  const thingOf = ([_verb, ...thing]: string[]) => thing.join(" ");
  const things = new Set(named.flatMap((words, row) => (isQuoted[row] ? [thingOf(words)] : [])));
  const isOut = (words: string[], row: number) =>
    isQuoted[row] || (words.length > 1 && things.has(thingOf(words)) && !isNamed(words));
  return [...tools.keys()].filter((row) => isOut(named[row]!, row) && !looks(tools[row]!));
}
