/** Credits, the money that people read and the wire carries, and micro-credits, the integers that are kept and summed. Pure. */

/** 1 credit is 1 US dollar. */
export const microPerCredit = 1_000_000;

/** Most credits that one amount may name (a budget, a cap, a credit): a guard against a mistyped one. */
export const maxCredits = 1_000_000_000;

/** Integer micro-credits of an amount with at most 6 decimals. */
export const toMicro = (credits: number): number => Math.round(credits * microPerCredit);

/** Micro-credits as the number of credits the wire carries, exact to 6 decimals. */
export const toCredits = (micro: number): number => micro / microPerCredit;

/** The same for a header: decimal, never in exponent form. */
export const writeCredits = (micro: number): string =>
  toCredits(micro)
    .toFixed(6)
    .replace(/\.?0+$/, "");
