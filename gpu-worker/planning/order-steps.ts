/** Orders a plan over tools by the parts of the message. Pure. */

/** A planned call: the row of its tool, and its probability. */
type Call = { tool: number; probability: number };

/** "Refund it, but check the policy first": a later part that is to be done before. "The first one" is none. */
const doneBefore =
  /(?<!\bthe\s+)\bfirst\b|\bbeforehand\b|^(?:but\s+|and\s+)?before\s+(?:that|this|you|doing)\b/iu;

/**
 * The steps in the order of the parts that they serve, those of one part as they were. The reader names the likeliest tool next, which for a
 * message of several parts is often that of a later one. `mixedParts`: for each part, the mixer's probability of each tool. A step that no part
 * asks for (`askedFrom`) is done for the step after it, so it stays before that. Another step becomes the first only with a probability of
 * `firstFrom` or more. Left as it is if a later part is to be done before.
 */
export function orderByParts(
  steps: readonly Call[],
  { parts, mixedParts }: { parts: readonly string[]; mixedParts: readonly Float64Array[] },
  { askedFrom, firstFrom }: { askedFrom: number; firstFrom: number },
): Call[] {
  if (parts.length < 2 || parts.slice(1).some((part) => doneBefore.test(part))) return [...steps];
  let next = parts.length;
  const ordered = steps
    .toReversed()
    .map((step) => {
      const chances = mixedParts.map((mixed) => mixed[step.tool]!);
      const most = Math.max(...chances);
      if (most >= askedFrom) next = chances.indexOf(most);
      return { step, part: next };
    })
    .toReversed()
    .sort((a, b) => a.part - b.part)
    .map(({ step }) => step);
  const [first] = steps;
  if (first === undefined || ordered[0]!.probability >= firstFrom) return ordered;
  return [first, ...ordered.filter((step) => step !== first)];
}
