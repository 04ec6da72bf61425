/** The id of a message: Anthropic's own where it answered, else ours in the same form. */
import type { ChatEvent, DialectName } from "../../../shared/chat.ts";

const ownForm = /^msg_[\w-]{1,128}$/;

export function writeMessageId(
  { id, provider }: { id: string; provider: DialectName },
  start: Extract<ChatEvent, { type: "start" }> | undefined,
): string {
  return provider === "anthropic" && start?.id !== undefined && ownForm.test(start.id) ? start.id : id;
}
