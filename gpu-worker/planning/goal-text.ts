/**
 * What can be read from a goal's text without a model: its parts, what it says not to do, and whether it is in English. Pure.
 */
import { splitCase } from "../world-model/lexicon.ts";
import { sentenceEnd } from "../world-model/text-templates.ts";

/** How a goal is cut into parts; training/goal_parts.py has the same rule. */
const sequel = String.raw`\s*,?\s*\b(?:and then|then|after that|afterwards|finally)\b,?\s*`;
const joint = String.raw`\s*[,;:]\s+(?:and\s+|but\s+|or\s+)?|\s+(?:and|but|so)\s+|\s+[-\u2013\u2014]+\s+|\s*&\s*`;
const cut = new RegExp(`${sentenceEnd.source}|${sequel}|${joint}`, "giu");
const minWordsOfPart = 3;
/** A short part that is nevertheless a request of its own: "book it", "tell me", "don't send". "Don't worry" is none. */
const shortRequest =
  /^(?:\S+\s+(?:it|them|this|that|these|those|him|her|me|us|both|everybody|everything)\b|don['\u2019]?t\s+(?!worry|panic|mind|forget|hesitate|know|care)\p{L})/iu;
export const maxParts = 8;
/** Only this much of a goal is searched for parts. */
const charactersCut = 2_000;
/**
 * `cut` backtracks over every split of a run of spaces, which takes seconds for two thousand. The encoder reads a run as one
 * space.
 */
const longSpace = /\s{33,}/gu;

const shortenSpaces = (text: string): string =>
  text.replace(longSpace, (run) => (run.includes("\n") ? "\n" : " "));

const countWords = (text: string): number => text.match(/\S+/g)?.length ?? 0;

/** Whether a goal is shorter than any part: the networks were hardly trained on such texts. */
export const isBrief = (goal: string): boolean => countWords(goal.trim()) < minWordsOfPart;

/** Whether a goal may ask for several things, even if its parts are too short to be split off ("find it and book it"). */
export const mayAskSeveral = (goal: string): boolean => shortenSpaces(goal.trim()).search(cut) > 0;

/**
 * The parts in order, each a span that may ask for something; empty for a goal of one part. If there are more than eight, the
 * first four and the last four are kept. An unnecessary cut only costs time in the encoder: the models attend to the parts that
 * they need.
 */
export function splitGoal(text: string): string[] {
  const goal = shortenSpaces(text.slice(0, charactersCut));
  const spans: { begin: number; end: number }[] = [];
  let begin = 0;
  const keep = (end: number) => {
    const part = goal.slice(begin, end).trim();
    const before = spans.at(-1);
    if (part === "") return;
    // Any other part of one or two words means nothing alone, and stays with the part before it ("salt and pepper").
    if (before && countWords(part) < minWordsOfPart && !shortRequest.test(part)) before.end = end;
    else spans.push({ begin, end });
  };
  for (const { 0: match, index } of goal.matchAll(cut)) {
    if (match === "") continue;
    keep(index);
    begin = index + match.length;
  }
  keep(goal.length);
  const parts = spans.map((span) => goal.slice(span.begin, span.end).trim());
  if (parts.length < 2) return [];
  const half = maxParts / 2;
  return parts.length <= maxParts ? parts : [...parts.slice(0, half), ...parts.slice(-half)];
}

/** A message of nothing but a greeting, thanks or a farewell: "hi there!", "thanks, that's all". "Good night" may ask for the lights. */
const courtesy =
  "hi|hiya|hello|hey|howdy|good (?:morning|afternoon|evening|day)|how are you|how['’]?s it going|(?:many )?thanks|thank you|thx|ty|cheers|bye|goodbye|see you|that['’]?s (?:all|it)|(?:that was|that['’]?s) (?:great|perfect)";
const closing = "there|all|team|everyone|again|today|a lot|so much|very much|for (?:your|the|all your) help";
const smallTalk = new RegExp(`^(?:(?:${courtesy})(?: (?:${closing}))*(?: |$))+$`, "iu");
const maxSmallTalkChars = 80;

export const isSmallTalk = (message: string): boolean =>
  message.length <= maxSmallTalkChars && smallTalk.test(message.replace(/[^\p{L}'’]+/gu, " ").trim());

/** "I don't want to cancel it", "we are not looking to buy anything". */
const unwished =
  /(?:i|we)\s+(?:do\s*not|don['’]?t)\s+(?:want|wish|need|plan|intend|mean)\s+(?:you\s+)?to|(?:i['’]?m|i\s+am|we['’]?re|we\s+are)\s+not\s+(?:looking|trying|going|planning|asking|here)\s+(?:(?:for\s+)?you\s+)?to/;
const denial = new RegExp(
  String.raw`^(?:(?:and|but|so|please|pls|just|yet)[\s,]+)*(?:do\s*not|don['’]?t|never|you\s+(?:must|should|may|can)\s*(?:not|n['’]t)|${unwished.source})\s+(?:(?:yet|ever|even|actually|please)\s+)?`,
  "iu",
);
/**
 * These deny no action ("don't forget to call", "never mind"), or ask for the opposite action ("don't lose my changes", "don't
 * leave me signed in").
 */
const idiom =
  /^(?:forget|hesitate|worry|mind|know|have|want|need|think|like|care|be|fail|miss|let|just|only|stop|understand|see|look|remember|wait|feel|expect|trust|give|leave|lose|make|break|go|get|keep|take|put|throw|tell|show|wake|waste|do|use|hang|skip|ignore|delay|exceed|sound|believe|neglect|overlook|disturb)\b/iu;
/** "Don't send the paper any more": asks for something to be stopped, so an action is needed. */
const standing = /\b(?:any\s?more|any\s+longer|again)\b/iu;
/** What depends on a condition may still have to be done. "Nothing else" states none. */
const condition =
  /\b(?:if|unless|otherwise|(?<!\b(?:any|some|every|no)[ -]?(?:thing|one|body|where) |\b(?:what|who|where) )else)\b/iu;
/** No condition, and its verb is not asked for: "tell me if it is safe to merge". */
const indirectQuestion =
  /\b(?:know|see|check|ask(?:\s+\p{L}+)?|wonder(?:ing)?|sure|find\s+out|verify|say|(?:tell|show)\s+(?:me|us))\s+(?:if|whether)\b.*$/iu;
/** "Let me see it before you post it" denies the posting, for now. */
const preview =
  /\b(?:(?:let|show|send|give|tell|ask|check\s+with)\s+(?:me|us)|show\s+it|wait\s+for\s+(?:me|my))\b.*\bbefore\s+you\s+(?=\p{L})/iu;
const exception = /\b(?:except|besides|apart|other\s+than)\b/iu;
/**
 * These say how an action is to be done ("don't deliver before noon", "don't pay more than 300"), except "not before I have seen
 * it".
 */
const bound =
  /\b(?:more\s+than|less\s+than|too)\b|\b(?:before|after|until|till|without)\b(?!\s+(?:i|me|my|we|asking|approval)\b)/iu;
/** The next part says how the action is to be done instead: "Don't send it to Bob, just to Ana". */
const otherwise = /^(?:just|only|but|instead|rather)\s+(?:to|for|with|in|on|at|by|from)\b/iu;

/** Tells of the past: "Never been there", "never heard back". */
const telling =
  /^never\s+(?:\p{L}+ed|been|made|got|gotten|had|seen|saw|heard|told|said|found|came|went|took|gave|did|was|were)\b/iu;
const opensSentence = (parts: readonly string[], at: number): boolean =>
  at === 0 || /[.!?]["'”’)]?$/.test(parts[at - 1]!);

/** A verb without an object of its own: "send it yet", "book anything". */
const openObject =
  /^\p{L}+(?:\s+(?:it|them|this|that|these|those|him|her|any|anything|anybody|anyone|one|yet|now)\b|\W*$)/iu;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

/**
 * A part of a goal that says what not to do. `part`: its index among the parts (0 in a goal of one part). `text`: the part without its
 * denial. `isOpen`: the verb has no object of its own ("don't buy it"), so every action of that verb is denied. `isPreview`: the part also
 * asks to see something first.
 */
export type Denial = { part: number; text: string; isOpen: boolean; isPreview?: true };

/**
 * The denied parts of a goal, with the denial removed ("send it yet"). Read from the words, since the vectors of "send it" and
 * "don't send it" hardly differ. None if the goal states a condition, or if another part asks for what is denied ("never call my
 * ex, call my mum").
 */
export function readDenials(goal: string): Denial[] {
  const divided = splitGoal(goal);
  const parts = divided.length > 0 ? divided : [goal.trim()];
  const direct = parts.map((part) => part.replace(indirectQuestion, ""));
  if (direct.some((part) => condition.test(part))) return [];
  const found = parts.flatMap((part, at): Denial[] => {
    const isPreview = preview.test(part);
    const [said] = (isPreview ? preview : denial).exec(part) ?? [];
    const text = said === undefined ? "" : part.slice(said.length);
    // Tells about the speaker: "I drive all week and never write down a kilometre".
    const tells = /^never/i.test(said ?? "") && (telling.test(part) || !opensSentence(parts, at));
    if (text === "" || tells || otherwise.test(parts[at + 1] ?? "")) return [];
    if ([idiom, standing, exception, bound].some((rule) => rule.test(text))) return [];
    // The verb occurs again, as in "Don't buy the red one. Buy blue.": no denial of the action.
    const [verb, ...others] = wordsOf(text);
    if (verb === undefined || others.includes(verb)) return [];
    return [{ part: at, text, isOpen: openObject.test(text), ...(isPreview && { isPreview }) }];
  });
  const denied = new Set(found.map(({ part }) => part));
  const asked = new Set(direct.flatMap((part, at) => (denied.has(at) ? [] : wordsOf(part))));
  return found.filter(({ text }) => !asked.has(wordsOf(text)[0]!));
}

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
/** Length of an English introduction that may precede text in another language: "translate this: ...". */
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

/** `isWord`: whether the encoder's vocabulary has the word as one token. */
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
