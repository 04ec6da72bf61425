/** Orders a plan over tools by the parts of the message. Pure. */

import { isDoneBefore, opensWithBefore } from "../message/order-words.ts";
import type { ToolStep } from "./choose-calls.ts";

type ReadMessage = {
  parts: readonly string[];
  mixedParts: readonly Float64Array[];
  tools: Float64Array;
  changes: readonly boolean[];
};

type Limits = { askedFrom: number; firstFrom: number; leadsFrom: number };

/** "Push it", "send them a reminder": does something with what another part finds or makes. */
const usesResult = /^(?:(?:then|please|also)\s+)*\p{L}+\s+(?:it|them|those)\b/iu;

/**
 * The steps in the order of the parts that they serve, those of one part as they were. The reader names the likeliest tool next, which
 * for a message of several parts is often that of a later one. A step that no part asks for (`askedFrom`) is done for the step after
 * it, so it stays before that. The first step gives way to another only if that has a probability of `firstFrom` or more, and if before
 * any step it had `leadsFrom` times the first one's: "My sister lives in Rome. How is the weather there?" does not begin with the
 * search for flights that its first sentence brings to mind. It always does if it changes what another part finds or makes ("push it").
 * The steps stay as they are if a later part says that it is to be done before. `mixedParts`: for each part, the mixer's probability of
 * each tool. `tools`: the probability of each tool before any step. `changes`: whether each tool changes something.
 */
export function orderByParts(
  steps: readonly ToolStep[],
  { parts, mixedParts, tools, changes }: ReadMessage,
  { askedFrom, firstFrom, leadsFrom }: Limits,
): ToolStep[] {
  if (parts.length < 2 || parts.slice(1).some(isDoneBefore)) return [...steps];
  const placeOf = (part: number) => (opensWithBefore(parts, part) ? part + 1.5 : part);
  let next = parts.length;
  /** The part that asks for a step's tool; none if no part does. */
  const partOf = ({ tool }: ToolStep) => {
    const chances = mixedParts.map((mixed) => mixed[tool]!);
    const most = Math.max(...chances);
    return most >= askedFrom ? chances.indexOf(most) : -1;
  };
  const ordered = steps
    .toReversed()
    .map((step) => {
      const part = partOf(step);
      if (part !== -1) next = placeOf(part);
      return { step, part: next };
    })
    .toReversed()
    .sort((a, b) => a.part - b.part)
    .map(({ step }) => step);
  const [first] = steps;
  const [other] = ordered;
  if (first === undefined || other === undefined) return ordered;
  const leads = other.probability >= firstFrom && tools[other.tool]! >= leadsFrom * tools[first.tool]!;
  if (leads || (changes[first.tool] && usesResult.test(parts[partOf(first)] ?? ""))) return ordered;
  return [first, ...ordered.filter((step) => step !== first)];
}
