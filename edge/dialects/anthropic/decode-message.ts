/** A whole JSON reply of the Messages API, as the events a stream of it would give. */
import type { ChatEvent, ProviderData } from "../../../shared/chat.ts";
import { startBlock } from "./decode-block.ts";
import { noteContent } from "./native-content.ts";
import { readUsage } from "./read-usage.ts";
import { readErrorEvent, readFinish } from "./reasons.ts";
import { ErrorBody, Message } from "./wire.ts";

/** Never throws: a body of another shape is an `error` event. */
export function decodeMessage(body: unknown): ChatEvent[] {
  const parsed = Message.safeParse(body);
  if (!parsed.success) {
    const failure = ErrorBody.safeParse(body);
    return [
      readErrorEvent(
        failure.success ? failure.data.error : { message: "The provider's answer cannot be read." },
      ),
    ];
  }
  const message = parsed.data;
  let blockCount = 0;
  const blocks = message.content.flatMap((content) => {
    const { block, events } = startBlock(content, () => blockCount++);
    return [...events, ...block.stop()];
  });
  const { id, model, usage } = message;
  const start: ChatEvent = { type: "start", ...(id ? { id } : {}), ...(model ? { model } : {}) };
  const counted: ChatEvent[] = usage ? [{ type: "usage", usage: readUsage(usage) }] : [];
  const note = noteContent(message.content);
  return [start, ...blocks, ...counted, ...note, readFinish(message, message.context_management)];
}

/** What clients act on by themselves (a limit that was passed, a field that was refused). */
export function readErrorDetails(body: unknown): ProviderData | undefined {
  return ErrorBody.safeParse(body).data?.error.details ?? undefined;
}

/** The provider's own words about a refused request, if the body has any. */
export function readErrorMessage(body: unknown): string | undefined {
  const parsed = ErrorBody.safeParse(body);
  return parsed.success ? (parsed.data.error.message ?? undefined) : undefined;
}
