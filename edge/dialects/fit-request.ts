/**
 * Changes what the model or its provider would refuse, whichever dialect the caller speaks. In the conversation: a last turn of the
 * assistant's, a tool call before any turn of the user's, instructions after the first message, an id that two calls have. Among the
 * tools: names that the provider refuses (the answer's calls have the caller's names again), and a tool that is listed twice.
 */
import {
  type ChatEvent,
  type ChatMessage,
  type ChatRequest,
  type ContentPart,
  type DialectName,
  isInstruction,
  type ToolDefinition,
} from "../../shared/chat.ts";
import { readObject } from "./json.ts";
import type { ProviderDialect, StreamDecoder, ToolNameRule } from "./provider/dialect.ts";

export type FittedRequest = {
  request: ChatRequest;
  /** The same events, with the caller's names in calls, and ids that no earlier call has. */
  restore(events: ChatEvent[]): ChatEvent[];
  /** A decoder that does the same for the events of a stream. */
  decoder(decoder: StreamDecoder): StreamDecoder;
};

/** The request as its model takes it. */
export const fitRequest = (
  request: ChatRequest,
  model: string,
  { name, toolNames }: Pick<ProviderDialect, "name" | "toolNames">,
): FittedRequest => fitTools(fitConversation(request, model, name), toolNames);

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
function fitConversation(request: ChatRequest, model: string, provider: DialectName): ChatRequest {
  let { messages } = request;
  if (!takesRepeatedIds.test(model)) messages = withSingleIds(messages);
  if (refusesLaterInstructions.test(model)) messages = withFirstInstructions(messages);
  if (refusesCallFirst.test(model)) messages = withUsersTurnFirst(messages);
  const isOwn = request.callerDialect === "anthropic" && provider === "anthropic";
  if (!isOwn && refusesOwnTurnLast.some((models) => models.test(model)))
    messages = withUsersTurnLast(messages);
  return messages === request.messages ? request : { ...request, messages };
}

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
function withSingleIds(messages: ChatMessage[]): ChatMessage[] {
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

/**
 * Returns a function that gives an id the first free number, and adds the result to `taken`. No number of an id is tried twice:
 * 8,000 calls of one id blocked the isolate for two seconds.
 */
function createFreeIds(taken: Set<string>): (id: string) => string {
  const numbers = new Map<string, number>();
  return (id) => {
    for (let number = numbers.get(id) ?? 2; ; number++) {
      const free = `${id}_${number}`;
      if (taken.has(free)) continue;
      taken.add(free);
      numbers.set(id, number + 1);
      return free;
    }
  };
}

/** 32 bits of FNV-1a as hexadecimal digits, to keep shortened names distinct. Not used for security. */
export function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/**
 * Anthropic and OpenAI's Responses take names of 128 characters, chat completions 64, and agents join a server's name and a tool's.
 * Gemini wants a letter first, where others take a digit, and MCP allows dots. The new name depends on the old one alone, so that a
 * provider's prompt cache and the history match on every turn. The hash keeps names distinct.
 */
function toFittingName(name: string, { maxChars, first }: ToolNameRule): string {
  const plain = name.replace(/[^\w-]/g, "_");
  const begun = first.test(plain) ? plain : `_${plain}`;
  return `${begun.slice(0, maxChars - 9)}_${hashText(name)}`;
}

/**
 * Removes tools that repeat an earlier one exactly, as clients send that read one server twice. `text` is the first tool of a
 * name as JSON, made once: made again for each tool of that name, it would cost a multiple of a tool of megabytes.
 */
function withoutRepeated(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const known = new Map<string, { tool: ToolDefinition; text?: string }>();
  const kept = tools.filter((tool) => {
    const before = known.get(tool.name);
    if (before === undefined) {
      known.set(tool.name, { tool });
      return true;
    }
    before.text ??= JSON.stringify(before.tool);
    return before.text !== JSON.stringify(tool);
  });
  return kept.length === tools.length ? tools : kept;
}

/** A call of the answer gets a new id if an earlier call has its id: agents find by the id what they have already run. */
function fitTools(given: ChatRequest, rule: ToolNameRule): FittedRequest {
  const once = withoutRepeated(given.tools);
  const request = once === given.tools ? given : { ...given, tools: [...once] };
  const ids = listIds(given);
  const ownNames = new Map<string, string>();
  const toFitting = (name: string): string => {
    if (rule.fits.test(name)) return name;
    const fitting = toFittingName(name, rule);
    ownNames.set(fitting, name);
    return fitting;
  };
  const toFittingPart = <P extends ContentPart>(part: P): P =>
    part.type === "tool-call" ? { ...part, name: toFitting(part.name) } : part;
  const { tools, messages, toolChoice } = request;
  const fitted: ChatRequest = {
    ...request,
    tools: tools.map((tool) => ({ ...tool, name: toFitting(tool.name) })),
    messages: messages.map((message) => ({ ...message, parts: message.parts.map(toFittingPart) })),
    ...(toolChoice?.type === "tool" && { toolChoice: { ...toolChoice, name: toFitting(toolChoice.name) } }),
  };
  if (ownNames.size === 0 && ids.size === 0)
    return { request, restore: (events) => events, decoder: (decoder) => decoder };
  const createId = createFreeIds(ids);
  const restoreOne = (event: ChatEvent): ChatEvent => {
    if (event.type !== "tool-call-start") return event;
    const id = ids.has(event.id) ? createId(event.id) : event.id;
    return { ...event, id, name: ownNames.get(event.name) ?? event.name };
  };
  const restore = (events: ChatEvent[]) => events.map(restoreOne);
  const decoder = ({ decode, close, stage }: StreamDecoder): StreamDecoder => ({
    decode: (event) => restore(decode(event)),
    close: () => restore(close()),
    stage,
  });
  return { request: ownNames.size === 0 ? request : fitted, restore, decoder };
}

/** Ids of the history's calls. Without those that a seal names: with a new id the call would lose its seal. */
function listIds({ messages }: ChatRequest): Set<string> {
  const ids = new Set<string>();
  const parts = messages.flatMap((message) => message.parts);
  for (const part of parts) if (part.type === "tool-call") ids.add(part.id);
  for (const part of parts) {
    const { id } = (part.type === "reasoning" && readObject(part.providerData?.reasoning_detail)) || {};
    if (typeof id === "string") ids.delete(id);
  }
  return ids;
}
