/** What the ledger keeps about how an answer came about: names, counts and times, no texts. */
import { type AnyColumn, sql } from "drizzle-orm";
import type { FinishReason } from "../../shared/chat.ts";

/** What is kept of an answer besides its cost. */
export type GenerationNotes = {
  /** The answer's id, if the provider chose it (Claude's own message id). Other answers are found by their hold. */
  answerId?: string;
  /** The prefix of the answer's id; the hold's id follows it. Rows of earlier versions do not have it. */
  idPrefix?: string;
  /** Model names in the order in which they were tried; the last one answered. */
  modelsTried: string[];
  streamed: boolean;
  finishReason: FinishReason | null;
  toolsCalled: boolean;
  planningMs: number | null;
  /** Milliseconds until the provider's first event with content. The answer's id and a usage report do not count (`isContent`). */
  firstByteMs: number | null;
  totalMs: number;
  /** The plan, as names of actions. */
  actionSequence: string[];
};

/** The id that a provider gave its answer. An index is on exactly this expression. */
export const answerIdOf = (generation: AnyColumn) => sql`${generation} ->> '$.answerId'`;
