/**
 * Reads the texts of a request with tools in pieces, if many of them are unseen. A hundred tools have up to 6,400 tokens and a
 * conversation up to 2,400: a quarter of a second of the encoder or more, which nothing can interrupt. So after each piece such a plan
 * goes back to the queue, where it waits for its account's next turn. It carries the vectors of the texts read so far, since the next
 * piece may run in another thread.
 */
import type { PlanRequest } from "../../shared/planning.ts";
import type { ReadText } from "../world-model/encoder.ts";
import { estimateTextTokens } from "../world-model/token-estimate.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { draftSession } from "./session/texts.ts";

/** A plan as the threads get it. `readTexts`: the vectors of its first texts, from its earlier pieces. */
export type PlanTask = PlanRequest & { readTexts?: readonly ReadText[] };

/**
 * Most tokens of unseen texts that a plan reads in one piece: 50 to 100 ms on a quiet CPU. In thirteen pieces a plan over a hundred
 * tools takes some 4 % more CPU time.
 */
export const maxTokensAhead = 512;

/**
 * The texts read so far, if this piece leaves any unread, and how many of their tokens are charged. Undefined if the plan can be
 * made now.
 */
export async function readAhead(
  { encoder, heads }: Pick<WorldModel, "encoder" | "heads">,
  task: PlanTask,
): Promise<{ readTexts: ReadText[]; tokens: number } | undefined> {
  // A goal without tools has 1,000 tokens at most, with its parts and its state.
  if (task.tools.length === 0) return undefined;
  const { readTexts = [] } = task;
  const { texts, parts } = draftSession(task, heads.settings);
  const most = texts.reduce((sum, { text, maxTokens }) => sum + estimateTextTokens(text, maxTokens!), 0);
  if (most <= maxTokensAhead) return undefined;
  encoder.learn(texts.slice(0, readTexts.length), readTexts);
  const read = await encoder.encodeFirst(texts.slice(readTexts.length), maxTokensAhead);
  if (read === undefined) return undefined;
  // Copied: the vectors lie in scratch memory, and what is sent to another thread is the whole buffer.
  const copies = read.map(({ vector, tokens }) => ({ vector: vector.slice(), tokens }));
  const all = [...readTexts, ...copies];
  // The goal's parts, which come after it, are not charged: their words are those of the goal (tools/read-sessions.ts).
  const charged = all.filter((_, at) => at === 0 || at > parts.length);
  return { readTexts: all, tokens: charged.reduce((sum, { tokens }) => sum + tokens, 0) };
}
