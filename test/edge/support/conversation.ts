/** Conversations as the hub has them. */
import type { ChatMessage, ContentPart } from "../../../shared/chat.ts";

/** A message of texts and other parts. */
export const say = (role: ChatMessage["role"], ...parts: (string | ContentPart)[]): ChatMessage => ({
  role,
  parts: parts.map((part) => (typeof part === "string" ? { type: "text", text: part } : part)),
});

export const toolTurns: ChatMessage[] = [
  say("system", "You book trains."),
  say("user", "Get me to Berlin tomorrow"),
  say(
    "assistant",
    { type: "tool-call", id: "c1", name: "find_trains", arguments: '{"to":"Berlin"}' },
    { type: "tool-call", id: "c2", name: "get_weather", arguments: "{}" },
  ),
  say("tool", {
    type: "tool-result",
    toolCallId: "c1",
    content: [{ type: "text", text: "ICE 578 at 9:12" }],
  }),
];
