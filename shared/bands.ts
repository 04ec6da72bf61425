/** The words that the interface gives to predicted numbers ("Interpretation bands"), and the limits of each. Pure. */

/** A band ends before `below`, or with `upTo`, which still belongs to it: the interface says "above" of the band that follows. */
export type Band<Word extends string = string> = { below: number; word: Word } | { upTo: number; word: Word };

/** Bands of a latent's magnitude. */
export const magnitudeBands = [
  { below: 10, word: "low complexity" },
  { below: 15, word: "medium complexity" },
  { upTo: 20, word: "high complexity" },
  { upTo: Number.POSITIVE_INFINITY, word: "very high complexity" },
] as const;

/** Bands of a step's change of state. */
export const changeBands = [
  { below: 5, word: "Minor" },
  { below: 10, word: "Moderate" },
  { upTo: 15, word: "Significant" },
  { upTo: Number.POSITIVE_INFINITY, word: "Major" },
] as const;

/** A sequence's total change: from the first number on "Significant progress", above the second "Goal likely achieved". */
export const progressFrom = 10;
export const achievedAbove = 20;

/** NaN gets the last band's word. */
export const wordOf = <Word extends string>(bands: readonly Band<Word>[], value: number): Word =>
  (bands.find((band) => ("below" in band ? value < band.below : value <= band.upTo)) ?? bands.at(-1)!).word;
