/** What the ledger keeps of how an answer came about: names, counts and times, no texts. */
import { type AnyColumn, sql } from "drizzle-orm";
import type { FinishReason } from "../../shared/chat.ts";

/** What is kept of an answer beside its cost. */
export type GenerationNotes = {
  /** Its id where that is the provider's: a message of Claude's own. Others are found by their hold. */
  answerId?: string;
  /** What goes before the hold's id in the answer's. Rows of earlier versions lack it. */
  idPrefix?: string;
  /** Names of ours, in the order they were tried; the last one ran. */
  modelsTried: string[];
  streamed: boolean;
  finishReason: FinishReason | null;
  toolsCalled: boolean;
  planningMs: number | null;
  /** Until the provider's first word. */
  firstByteMs: number | null;
  totalMs: number;
  /** The plan, by names of actions. */
  actionSequence: string[];
};

/** The id of an answer that its provider named: an index is on the very expression. */
export const answerIdOf = (generation: AnyColumn) => sql`${generation} ->> '$.answerId'`;
