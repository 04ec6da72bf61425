/**
 * Whether a goal is in English, all that the encoder has learned. Of 52 everyday goals in 22 other languages every plan over the 903 had a
 * confidence of .5 or more, and two were right; over tools 10 were that sure and 4 right, and of 42 lists of likely tools 15 held the
 * right one. Pure.
 */

/** What the probabilities of such a plan are multiplied by: about what was right of what they said. */
export const foreignTrust = { actions: 0.1, tools: 0.6 };

/** Share of words in the encoder's vocabulary: English goals have .8 on average, .5 with many names or misspelt words. */
const leastKnown = 0.5;
/** The same with an English function word in it, and with one of another language instead. */
const leastKnownWith = { english: 0.3, foreign: 0.8 };
/** "Call Oluwaseun Adeyemi": of so few words two may be names. */
const leastWords = 4;
const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));
const englishWords = setOf(
  "the to for and my you your it this that with from what how which have has please can could would need want when where who not are is all at on of i me its do did pls plz",
);
/** Of German, Spanish, French, Italian, Portuguese, Dutch, Swedish; without those that English has too. */
const foreignWords = setOf(
  "der das und ein eine einen mir mich bitte ist nicht mit fur auf von zu den dem wie auch el la los las un una del que para por con mi en y se al le les une des du de pour avec mon ma mes est et au aux je dans sur il lo gli di da che nel della e um uma os minha meu em na o het van voor mijn niet een ik ett och att",
);
/** Text of a goal beyond this is not looked at. */
const mostCharacters = 1_000;

const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "");

/** `isWord`: whether the encoder's vocabulary has the whole word. */
export function isEnglish(goal: string, isWord: (word: string) => boolean): boolean {
  const words = fold(goal.slice(0, mostCharacters)).match(/[\p{L}\p{M}]+/gu) ?? [];
  const known = words.filter(isWord).length / words.length;
  const latin = words.filter((word) => /\p{Script=Latin}/u.test(word)).length;
  if (words.length === 0 || (words.length < leastWords && latin === words.length)) return true;
  if (words.some((word) => englishWords.has(word))) return known >= leastKnownWith.english;
  const least = words.some((word) => foreignWords.has(word)) ? leastKnownWith.foreign : leastKnown;
  return known >= least;
}
