/**
 * Replaces tool names that a provider refuses, in the whole request, and restores the caller's names in the answer's calls.
 * Anthropic and OpenAI's Responses take 128 characters, chat completions 64, and agents join a server's name and a tool's. Gemini
 * wants a letter first, where others take a digit, and MCP allows dots. Also removes a tool that is listed twice, and gives a call
 * a new id if an earlier call of the conversation has its id: agents find by the id what they have already run.
 */
import type { ChatEvent, ChatRequest, ContentPart, ToolDefinition } from "../../shared/chat.ts";
import { createFreeId } from "./fit-conversation.ts";
import { readObject } from "./json.ts";
import type { StreamDecoder, ToolNameRule } from "./provider/dialect.ts";

export type FittedTools = {
  request: ChatRequest;
  /** The same events, with the caller's names in calls, and ids that no earlier call has. */
  restore(events: ChatEvent[]): ChatEvent[];
  /** A decoder that does the same for the events of a stream. */
  decoder(decoder: StreamDecoder): StreamDecoder;
};

/** 32 bits of FNV-1a as hexadecimal digits, to keep shortened names distinct. Not used for security. */
export function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/**
 * Depends on the name alone, so that a provider's prompt cache and the history match on every turn. The hash keeps names
 * distinct.
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

export function fitTools(given: ChatRequest, rule: ToolNameRule): FittedTools {
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
  const restoreOne = (event: ChatEvent): ChatEvent => {
    if (event.type !== "tool-call-start") return event;
    const id = ids.has(event.id) ? createFreeId(event.id, ids) : event.id;
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
