/**
 * Changes what the model or its provider would refuse, whichever dialect the caller speaks: a last turn of the assistant's, a tool call
 * before any turn of the user's, instructions after the first message, an id that two calls have; tools (fit-tools.ts, fit-properties.ts);
 * and thinking that is signed together with what we had added before it (bound-thinking.ts).
 */
import {
  type ChatMessage,
  type ChatRequest,
  type ContentPart,
  type DialectName,
  isInstruction,
} from "../../../shared/chat.ts";
import { createSealer, restoreAdded } from "./bound-thinking.ts";
import type { ProviderDialect, StreamReader } from "./dialect.ts";
import { fitProperties } from "./fit-properties.ts";
import { createFreeIds, type FittedRequest, fitTools } from "./fit-tools.ts";

/** The request as its model takes it. */
export function fitRequest(
  request: ChatRequest,
  model: string,
  { name, toolNames }: Pick<ProviderDialect, "name" | "toolNames">,
): FittedRequest {
  const conversation = fitConversation(restoreAdded(request), model, name);
  const renamed =
    refusesOddProperties.test(model) && !isOwn(request, name) ? fitProperties(conversation) : undefined;
  const fitted = fitTools(renamed?.request ?? conversation, toolNames);
  const seal = createSealer(fitted.request, model);
  return {
    request: fitted.request,
    restore(events) {
      const named = fitted.restore(events);
      const restored = renamed?.restore(named) ?? named;
      return seal === undefined ? restored : restored.map(seal);
    },
  };
}

/** A reader of the answer's stream that gives the restored events. */
export const restoreStream = (
  { read, close, stage }: StreamReader,
  { restore }: FittedRequest,
): StreamReader => ({
  read: (event) => restore(read(event)),
  close: () => restore(close()),
  stage,
});

/** Whether Anthropic is asked by a caller of its own dialect, whom it then tells by itself what it refuses. */
const isOwn = ({ callerDialect }: ChatRequest, provider: DialectName): boolean =>
  callerDialect === "anthropic" && provider === "anthropic";

/** Models whose provider refuses a tool with a parameter whose name is not a plain word (fit-properties.ts). */
const refusesOddProperties = /claude/;

/**
 * Models that refuse a prefill, a last turn of the assistant's in which the caller begins the answer (platform.claude.com/docs/en/about-claude/models,
 * github.com/anomalyco/opencode/issues/13768, github.com/anomalyco/opencode/issues/45359).
 */
const refusesPrefill = [
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
 * (github.com/HKUDS/nanobot/issues/3945). Gemini accepts one, and its signatures at the aggregator refer to calls by id.
 */
const takesRepeatedIds = /gemini/;

/**
 * Gemini requires a turn of the user, or results, right before each call. A shortened history may begin with a call
 * (github.com/google-gemini/gemini-cli/issues/11814).
 */
const refusesCallFirst = /gemini/;

function fitConversation(request: ChatRequest, model: string, provider: DialectName): ChatRequest {
  let { messages } = request;
  if (!takesRepeatedIds.test(model)) messages = withUniqueIds(messages);
  if (refusesLaterInstructions.test(model)) messages = withFirstInstructions(messages);
  if (refusesCallFirst.test(model)) messages = withUsersTurnFirst(messages);
  if (!isOwn(request, provider) && refusesPrefill.some((models) => models.test(model)))
    messages = withUsersTurnLast(messages);
  return messages === request.messages ? request : { ...request, messages };
}

const says = (part: ContentPart): boolean => part.type !== "text" || part.text.trim() !== "";

const isCall = ({ type }: ContentPart): boolean => type === "tool-call";
const filler: ChatMessage = { role: "user", parts: [{ type: "text", text: "Continue." }] };

/**
 * Puts a turn of the user's before the first call. That may be in the second of several messages of the model, which are one turn for
 * Gemini.
 */
function withUsersTurnFirst(messages: ChatMessage[]): ChatMessage[] {
  const isTurn = (message: ChatMessage) => !isInstruction(message) && message.parts.some(says);
  const at = messages.findIndex(isTurn);
  const call = messages.findIndex(({ parts }) => parts.some(isCall));
  const hasUsersTurn = messages.slice(0, call).some((message) => message.role === "user" && isTurn(message));
  return call === -1 || hasUsersTurn ? messages : messages.toSpliced(at, 0, filler);
}

function withUsersTurnLast(messages: ChatMessage[]): ChatMessage[] {
  const last = messages.findLast((message) => !isInstruction(message) && message.parts.some(says));
  // A call without its result is refused in any case.
  if (last?.role !== "assistant" || last.parts.some(isCall)) return messages;
  return [...messages, filler];
}

/**
 * Joins the instructions at the start into one message. Later ones become text of the user, in one turn with the user's messages right
 * before and after them, since Gemma's template demands that turns alternate.
 */
function withFirstInstructions(messages: ChatMessage[]): ChatMessage[] {
  if (messages.findLastIndex(isInstruction) < 1) return messages;
  const fitted: ChatMessage[] = [];
  for (const [at, message] of messages.entries()) {
    const before = fitted.at(-1);
    const isLater = before !== undefined && isInstruction(message);
    const joins = isLater
      ? isInstruction(before) || before.role === "user"
      : before?.role === "user" && message.role === "user" && isInstruction(messages[at - 1]!);
    // Added in place: a new list for each of thousands of instructions would copy all before them.
    if (joins) before!.parts.push(...message.parts);
    else fitted.push({ ...message, parts: [...message.parts], ...(isLater && { role: "user" }) });
  }
  return fitted;
}

/** Gives each repeated id of a call, and of its result, a number. */
function withUniqueIds(messages: ChatMessage[]): ChatMessage[] {
  const ids = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : [])),
  );
  const taken = new Set(ids);
  if (taken.size === ids.length) return messages;
  const createId = createFreeIds(taken);
  /** By the caller's id: the ids sent for its calls, and how many of these have got their results. */
  const sent = new Map<string, { ids: string[]; answered: number }>();
  const rename = (part: ContentPart): ContentPart => {
    if (part.type === "tool-call") {
      const calls = sent.get(part.id);
      const id = calls === undefined ? part.id : createId(part.id);
      if (calls === undefined) sent.set(part.id, { ids: [id], answered: 0 });
      else calls.ids.push(id);
      return { ...part, id };
    }
    if (part.type !== "tool-result") return part;
    const calls = sent.get(part.toolCallId);
    return { ...part, toolCallId: calls?.ids[calls.answered++] ?? part.toolCallId };
  };
  return messages.map((message) => ({ ...message, parts: message.parts.map(rename) }));
}
