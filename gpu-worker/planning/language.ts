/**
 * Whether a goal is in English, all that the encoder has learned. Of 52 everyday goals in 22 other languages every plan over the 903 had a
 * confidence of .5 or more, and two were right; over tools 10 were that sure and 4 right, and of 42 lists of likely tools 15 held the
 * right one. Pure.
 */
import { splitCase } from "../world-model/lexicon.ts";

/** What the probabilities of such a plan are multiplied by: about what was right of what they said. */
export const foreignTrust = { actions: 0.1, tools: 0.6 };

/** Share of words in the encoder's vocabulary: English goals have .8 on average, .5 with many names or misspelt words. */
const leastKnown = 0.5;
/** The same where English function words are in it, at least as many as of other languages, and where those are more. */
const leastKnownWith = { english: 0.3, foreign: 0.8 };
/** "Call Oluwaseun Adeyemi": of so few words two may be names. */
const leastWords = 4;
const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));
const englishWords = setOf(
  "the to for and my you your it this that with from what how which have has please can could would need want when where who not are is all at on of i me its do did pls plz",
);
/** With which commands begin whose other words are names or terms ("Restart PostgreSQL, Redis, RabbitMQ"). */
const englishVerbs = setOf(
  "add book build buy call change check convert create debug delete draft edit explain fix get grab implement install interpret make merge migrate open order pay play pull push read rebook refactor refill remind remove rename reschedule restart run schedule search set summarize watch write",
);
/** A verb is one of the first: "npm install". */
const opening = 3;
/** An English beginning of so many words may have a text of another language behind it: "translate this: ...". */
const lead = 6;
/** Of German, Spanish, French, Italian, Portuguese, Dutch, Swedish; without those that English has too. */
const foreignWords = setOf(
  "der das und ein eine einen mir mich bitte ist nicht mit fur auf von zu den dem wie auch el la los las un una del que para por con mi en y se al le les une des du de pour avec mon ma mes est et au aux je dans sur il lo gli di da che nel della e um uma os minha meu em na o het van voor mijn niet een ik ett och att og jeg",
);
/** Text of a goal beyond this is not looked at. */
const mostCharacters = 1_000;

const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "");

/** Names in code as the words they are made of ("fetchUserProfile"), without the numbers of accounts and parcels ("DE8937"). */
const readWords = (text: string): string[] =>
  (fold(splitCase(text)).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])
    .filter((word) => !/\p{N}{2}/u.test(word))
    .map((word) => word.replace(/\p{N}/gu, ""))
    .filter((word) => word !== "");

/** How many function words there are, each once. */
function countWords(words: readonly string[]): { english: number; foreign: number } {
  const different = [...new Set(words)];
  const countIn = (list: ReadonlySet<string>) => different.filter((word) => list.has(word)).length;
  return { english: countIn(englishWords), foreign: countIn(foreignWords) };
}

/** `isWord`: whether the encoder's vocabulary has the whole word. */
export function isEnglish(goal: string, isWord: (word: string) => boolean): boolean {
  const words = readWords(goal.slice(0, mostCharacters));
  const known = words.filter(isWord).length / words.length;
  const latin = words.filter((word) => /\p{Script=Latin}/u.test(word)).length;
  if (words.length === 0) return true;
  const { english, foreign } = countWords(words);
  const start = countWords(words.slice(0, lead));
  const commands = words.slice(0, opening).some((word) => englishVerbs.has(word));
  if (foreign > english && start.foreign >= start.english)
    return known >= (commands ? leastKnown : leastKnownWith.foreign);
  if (commands || (words.length < leastWords && latin === words.length)) return true;
  return known >= (english > 0 ? leastKnownWith.english : leastKnown);
}
