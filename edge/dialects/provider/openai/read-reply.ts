/** A whole JSON reply in OpenAI's format, as the events a stream of it would give, deltas joined. */
import type { ChatEvent } from "../../../../shared/chat.ts";
import { readLeniently } from "../../json.ts";
import { unreadable } from "../dialect.ts";
import { createAnswerDecoder } from "./read-stream.ts";
import { Completion } from "./schema.ts";

/** A whole JSON reply: each choice's message read as one delta, then the usage, then each finish. */
export function decodeReply(body: unknown, salt?: string): ChatEvent[] {
  const reply = readLeniently(Completion, body);
  if (reply === undefined) return [unreadable];
  const answer = createAnswerDecoder(salt);
  const choices = reply.choices?.map((choice) => choice && { ...choice, delta: choice.message });
  const events = answer.read({ ...reply, choices }, true);
  if (events.at(-1)?.type === "error") return events;
  return choices?.some((choice) => choice !== null) ? [...events, ...answer.end()] : [...events, unreadable];
}
