/**
 * What an aggregator writes down for itself: a line for each call it took, with every token it read, wrote or thought
 * and what else it sold, also for calls that were given up. Pure: the fakes fill the lines in, the tests compare them
 * with the ledger. What a charge may leave out has a name in docs/storage.md, "What a bound does not cover".
 */

/** Micro-dollars a token. */
export type Prices = { input: number; output: number };

export type BillLine = {
  /** The turn it was called for: all its tries together. */
  group: string;
  /** Those in force when the call began. */
  prices: Prices;
  /** Tokens of the prompt, counted at four bytes each, and the tokens that dense text has beyond that count. */
  input: number;
  denseInput: number;
  /** Words written, and how many of them the caller's side is known to have read. */
  written: number;
  taken: number;
  /** Reasoning tokens: never streamed, named only in the report of usage. */
  thought: number;
  /** Micro-dollars beyond the tokens: a search, a plugin. */
  surcharge: number;
  /** It sent a status. */
  answered: boolean;
  /** Its honest report was read. */
  reported: boolean;
};

export const costOf = (line: BillLine): number =>
  (line.input + line.denseInput) * line.prices.input +
  (line.written + line.thought) * line.prices.output +
  line.surcharge;

/** What the ledger says of a request. `whole`: its answer came to its end. `prices`: those it was charged at. */
export type RowFacts = { whole: boolean; prices: Prices | undefined };

export type Excuse = "no status" | "not reported" | "dense prompt" | "on the way" | "stale price";
export type Excuses = Partial<Record<Excuse, number>>;

/** Micro-dollars of a line that the charge may leave out, by the name of the documented bound. */
export function excuse(line: BillLine, row: RowFacts): Excuses {
  if (line.reported) return {};
  if (!line.answered) return { "no status": costOf(line) };
  const known = row.prices ?? line.prices;
  const onTheWay = row.whole ? 0 : line.written - line.taken;
  return {
    "not reported": line.thought * line.prices.output + line.surcharge,
    "dense prompt": line.denseInput * line.prices.input,
    "on the way": onTheWay * line.prices.output,
    "stale price":
      Math.max(0, line.prices.input - known.input) * line.input +
      Math.max(0, line.prices.output - known.output) * (line.written - onTheWay),
  };
}

export const sumOf = (values: readonly (number | undefined)[]): number =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

export function addExcuses(left: Excuses, right: Excuses): Excuses {
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])] as Excuse[];
  return Object.fromEntries(names.map((name) => [name, (left[name] ?? 0) + (right[name] ?? 0)]));
}
