/**
 * Anthropic's automatic cache (`cache_control` beside the messages) for Claude at the aggregator: a mark on the last part of the caller's
 * own. The aggregator would put it on the last part of all. If that is the gateway's plan, no later request has it, and nothing is read
 * from the cache.
 */
import type { ChatRequest } from "../../../../shared/chat.ts";
import type { WireFlavour } from "./flavour.ts";

const readsMarks = /claude/;

/** The request with the mark in its place; unchanged if it has none, or its model or server takes none. */
export function placeCacheMark(request: ChatRequest, model: string, flavour: WireFlavour): ChatRequest {
  const { messages, added } = request;
  const { cache_control: mark, ...extra } = request.extra;
  if (mark == null || !readsMarks.test(model) || !flavour.messages.partFields.has("cache_control"))
    return request;
  const own = added?.place === "new-turn" ? messages.slice(0, -1) : messages;
  const at = own.findLastIndex(({ role }) => role === "user" || role === "tool");
  const turn = own[at];
  const last = (turn?.parts.length ?? 0) - (added?.place === "into" ? added.texts.length : 0) - 1;
  const part = turn?.parts[last];
  if (turn === undefined || part === undefined || part.type === "opaque" || part.type === "refusal")
    return request;
  const marked = { ...part, providerData: { cache_control: mark, ...part.providerData } };
  return {
    ...request,
    extra,
    messages: messages.with(at, { ...turn, parts: turn.parts.with(last, marked) }),
  };
}
