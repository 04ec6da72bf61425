/**
 * Reads a long list of unseen tools in pieces. A hundred tools have up to 6,400 tokens: most of a second of the encoder, which nothing
 * can interrupt. A plan over them comes back after each piece with the vectors of the tools read so far, waits in its account's share
 * again, and brings the vectors along, since the next piece may run in another thread.
 */
import type { PlanRequest, PlanTool } from "../../shared/planning.ts";
import type { ReadText, TextToEncode } from "../world-model/encoder.ts";
import { toolText } from "../world-model/text-templates.ts";
import type { WorldModel } from "../world-model/world-model.ts";

/** A plan as the threads get it. `readTools`: the vectors of its first tools, from its earlier pieces. */
export type PlanTask = PlanRequest & { readTools?: readonly ReadText[] };

/**
 * Most tokens of unseen tools that a plan reads in one piece: 50 to 100 ms on a quiet CPU. In thirteen pieces a plan over a hundred
 * tools takes some 4 % more CPU time.
 */
export const maxTokensAhead = 512;

export const toolToEncode = (tool: PlanTool, maxTokens: number): TextToEncode => ({
  text: toolText(tool),
  keep: "start",
  remember: "lasting",
  maxTokens,
});

/** The tools read so far, if this piece leaves any unread. Undefined if the plan can be made now. */
export async function readAhead(
  { encoder, heads }: Pick<WorldModel, "encoder" | "heads">,
  { tools, readTools = [] }: PlanTask,
): Promise<ReadText[] | undefined> {
  const { toolTokens } = heads.settings;
  if (tools.length * toolTokens <= maxTokensAhead) return undefined;
  const texts = tools.map((tool) => toolToEncode(tool, toolTokens));
  const [known, others] = [texts.slice(0, readTools.length), texts.slice(readTools.length)];
  encoder.learn(known, readTools);
  const read = await encoder.encodeFirst(others, maxTokensAhead);
  // Copied: the vectors lie in scratch memory, and what is sent to another thread is the whole buffer.
  return read && [...readTools, ...read.map(({ vector, tokens }) => ({ vector: vector.slice(), tokens }))];
}
