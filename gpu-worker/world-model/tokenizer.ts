/**
 * Text -> WordPiece token ids, exactly as the checkpoint's tokenizer.json says (BERT, uncased). Pure: reads no file. Only the
 * features of the format that BERT checkpoints use are supported; others are refused at load.
 */
import { z } from "zod";

/** The parts of Hugging Face's tokenizer.json that are used here. */
export const TokenizerFile = z.object({
  added_tokens: z.array(z.object({ id: z.int(), content: z.string() })),
  normalizer: z.object({
    type: z.literal("BertNormalizer"),
    clean_text: z.literal(true),
    handle_chinese_chars: z.literal(true),
    strip_accents: z.literal(true).nullable(),
    lowercase: z.literal(true),
  }),
  pre_tokenizer: z.object({ type: z.literal("BertPreTokenizer") }),
  model: z.object({
    type: z.literal("WordPiece").default("WordPiece"),
    unk_token: z.string(),
    continuing_subword_prefix: z.string(),
    max_input_chars_per_word: z.int(),
    vocab: z.record(z.string(), z.int()),
  }),
});
export type TokenizerFile = z.infer<typeof TokenizerFile>;

export type Tokenizer = {
  vocabularySize: number;
  /** Ids with [CLS] and [SEP], cut to `window` tokens; `keep` says which end of a long text is kept. */
  encode(text: string, window: number, keep?: "start" | "end"): Int32Array;
  /** Whether the vocabulary has the word as one token. The word must be in lower case, without accents. */
  isWord(word: string): boolean;
  /**
   * The whole text as windows of at most `window` tokens, [CLS] and [SEP] of each included; undefined when
   * it has more than `maxTokens` tokens of its own.
   */
  encodeWindows(text: string, window: number, maxTokens: number): Int32Array[] | undefined;
};

/** Words cached with their pieces; ordinary text repeats a few thousand words. */
const wordCacheSize = 4_096;

const asciiWord = /^[\x21-\x7e]*$/;
// Dropped: control, format and private characters, except tab, line feed and carriage return.
const dropped = /\u{FFFD}|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}]/gu;
const ideograph =
  /[\u{4E00}-\u{9FFF}\u{3400}-\u{4DBF}\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B920}-\u{2CEAF}\u{F900}-\u{FAFF}\u{2F800}-\u{2FA1F}]/gu;
/** Longest match: one of millions of characters overflows the stack of V8's regular expressions. */
const maxMatchChars = 4_096;
/** The inside of a character class, `[-\x60` being the range from bracket to backtick. */
const marks = String.raw`!-/:-@[-\x60{-~\p{P}`;
const mark = new RegExp(`^[${marks}]`, "u");
const wordOrMark = new RegExp(`[${marks}]|[^\\s${marks}]{1,${maxMatchChars}}`, "gu");

/**
 * Words and marks in order. Of a word longer than `maxMatchChars` only the beginning is returned, which is in no vocabulary
 * either.
 */
function wordsOf(text: string): string[] {
  if (text.length <= maxMatchChars) return text.match(wordOrMark) ?? [];
  const words: string[] = [];
  let cutAt = -1;
  for (const { 0: word, index } of text.matchAll(wordOrMark)) {
    if (index !== cutAt || mark.test(word)) words.push(word);
    cutAt = word.length >= maxMatchChars ? index + word.length : -1;
  }
  return words;
}

/**
 * Lower case without final sigma and locale, as the reference does it, letter by letter. Called for each letter, `toLowerCase` takes
 * a microsecond.
 */
const lowerLetters = (text: string) => text.replaceAll("Σ", "σ").toLowerCase();

/**
 * Unicode's bound on marks in a row (UAX #15, "Stream-Safe Text Format"). `normalize` sorts a run of marks by inserting one after the
 * other: a letter with 130,000 of them took ten seconds of a thread, and counts as one token.
 */
const longRun = /(\p{M}{30})\p{M}+/gu;

/** BertNormalizer: clean text, spaces around ideographs, strip accents, lower case. */
function normalise(text: string): string {
  const lowered = text.replace(/[A-Z]+/g, (run) => run.toLowerCase());
  if (/^[\t\n\r\x20-\x7e]*$/.test(lowered)) return lowered;
  const spaced = lowered.toWellFormed().replace(dropped, "").replace(ideograph, " $& ");
  const bounded = spaced.replace(longRun, "$1");
  return lowerLetters(bounded.normalize("NFD").replace(/\p{Mn}/gu, ""));
}

/** Most characters that are read of a text, from the end that is kept. In any language so many have more tokens than a window. */
const maxRead = 65_536;
/** A cut is moved to a space up to this many characters before (after) `at`; without one it stays at `at`. */
const farthestCut = 300;
const space = /\s/;
function cutBefore(text: string, at: number): number {
  for (let index = at; index > at - farthestCut; index--) if (space.test(text[index - 1] ?? "")) return index;
  return at;
}
function cutAfter(text: string, at: number): number {
  for (let index = at; index < at + farthestCut; index++) if (space.test(text[index] ?? "")) return index;
  return at;
}

/** Reads a word as its longest known pieces from the left; common words are cached. */
function createWordReader(model: TokenizerFile["model"], vocabulary: ReadonlyMap<string, number>) {
  const unknownWord = [idIn(vocabulary, model.unk_token)];
  const prefix = model.continuing_subword_prefix;
  const longest = Math.max(...[...vocabulary.keys()].map((token) => token.length));
  const remembered = new Map<string, readonly number[]>();

  function piecesOf(word: string): readonly number[] {
    // Code points, not UTF-16 units: a character outside the basic plane counts as one, and is never split.
    const letters = asciiWord.test(word) ? word : Array.from(word);
    if (letters.length > model.max_input_chars_per_word) return unknownWord;
    const ids: number[] = [];
    for (let begin = 0; begin < letters.length; ) {
      let end = Math.min(letters.length, begin + longest);
      let id: number | undefined;
      for (; end > begin; end--) {
        const part =
          typeof letters === "string" ? letters.slice(begin, end) : letters.slice(begin, end).join("");
        id = vocabulary.get(begin === 0 ? part : prefix + part);
        if (id !== undefined) break;
      }
      if (id === undefined) return unknownWord;
      ids.push(id);
      begin = end;
    }
    return ids;
  }

  return (word: string): readonly number[] => {
    const known = remembered.get(word);
    if (known) return known;
    const pieces = piecesOf(word);
    if (remembered.size >= wordCacheSize) remembered.clear();
    if (word.length <= 32) remembered.set(word, pieces);
    return pieces;
  };
}

function idIn(vocabulary: ReadonlyMap<string, number>, token: string): number {
  const id = vocabulary.get(token);
  if (id === undefined) throw new Error(`tokenizer.json has no ${token} token`);
  return id;
}

export function createTokenizer(file: TokenizerFile): Tokenizer {
  const vocabulary = new Map(Object.entries(file.model.vocab));
  const readWord = createWordReader(file.model, vocabulary);
  const startId = idIn(vocabulary, "[CLS]");
  const endId = idIn(vocabulary, "[SEP]");
  const added = new Map(file.added_tokens.map(({ content, id }) => [content, id]));
  const addedPattern = new RegExp(
    `(${[...added.keys()].map((token) => token.replace(/[^\w]/g, "\\$&")).join("|")})`,
  );

  function idsOf(text: string): number[] {
    const ids: number[] = [];
    for (const section of text.includes("[") ? text.split(addedPattern) : [text]) {
      const special = added.get(section);
      if (special !== undefined) ids.push(special);
      else
        for (const word of wordsOf(normalise(section))) for (const piece of readWord(word)) ids.push(piece);
    }
    return ids;
  }

  /** Ids of one end of the text: at least `room`, unless the text or its first (last) `maxRead` characters hold fewer. */
  function idsOfEnd(text: string, room: number, keep: "start" | "end"): number[] {
    for (let size = room * 32; ; size *= 4) {
      if (size >= text.length && text.length <= maxRead) return idsOf(text);
      const length = Math.min(size, maxRead);
      const part =
        keep === "start"
          ? text.slice(0, cutBefore(text, length))
          : text.slice(cutAfter(text, text.length - length));
      const ids = idsOf(part);
      if (ids.length >= room || length === maxRead) return ids;
    }
  }

  return {
    vocabularySize: vocabulary.size,
    isWord: (word) => vocabulary.has(word),
    encode(text, window, keep = "start") {
      const room = window - 2;
      const ids = idsOfEnd(text, room, keep);
      const kept = ids.length <= room ? ids : keep === "start" ? ids.slice(0, room) : ids.slice(-room);
      return Int32Array.from([startId, ...kept, endId]);
    },
    encodeWindows(text, window, maxTokens) {
      // The beginning of a huge text almost always has too many tokens: then the rest is never read.
      if (text.length > maxRead && idsOf(text.slice(0, cutBefore(text, maxRead))).length > maxTokens)
        return undefined;
      const all = idsOf(text);
      if (all.length > maxTokens) return undefined;
      const room = window - 2;
      const windows = Math.max(1, Math.ceil(all.length / room));
      return Array.from({ length: windows }, (_, index) =>
        Int32Array.from([startId, ...all.slice(index * room, (index + 1) * room), endId]),
      );
    },
  };
}
