/**
 * Candidates a plan may choose from (the 903 actions, or a caller's tools) and their likeness to a text:
 * cosine of the latents plus idf-weighted overlap of words. Rare words count; words every tool uses do not.
 */
import type { Effect, Likeness } from "./manifest.ts";
import { dotRows } from "./vectors.ts";

export type Candidate = {
  name: string;
  /** Its place among the 903 actions. */
  actionId: number;
  effect: Effect;
  /** Speaks to the user or steers the loop instead of acting on the task. */
  system: boolean;
  /** Canonical verb and object class of its name, where it has them. */
  verb: string | null | undefined;
  object: string | null | undefined;
};

export type CandidateSet = {
  candidates: readonly Candidate[];
  /** One unit vector per candidate, row after row. */
  vectors: Float32Array;
  /** Distinct stems of each candidate's name, and of all its text. */
  nameTokens: readonly Int32Array[];
  textTokens: readonly Int32Array[];
  /** Cosines of candidate `row` with all of them. Remembered: plans ask for the same few again and again. */
  alike(row: number): Float32Array;
};

/** Adds the remembered cosines to the parts of a set. */
export function createCandidateSet(parts: Omit<CandidateSet, "alike">): CandidateSet {
  const width = parts.vectors.length / Math.max(1, parts.candidates.length);
  const rows = new Map<number, Float32Array>();
  return {
    ...parts,
    alike(row) {
      const known =
        rows.get(row) ?? dotRows(parts.vectors, parts.vectors.subarray(row * width, (row + 1) * width));
      rows.set(row, known);
      return known;
    },
  };
}

export type TextReading = {
  vector: Float32Array;
  /** Distinct stems of the text. */
  stems: Int32Array;
  /** Canonical verbs and object classes of its words. */
  verbs: ReadonlySet<string>;
  objects: ReadonlySet<string>;
};

/** Inverse document frequency in nats by token id; 0 for marks and for what every text has. */
export type Idf = Float32Array;

/** The distinct stems of some tokens. */
export const stemSet = (stems: Int32Array, ...tokens: readonly Int32Array[]): Int32Array =>
  Int32Array.from(new Set(tokens.flatMap((list) => Array.from(list, (token) => stems[token]!))));

/** Likeness of every candidate to the text, on the scale of a cosine. */
export function likenessTo(set: CandidateSet, text: TextReading, idf: Idf, weights: Likeness): Float32Array {
  const scores = dotRows(set.vectors, text.vector);
  const present = new Set(text.stems);
  let textSquares = 0;
  for (const token of present) textSquares += idf[token]! ** 2;
  for (let row = 0; row < scores.length; row++) {
    let shared = 0;
    let squares = 0;
    for (const token of set.textTokens[row]!) {
      const weight = idf[token]! ** 2;
      squares += weight;
      if (present.has(token)) shared += weight;
    }
    let named = 0;
    let nameTotal = 0;
    for (const token of set.nameTokens[row]!) {
      nameTotal += idf[token]!;
      if (present.has(token)) named += idf[token]!;
    }
    const overlap = shared > 0 ? shared / Math.sqrt(squares * textSquares) : 0;
    const { verb, object } = set.candidates[row]!;
    scores[row]! +=
      weights.lexical * overlap +
      (nameTotal > 0 ? (weights.name * named) / nameTotal : 0) +
      (verb && text.verbs.has(verb) ? weights.verb : 0) +
      (object && text.objects.has(object) ? weights.object : 0);
  }
  return scores;
}
