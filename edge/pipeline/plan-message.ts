/**
 * Puts the gateway's own words into a request: the plan block and the results of earlier steps, each as
 * one system message after the caller's. The caller's messages are never changed.
 */
import type { ChatMessage, ChatRequest } from "../../shared/chat.ts";

/** `text` as a system message after the caller's leading system and developer messages. */
export function withSystemText(request: ChatRequest, text: string | undefined): ChatRequest {
  if (text === undefined) return request;
  const { messages } = request;
  const firstTurn = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const at = firstTurn === -1 ? messages.length : firstTurn;
  const added: ChatMessage = { role: "system", parts: [{ type: "text", text }] };
  return { ...request, messages: [...messages.slice(0, at), added, ...messages.slice(at)] };
}
