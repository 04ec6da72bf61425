/** Whether a goal reads as English, the only language that the encoder has learned: by its words, without a model. Pure. */
import { splitCase } from "../../world-model/lexicon.ts";

/** Least share of words in the encoder's vocabulary: English goals have .8 on average, .5 with many names or misspelt words. */
const minKnown = 0.5;
/** The same for a goal with English function words, and for one with more foreign ones than English ones. */
const minKnownWith = { english: 0.3, foreign: 0.8 };
/** A goal of fewer words counts as English if all are in Latin script: most may be names ("Call Oluwaseun Adeyemi"). */
const fewWords = 4;
const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));
const englishWords = setOf(
  "the to for and my you your it this that with from what how which have has please can could would need want when where who not are is all at on of i me its do did pls plz",
);
/** Verbs that begin commands whose other words are names or terms ("Restart PostgreSQL, Redis, RabbitMQ"). */
const englishVerbs = setOf(
  "add book build buy call change check convert create debug delete draft edit explain fix get grab implement install interpret make merge migrate open order pay play pull push read rebook refactor refill remind remove rename reschedule restart run schedule search set summarize watch write",
);
/** The verb is looked for among the first words: "npm install". */
const opening = 3;
/** Words of an English introduction that may precede text in another language: "translate this: ...". */
const lead = 6;
/** Function words of German, Spanish, French, Italian, Portuguese, Dutch and Swedish that are no English words. */
const foreignWords = setOf(
  "der das und ein eine einen mir mich bitte ist nicht mit fur auf von zu den dem wie auch el la los las un una del que para por con mi en y se al le les une des du de pour avec mon ma mes est et au aux je dans sur il lo gli di da che nel della e um uma os minha meu em na o het van voor mijn niet een ik ett och att og jeg",
);
/** Only this much of a goal is read to detect its language. */
const charactersRead = 1_000;

const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "");

/**
 * The words of a text. Names in code are split into theirs ("fetchUserProfile"); numbers of accounts and parcels ("DE8937") are
 * left out.
 */
const readWords = (text: string): string[] =>
  (fold(splitCase(text)).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])
    .filter((word) => !/\p{N}{2}/u.test(word))
    .map((word) => word.replace(/\p{N}/gu, ""))
    .filter((word) => word !== "");

/** The number of distinct English and foreign function words. */
function countFunctionWords(words: readonly string[]): { english: number; foreign: number } {
  const different = [...new Set(words)];
  const countIn = (list: ReadonlySet<string>) => different.filter((word) => list.has(word)).length;
  return { english: countIn(englishWords), foreign: countIn(foreignWords) };
}

/**
 * Whether the encoder's vocabulary has enough of a goal's words. How many are enough depends on its function words and on whether an
 * English verb begins it. `isWord`: whether the vocabulary has the word as one token.
 */
export function isEnglish(goal: string, isWord: (word: string) => boolean): boolean {
  const words = readWords(goal.slice(0, charactersRead));
  const known = words.filter(isWord).length / words.length;
  const latin = words.filter((word) => /\p{Script=Latin}/u.test(word)).length;
  if (words.length === 0) return true;
  const { english, foreign } = countFunctionWords(words);
  const start = countFunctionWords(words.slice(0, lead));
  const commands = words.slice(0, opening).some((word) => englishVerbs.has(word));
  if (foreign > english && start.foreign >= start.english)
    return known >= (commands ? minKnown : minKnownWith.foreign);
  if (commands || (words.length < fewWords && latin === words.length)) return true;
  return known >= (english > 0 ? minKnownWith.english : minKnown);
}
