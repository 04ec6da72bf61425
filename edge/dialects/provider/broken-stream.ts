/** How a stream ends that broke: the error events of the wires that tell a part of an answer from a whole one by themselves. */
import type { ChatEvent } from "../../../shared/chat.ts";

export const unreadable: ChatEvent = {
  type: "error",
  code: "upstream_error",
  message: "The provider sent a part of the answer that cannot be read.",
};

export const truncated: ChatEvent = {
  type: "error",
  code: "upstream_truncated",
  message: "The provider closed the stream before the answer was complete.",
};
