/** Hand-written streams as bytes, and bytes through a dialect's reader, cut wherever a test wants. */

import type { ProviderDialect } from "../../../edge/dialects/provider/dialect.ts";
import { createSseParser } from "../../../edge/stream/sse.ts";
import type { ChatEvent, ChatRequest } from "../../../shared/chat.ts";

export type WireEvent = Record<string, unknown> & { type?: string };

/** Events as a provider frames them; `named` adds the `event:` line. */
export function toSse(events: readonly WireEvent[], named: boolean, eol = "\n"): Uint8Array {
  const frames = events.map(
    (event) => `${named ? `event: ${event.type}${eol}` : ""}data: ${JSON.stringify(event)}${eol}${eol}`,
  );
  return new TextEncoder().encode(frames.join(""));
}

/** All events of a stream that arrives in these pieces. */
export function replay(dialect: ProviderDialect, pieces: readonly Uint8Array[]): ChatEvent[] {
  const parser = createSseParser();
  const reader = dialect.createStreamReader();
  const framed = [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()];
  return [...framed.flatMap((event) => reader.read(event)), ...reader.close()];
}

/** The same stream in two pieces, for every place it can be cut; and byte by byte. */
export function* everyCut(bytes: Uint8Array): Generator<Uint8Array[]> {
  for (let at = 1; at < bytes.length; at += 1) yield [bytes.subarray(0, at), bytes.subarray(at)];
  yield [...bytes].map((byte) => Uint8Array.of(byte));
}

/** Arguments of each tool call, parsed: fails where the pieces do not join to JSON. */
export function toolArguments(events: readonly ChatEvent[]): Record<string, unknown> {
  const texts = new Map<number, { name: string; text: string }>();
  for (const event of events) {
    if (event.type === "tool-call-start") texts.set(event.block, { name: event.name, text: "" });
    if (event.type === "tool-call-delta") texts.get(event.block)!.text += event.arguments;
  }
  return Object.fromEntries([...texts.values()].map(({ name, text }) => [name, JSON.parse(text)]));
}

/** A request with only what a test is about. */
export function chatRequest(fields: Partial<ChatRequest> = {}): ChatRequest {
  return {
    messages: [{ role: "user", parts: [{ type: "text", text: "Hello" }] }],
    tools: [],
    stream: false,
    choices: 1,
    stop: [],
    extra: {},
    callerDialect: "openai",
    ...fields,
  };
}
