/**
 * Names of tools that are longer than a provider takes: it is given shorter ones, and its calls have the caller's names again.
 * Anthropic and OpenAI's Responses take 128 characters, chat completions 64, and agents join a server's name and a tool's.
 */
import type { ChatEvent, ChatRequest, ContentPart } from "../../shared/chat.ts";
import type { StreamDecoder } from "./provider/dialect.ts";

export type ShortNames = {
  request: ChatRequest;
  /** The same events, calls under the caller's names. */
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

/** Depends on the name alone, so that a provider's cache and the history fit on every turn. */
const shorten = (name: string, longest: number): string => `${name.slice(0, longest - 9)}_${hashText(name)}`;

/** `longest`: characters; absent where the provider takes any name that a caller may give. */
export function shortenToolNames(request: ChatRequest, longest: number | undefined): ShortNames {
  const asGiven: ShortNames = { request, restore: (events) => events, decoder: (decoder) => decoder };
  if (longest === undefined) return asGiven;
  const longNames = new Map<string, string>();
  const toFitting = (name: string): string => {
    if (name.length <= longest) return name;
    const short = shorten(name, longest);
    longNames.set(short, name);
    return short;
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
  if (longNames.size === 0) return asGiven;
  const restoreOne = (event: ChatEvent): ChatEvent =>
    event.type === "tool-call-start" ? { ...event, name: longNames.get(event.name) ?? event.name } : event;
  const restore = (events: ChatEvent[]) => events.map(restoreOne);
  const decoder = ({ decode, close, ended }: StreamDecoder): StreamDecoder => ({
    decode: (event) => restore(decode(event)),
    close: () => restore(close()),
    ended,
  });
  return { request: fitted, restore, decoder };
}
