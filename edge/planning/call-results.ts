/** Which result belongs to which call of a conversation. Pure. */
import type { ChatMessage, ContentPart } from "../../shared/chat.ts";

type Result = Extract<ContentPart, { type: "tool-result" }>;

/**
 * The result of each call that has one, by the call's part. Ids may repeat ("call_0" in each turn): each call of an id has the next of
 * its results, as when they are renamed for a provider (`withSingleIds` in fit-request.ts).
 */
export function pairResults(messages: readonly ChatMessage[]): ReadonlyMap<ContentPart, Result> {
  const parts = messages.flatMap((message) => message.parts);
  const results = Map.groupBy(
    parts.filter((part) => part.type === "tool-result"),
    ({ toolCallId }) => toolCallId,
  );
  const passed = new Map<string, number>();
  const paired = new Map<ContentPart, Result>();
  for (const part of parts) {
    if (part.type !== "tool-call") continue;
    const index = passed.get(part.id) ?? 0;
    const result = results.get(part.id)?.[index];
    passed.set(part.id, index + 1);
    if (result !== undefined) paired.set(part, result);
  }
  return paired;
}
