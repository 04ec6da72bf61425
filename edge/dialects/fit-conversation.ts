/**
 * Changes a conversation that the model would refuse, whichever provider serves it: one that ends in a turn of the assistant, begins with
 * a tool call, has instructions after the first message, or repeats the id of a tool call.
 */
import type { ChatMessage, ChatRequest, ContentPart, DialectName } from "../../shared/chat.ts";

/**
 * Models that refuse a last turn of the assistant, in which the caller begins the answer (platform.claude.com/docs/en/about-claude/models,
 * github.com/anomalyco/opencode/issues/13768, github.com/anomalyco/opencode/issues/45359).
 */
const refusesOwnTurnLast = [
  /claude-(?:opus|sonnet)-4[.-](?:[6-9]|\d\d)(?!\d)/,
  /claude-4[.-](?:[6-9]|\d\d)-(?:opus|sonnet)/,
  /claude-(?:opus|sonnet|haiku)-(?:[5-9]|\d\d)(?!\d)/,
  /claude-(?:fable|mythos)/,
  /gemini-(?:3\.(?:[6-9]|\d\d)|3\.5-flash-lite|[4-9]|\d\d)/,
];

/** Models whose template accepts instructions only in the first message (github.com/vllm-project/vllm/issues/41114). */
const refusesLaterInstructions = /qwen|gemma/i;

/**
 * Some servers number the calls of each turn from 0, and Claude, DeepSeek and OpenAI's Responses refuse a repeated id
 * (github.com/HKUDS/nanobot/issues/3945). Gemini accepts one, and its seals at the aggregator refer to calls by id.
 */
const takesRepeatedIds = /gemini/;

/**
 * Gemini requires a turn of the user, or results, right before each call. A shortened history may begin with a call
 * (github.com/google-gemini/gemini-cli/issues/11814).
 */
const refusesCallFirst = /gemini/;

/** A last turn of the assistant stays in a request in Anthropic's dialect to Anthropic, which is sent as it came. */
export function fitConversation(request: ChatRequest, model: string, provider: DialectName): ChatRequest {
  let { messages } = request;
  if (!takesRepeatedIds.test(model)) messages = withSingleIds(messages);
  if (refusesLaterInstructions.test(model)) messages = withFirstInstructions(messages);
  if (refusesCallFirst.test(model)) messages = withUsersTurnFirst(messages);
  const isOwn = request.callerDialect === "anthropic" && provider === "anthropic";
  if (!isOwn && refusesOwnTurnLast.some((models) => models.test(model)))
    messages = withUsersTurnLast(messages);
  return messages === request.messages ? request : { ...request, messages };
}

const isInstruction = ({ role }: ChatMessage): boolean => role === "system" || role === "developer";
const says = (part: ContentPart): boolean => part.type !== "text" || part.text.trim() !== "";

const isCall = ({ type }: ContentPart): boolean => type === "tool-call";
const filler: ChatMessage = { role: "user", parts: [{ type: "text", text: "Continue." }] };

function withUsersTurnFirst(messages: ChatMessage[]): ChatMessage[] {
  const at = messages.findIndex((message) => !isInstruction(message) && message.parts.some(says));
  return messages[at]?.parts.some(isCall) ? messages.toSpliced(at, 0, filler) : messages;
}

function withUsersTurnLast(messages: ChatMessage[]): ChatMessage[] {
  const last = messages.findLast((message) => !isInstruction(message) && message.parts.some(says));
  // A call without its result is refused in any case.
  if (last?.role !== "assistant" || last.parts.some(isCall)) return messages;
  return [...messages, filler];
}

/** Joins the instructions at the start into one message. Later ones become text of the user, in the turn before them if that is the user's. */
function withFirstInstructions(messages: ChatMessage[]): ChatMessage[] {
  const fitted: ChatMessage[] = [];
  for (const message of messages) {
    const before = fitted.at(-1);
    const joins =
      before !== undefined && isInstruction(message) && (isInstruction(before) || before.role === "user");
    if (joins) fitted[fitted.length - 1] = { ...before, parts: [...before.parts, ...message.parts] };
    else if (before !== undefined && isInstruction(message)) fitted.push({ ...message, role: "user" });
    else fitted.push(message);
  }
  return fitted.length === messages.length && fitted.every((message, at) => message === messages[at])
    ? messages
    : fitted;
}

/** Gives each repeated id of a call, and of its result, a number. */
function withSingleIds(messages: ChatMessage[]): ChatMessage[] {
  const ids = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : [])),
  );
  const taken = new Set(ids);
  if (taken.size === ids.length) return messages;
  const known = new Set<string>();
  /** By the caller's id: the ids sent for calls whose results have not come yet. */
  const open = new Map<string, string[]>();
  const rename = (part: ContentPart): ContentPart => {
    if (part.type === "tool-call") {
      const id = known.has(part.id) ? createFreeId(part.id, taken) : part.id;
      known.add(id);
      open.set(part.id, [...(open.get(part.id) ?? []), id]);
      return { ...part, id };
    }
    if (part.type !== "tool-result") return part;
    const [id = part.toolCallId, ...rest] = open.get(part.toolCallId) ?? [];
    open.set(part.toolCallId, rest);
    return { ...part, toolCallId: id };
  };
  return messages.map((message) => ({ ...message, parts: message.parts.map(rename) }));
}

/** `id` with the first free number; added to `taken`. */
export function createFreeId(id: string, taken: Set<string>): string {
  for (let number = 2; ; number++) {
    const free = `${id}_${number}`;
    if (taken.has(free)) continue;
    taken.add(free);
    return free;
  }
}
