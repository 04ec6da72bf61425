/**
 * Adds the gateway's own text to a request: the plan block, and the results of earlier steps. It goes after the caller's last
 * content, so that everything before it is the same from turn to turn and a provider's prompt cache still hits. The caller's
 * own text is never changed.
 */
import {
  type ChatMessage,
  type ChatRequest,
  type ContentPart,
  isInstruction,
  type TextPart,
} from "../../shared/chat.ts";

/** Mistral's API and chat templates refuse a user's turn right after a tool's result (code 3230). */
const strictTurns = /mistral|mixtral|ministral|codestral|devstral|magistral|pixtral/i;

/**
 * Claude takes instructions in the conversation only as its end or before a turn of its own: "role 'system' must precede an 'assistant'
 * message or end the array" (platform.claude.com/docs, "Mid-conversation system messages").
 */
const endsInInstructions = /claude/i;

const isResult = ({ type }: ContentPart): boolean => type === "tool-result";

/** Where the text goes: into the message of that index, into a new message at the end, or nowhere. */
type Place = { into: number } | "new-turn" | "nowhere";

function findPlace(messages: readonly ChatMessage[], model: string): Place {
  const at = messages.findLastIndex(({ role }) => role === "user" || role === "tool");
  const newest = messages[at];
  if (newest === undefined) return "nowhere";
  const after = messages.slice(at + 1);
  // The model goes on with its own answer, whose thinking is signed with the text that stood here (dialects/provider/bound-thinking.ts).
  if (after.some(isSealed)) return "nowhere";
  const instructed = after.some(isInstruction) && after.every(isInstruction);
  const beforeInstructions = instructed && endsInInstructions.test(model);
  if (newest.parts.length > 0 && newest.parts.every(isResult)) {
    // The last message is the beginning of an answer that the model is to continue. A user's turn after it would end it.
    if (after.some(({ role }) => role === "assistant")) return "nowhere";
    if (strictTurns.test(model) || hasSealedReasoning(messages, at)) return "nowhere";
    return beforeInstructions ? { into: at } : "new-turn";
  }
  return instructed && !beforeInstructions ? "new-turn" : { into: at };
}

/**
 * When the user's turn holds more than tool results, a provider drops the reasoning before it (Anthropic, "Extended thinking with
 * prompt caching"). The model would lose its reasoning so far, and the prompt cache would no longer match.
 */
function hasSealedReasoning(messages: readonly ChatMessage[], at: number): boolean {
  const asked = messages.slice(0, at).findLast(({ role }) => role === "assistant");
  return asked !== undefined && isSealed(asked);
}

const isSealed = ({ role, parts }: ChatMessage): boolean =>
  role === "assistant" && parts.some((part) => part.type === "reasoning" && hasSeal(part));

const hasSeal = ({ signature, redacted }: Extract<ContentPart, { type: "reasoning" }>): boolean =>
  (signature ?? redacted) !== undefined;

/** Whether there is a place for the gateway's text in this request. */
export const takesTrailingText = ({ messages }: ChatRequest, model: string): boolean =>
  findPlace(messages, model) !== "nowhere";

/** The request with `texts` after the caller's last content; unchanged if there is no place for them. */
export function withTrailingText(
  request: ChatRequest,
  texts: readonly (string | undefined)[],
  model: string,
): ChatRequest {
  const parts = texts.flatMap((text): TextPart[] => (text === undefined ? [] : [{ type: "text", text }]));
  const { messages } = request;
  const place = parts.length === 0 ? "nowhere" : findPlace(messages, model);
  if (place === "nowhere") return request;
  const added = parts.map(({ text }) => text);
  if (place === "new-turn") {
    const longer: ChatMessage[] = [...messages, { role: "user", parts }];
    return { ...request, messages: longer, added: { texts: added, place } };
  }
  const turn = messages[place.into]!;
  const fuller = messages.with(place.into, { ...turn, parts: [...turn.parts, ...parts] });
  return { ...request, messages: fuller, added: { texts: added, place: "into" } };
}
