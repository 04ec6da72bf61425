/**
 * Text -> WordPiece token ids, exactly as the checkpoint's tokenizer.json says (BERT, uncased). Pure:
 * reads no file. Of the format only what BERT checkpoints use is accepted; anything else is refused at load.
 */
import { z } from "zod";

/** The parts of Hugging Face's tokenizer.json that this tokenizer obeys. */
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
  /** Ids with [CLS] and [SEP], cut to `window` tokens; `keep` says which end of a long text survives. */
  encode(text: string, window: number, keep?: "start" | "end"): Int32Array;
  /** Whether the vocabulary has the whole word, in small letters without accents. */
  isWord(word: string): boolean;
  /**
   * The whole text as windows of at most `window` tokens, [CLS] and [SEP] of each included; undefined when
   * it has more than `maxTokens` tokens of its own.
   */
  encodeWindows(text: string, window: number, maxTokens: number): Int32Array[] | undefined;
};

/** Words remembered with their pieces; ordinary text repeats a few thousand. */
const wordCacheSize = 4_096;

const asciiWord = /^[\x21-\x7e]*$/;
// Control, format and private letters but tab, line feed and carriage return: dropped.
const dropped = /\u{FFFD}|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}]/gu;
const ideograph =
  /[\u{4E00}-\u{9FFF}\u{3400}-\u{4DBF}\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B920}-\u{2CEAF}\u{F900}-\u{FAFF}\u{2F800}-\u{2FA1F}]/gu;
/** A match of millions of letters overflows the stack of V8's regular expressions. */
const maxMatchChars = 4_096;
/** The inside of a character class, `[-\x60` being the range from bracket to backtick. */
const marks = String.raw`!-/:-@[-\x60{-~\p{P}`;
const mark = new RegExp(`^[${marks}]`, "u");
const wordOrMark = new RegExp(`[${marks}]|[^\\s${marks}]{1,${maxMatchChars}}`, "gu");

/** Words and marks in their order; of a word over `maxMatchChars` letters its beginning, which no vocabulary has. */
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

/** Lower case letter by letter, as the reference does: no final sigma, no locale. */
const lowerEachLetter = (text: string) => text.replace(/\P{ASCII}/gu, (letter) => letter.toLowerCase());

/** BertNormalizer: clean, space out ideographs, strip accents, lower case. */
function normalise(text: string): string {
  const lowered = text.replace(/[A-Z]+/g, (run) => run.toLowerCase());
  if (/^[\t\n\r\x20-\x7e]*$/.test(lowered)) return lowered;
  const spaced = lowered.toWellFormed().replace(dropped, "").replace(ideograph, " $& ");
  return lowerEachLetter(spaced.normalize("NFD").replace(/\p{Mn}/gu, "")).replace(/[A-Z]+/g, (run) =>
    run.toLowerCase(),
  );
}

/** Characters of a huge text that are read from its kept end. Text with fewer tokens than a window in so many is no language. */
const maxRead = 65_536;
/** Space to cut at, searched for so many characters before (after) `at`; without one the cut is at `at`. */
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

/** Reads a word as its longest known pieces from the left; common words are remembered with theirs. */
function createWordReader(model: TokenizerFile["model"], vocabulary: ReadonlyMap<string, number>) {
  const unknownWord = [idIn(vocabulary, model.unk_token)];
  const prefix = model.continuing_subword_prefix;
  const longest = Math.max(...[...vocabulary.keys()].map((token) => token.length));
  const remembered = new Map<string, readonly number[]>();

  function piecesOf(word: string): readonly number[] {
    // Code points, not UTF-16 units: an astral letter is one character of the limit and of a cut.
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

  /** Ids of one end of the text: `room` or more, unless the text or `maxRead` letters hold fewer. */
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
      // The beginning of a huge text almost always has too many tokens: the rest is then never read.
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
