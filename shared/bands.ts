/** The words that the interface gives to predicted numbers ("Interpretation bands"), and where each begins. Pure. */

export type Band<Word extends string = string> = { below: number; word: Word };

/** Of a latent's magnitude. */
export const magnitudeBands = [
  { below: 10, word: "low complexity" },
  { below: 15, word: "medium complexity" },
  { below: 20, word: "high complexity" },
  { below: Number.POSITIVE_INFINITY, word: "very high complexity" },
] as const;

/** Of a step's change of state. */
export const changeBands = [
  { below: 5, word: "Minor" },
  { below: 10, word: "Moderate" },
  { below: 15, word: "Significant" },
  { below: Number.POSITIVE_INFINITY, word: "Major" },
] as const;

/** A sequence's total change from the first on reads "Significant progress", above the second "Goal likely achieved". */
export const progressFrom = 10;
export const achievedAbove = 20;

/** The last word for what is no number. */
export const wordOf = <Word extends string>(bands: readonly Band<Word>[], value: number): Word =>
  (bands.find(({ below }) => value < below) ?? bands.at(-1)!).word;
