/** A whole JSON reply of the Messages API, as the events a stream of it would give. */
import type { ChatEvent } from "../../../../shared/chat.ts";
import { parseLongIntegers } from "../../exact-numbers.ts";
import { present, readObject } from "../../json.ts";
import { noteContent } from "./native-content.ts";
import { startBlock } from "./read-block.ts";
import { readFinish, readStart, readUsage } from "./read-end.ts";
import { readErrorEvent } from "./read-error.ts";
import { ErrorBody, Message } from "./schema.ts";

/** The input of a call keeps its digits, as a stream's does. */
export function parseReply(text: string): unknown {
  const body: unknown = JSON.parse(text);
  const message = readObject(body);
  const exact = message?.content === undefined ? undefined : readObject(parseLongIntegers(text));
  return exact === undefined ? body : { ...message, content: exact.content };
}

/** Never throws: a body of another shape is an `error` event. */
export function decodeReply(body: unknown): ChatEvent[] {
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
  const { usage } = message;
  const counted: ChatEvent[] = usage ? [{ type: "usage", usage: readUsage(usage) }] : [];
  const note = noteContent(message.content);
  return [
    readStart(message),
    ...blocks,
    ...counted,
    ...note,
    readFinish(message, present({ context_management: message.context_management })),
  ];
}
