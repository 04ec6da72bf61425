/** What a measurement gives: rows of figures, and how they are shown to people. */
import type { Figure } from "./statistics.ts";

export type Column = { key: string; heading: string; digits: number };
/** Figures by column key; a plain number where there were no rounds to spread over. */
export type Row = { label: string; figures: Readonly<Record<string, Figure | number>> };
export type Result = {
  columns: Column[];
  rows: Row[];
  /** What a reader must know to read the figures right. */
  notes: string[];
};

/** How much work a measurement may do: a person's run, or the few iterations of a test. */
export type Effort = {
  /** Length of one load, seconds. */
  seconds: number;
  /** Repetitions that medians and spreads are taken over. */
  rounds: number;
  /** Streams held open at once where memory is measured. */
  openStreams: number;
  /** Length of the soak, seconds. */
  soakSeconds: number;
};
