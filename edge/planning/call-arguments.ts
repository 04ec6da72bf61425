/** A call's arguments as they are sent to the worker. Pure. */

/** Ids usually stand first, long texts last. */
const maxChars = 400;
/** How far longer arguments are searched for states. */
const maxRead = 20_000;
/** How much of the kept beginning is searched again, for a state that the cut divides. No state is longer. */
const overlap = 40;
const states = /"status"\s{0,4}:\s{0,4}"[a-z_ -]{1,16}"|\\n\s{0,8}(?:[-*] )?\[[ x-]\] /gi;

/**
 * The beginning, then each state that occurs further on in a list of steps, once. Agents send their whole list with each call, and an open
 * step shows that the work is not done.
 */
export function describeArguments(text: string): string {
  if (text.length <= maxChars) return text;
  const later = new Set(text.slice(maxChars - overlap, maxRead).match(states));
  return [text.slice(0, maxChars), ...later].join("…");
}
