/** A call's arguments as they are sent to the worker. Pure. */

/** Ids usually stand first, long texts last. */
const maxChars = 400;
/** Of longer arguments so many characters are searched for states. */
const maxRead = 20_000;
/** No state is longer. */
const overlap = 40;
const states = /"status"\s{0,4}:\s{0,4}"[a-z_ -]{1,16}"|\\n\s{0,8}(?:[-*] )?\[[ x-]\] /gi;

/**
 * The beginning, and of a list of steps which states stand further on, each once: agents write their whole list with each call, and
 * whether a step is open shows whether the work is done.
 */
export function describeArguments(text: string): string {
  if (text.length <= maxChars) return text;
  const later = new Set(text.slice(maxChars - overlap, maxRead).match(states));
  return [text.slice(0, maxChars), ...later].join("…");
}
