/** Which result belongs to which call of a conversation. Pure. */
import type { ChatMessage, ContentPart, ToolResultPart } from "../../shared/chat.ts";

/**
 * The result of each call that has one, by the call's part. Ids may repeat ("call_0" in each turn): a result is of the oldest call of its
 * id that has none yet. One whose call is not there, as in a history that was cut, is of none.
 */
export function pairResults(messages: readonly ChatMessage[]): ReadonlyMap<ContentPart, ToolResultPart> {
  const open = new Map<string, { calls: ContentPart[]; answered: number }>();
  const paired = new Map<ContentPart, ToolResultPart>();
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type === "tool-call") {
      const known = open.get(part.id);
      if (known === undefined) open.set(part.id, { calls: [part], answered: 0 });
      else known.calls.push(part);
    } else if (part.type === "tool-result") {
      const known = open.get(part.toolCallId);
      const call = known?.calls[known.answered];
      if (known === undefined || call === undefined) continue;
      known.answered += 1;
      paired.set(call, part);
    }
  }
  return paired;
}
