/**
 * Tools whose names a provider refuses, and the whole request with them: it is given other ones, and its calls have the caller's names
 * again. Anthropic and OpenAI's Responses take 128 characters, chat completions 64, and agents join a server's name and a tool's;
 * Gemini wants a letter first, where others take a digit, and MCP allows dots. A tool that is there twice is given once. A call whose id
 * an earlier call of the conversation has gets another: agents look up what they have run by its id.
 */
import type { ChatEvent, ChatRequest, ContentPart, ToolDefinition } from "../../shared/chat.ts";
import { createFreeId } from "./fit-conversation.ts";
import { readObject } from "./json.ts";
import type { StreamDecoder, ToolNameRule } from "./provider/dialect.ts";

export type FittedTools = {
  request: ChatRequest;
  /** The same events, calls under the caller's names and ids of their own. */
  restore(events: ChatEvent[]): ChatEvent[];
  /** The same for events of a stream. */
  decoder(decoder: StreamDecoder): StreamDecoder;
};

/** 32 bits of FNV-1a in hexadecimal digits: for names that are shortened and have to stay apart. No secret rests on it. */
export function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** Depends on the name alone, so that a provider's cache and the history fit on every turn. Its hash keeps it apart from others. */
function toFittingName(name: string, { maxChars, first }: ToolNameRule): string {
  const plain = name.replace(/[^\w-]/g, "_");
  const begun = first.test(plain) ? plain : `_${plain}`;
  return `${begun.slice(0, maxChars - 9)}_${hashText(name)}`;
}

/**
 * The tools without those that say once more what one before them says, as clients send that read one server twice. `text`: the first
 * of a name in JSON, made once: made for each that shares its name, a tool of megabytes would cost that many times.
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

/** Ids of the history's calls, without those that a seal beside them names: under another id it would not be found. */
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
