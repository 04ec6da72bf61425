/**
 * Anthropic's automatic cache (`cache_control` beside the messages) for Claude at the aggregator: a mark on the last part of the caller's
 * own. The aggregator would put it on the last part of all. If that is the gateway's plan, no later request has it, and nothing is read
 * from the cache.
 */
import type { ChatRequest, ContentPart } from "../../../../shared/chat.ts";
import type { WireFlavour } from "./flavour.ts";

/** Models that read marks of the prompt's cache. */
export const readsMarks = /claude/;

type Markable = Extract<ContentPart, { type: "text" | "image" | "file" | "tool-result" }>;

/** Whether something of it is sent that a mark can stand on: an empty text is not. */
function carriesMark(part: ContentPart): part is Markable {
  if (part.type === "tool-result") return part.content.some(carriesMark);
  return part.type === "text" ? part.text !== "" : part.type === "image" || part.type === "file";
}

/** The request with the mark in its place; unchanged if it has none, or its model or server takes none. */
export function placeCacheMark(request: ChatRequest, model: string, flavour: WireFlavour): ChatRequest {
  const { messages, added } = request;
  const { cache_control: mark, ...extra } = request.extra;
  if (mark == null || !readsMarks.test(model) || !flavour.messages.partFields.has("cache_control"))
    return request;
  const own = added?.place === "new-turn" ? messages.slice(0, -1) : messages;
  const at = own.findLastIndex(
    ({ role, parts }) => (role === "user" || role === "tool") && parts.some(carriesMark),
  );
  const turn = own[at];
  if (turn === undefined) return request;
  const ownParts = added?.place === "into" ? turn.parts.slice(0, -added.texts.length) : turn.parts;
  const last = ownParts.findLastIndex(carriesMark);
  const part = ownParts[last];
  if (part === undefined || !carriesMark(part)) return request;
  const marked = { ...part, providerData: { cache_control: mark, ...part.providerData } };
  return {
    ...request,
    extra,
    messages: messages.with(at, { ...turn, parts: turn.parts.with(last, marked) }),
  };
}
