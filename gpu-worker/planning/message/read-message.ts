/** What the words of a message say, in the order in which they are read. Pure. */
import { type Asking, readAskings } from "./asking.ts";
import { type Denial, readDenials } from "./denials.ts";
import { boundGoal, partsOf } from "./goal-text.ts";

export type Message = {
  text: string;
  /** The message itself if it is one part. */
  parts: readonly string[];
  /** What the parts say not to do. */
  denied: readonly Denial[];
  /** What each part can ask for. */
  askings: readonly Asking[];
};

export function readMessage(goal: string): Message {
  const text = boundGoal(goal);
  const parts = partsOf(text);
  const denied = readDenials(text);
  return { text, parts, denied, askings: readAskings(parts, denied) };
}
