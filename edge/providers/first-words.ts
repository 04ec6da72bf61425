/** The beginning of an answer, up to where something is said: until then another may still answer instead. */
import type { ChatEvent } from "../../shared/chat.ts";
import type { ProviderAnswer } from "./call.ts";

export type Failure = Extract<ChatEvent, { type: "error" }>;

/** A role, an id, a count of what was read: an answer has begun when something else comes. */
export const saysNothing = ({ type }: ChatEvent): boolean => type === "start" || type === "usage";

/** Batches up to the one in which something is said, and the failure if that is what it says. */
export async function readFirstWords(
  events: ProviderAnswer["events"],
): Promise<{ batches: ChatEvent[][]; failure: Failure | undefined }> {
  const batches: ChatEvent[][] = [];
  for (;;) {
    const { done, value } = await events.next();
    if (done) return { batches, failure: undefined };
    batches.push(value);
    const word = value.find((event) => !saysNothing(event));
    if (word !== undefined) return { batches, failure: word.type === "error" ? word : undefined };
  }
}
