/**
 * Makes the tools fit what a provider takes: names that it refuses are replaced (the answer's calls have the caller's names again), a tool
 * that is listed twice is sent once, and a call of the answer gets a new id if an earlier call has its own. Pure.
 */
import type { ChatEvent, ChatRequest, ContentPart, ToolDefinition } from "../../../shared/chat.ts";
import { createToolComparison, shortenTo } from "../distinct-tools.ts";
import { readObject } from "../json.ts";
import type { ToolNameRule } from "./dialect.ts";

export type FittedRequest = {
  request: ChatRequest;
  /** The answer's events in the caller's terms. To be given all events, in order. */
  restore(events: ChatEvent[]): ChatEvent[];
};

/**
 * Returns a function that gives an id the first free number, and adds the result to `taken`. No number of an id is tried twice:
 * 8,000 calls of one id blocked the isolate for two seconds.
 */
export function createFreeIds(taken: Set<string>): (id: string) => string {
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

/**
 * The name under which a provider is given a tool. Anthropic and OpenAI's Responses take names of 128
 * characters, chat completions 64, and agents join a server's name and a tool's. Gemini wants a letter first,
 * where others take a digit, and MCP allows dots. The new name depends on the old one alone, so that a
 * provider's prompt cache and the history match on every turn. The hash keeps names distinct.
 */
export function toFittingName(name: string, { fits, maxChars, first }: ToolNameRule): string {
  if (fits.test(name)) return name;
  const plain = name.replace(/[^\w-]/g, "_");
  const begun = first.test(plain) ? plain : `_${plain}`;
  return shortenTo(maxChars, begun, name);
}

/** Removes exact repetitions of an earlier tool: clients that read one server twice send them. */
function withoutRepeated(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  if (tools.length < 2) return tools;
  const compare = createToolComparison();
  const kept = tools.filter((tool) => compare(tool.name, tool) !== "same");
  return kept.length === tools.length ? tools : kept;
}

/** A call of the answer gets a new id if an earlier call has its id: agents find by the id what they have already run. */
export function fitTools(given: ChatRequest, rule: ToolNameRule): FittedRequest {
  const once = withoutRepeated(given.tools);
  const request = once === given.tools ? given : { ...given, tools: [...once] };
  const ids = listIds(given);
  const ownNames = new Map<string, string>();
  const toFitting = (name: string): string => {
    const fitting = toFittingName(name, rule);
    if (fitting !== name) ownNames.set(fitting, name);
    return fitting;
  };
  const toFittingPart = <P extends ContentPart>(part: P): P =>
    part.type === "tool-call" ? { ...part, name: toFitting(part.name) } : part;
  const { tools, messages, toolChoice } = request;
  const fitted: ChatRequest = {
    ...request,
    tools: tools.map((tool) => ({ ...tool, name: toFitting(tool.name) })),
    messages: messages.map((message) => ({
      ...message,
      // A result's name is its tool's.
      ...(message.role === "tool" && message.name !== undefined && { name: toFitting(message.name) }),
      parts: message.parts.map(toFittingPart),
    })),
    ...(toolChoice?.type === "tool" && { toolChoice: { ...toolChoice, name: toFitting(toolChoice.name) } }),
  };
  if (ownNames.size === 0 && ids.size === 0) return { request, restore: (events) => events };
  const createId = createFreeIds(ids);
  const restoreOne = (event: ChatEvent): ChatEvent => {
    if (event.type !== "tool-call-start") return event;
    const id = ids.has(event.id) ? createId(event.id) : event.id;
    return { ...event, id, name: ownNames.get(event.name) ?? event.name };
  };
  return {
    request: ownNames.size === 0 ? request : fitted,
    restore: (events) => events.map(restoreOne),
  };
}

/** Ids of the history's calls. Without those that a signature names: with a new id the call would lose its signature. */
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
