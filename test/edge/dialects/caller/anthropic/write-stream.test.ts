/**
 * The order of events over random streams of all wire formats, whole and broken off at any byte. How many:
 * GENERATED_STREAMS (default 1,000; the full run is 5,000).
 */
import * as fc from "fast-check";
import { describe, expect, inject, test } from "vitest";
import { buildMessage } from "../../../../../edge/dialects/caller/anthropic/write-reply.ts";
import { createMessagesStreamWriter } from "../../../../../edge/dialects/caller/anthropic/write-stream.ts";
import { anthropicDialect } from "../../../../../edge/dialects/provider/anthropic/dialect.ts";
import type { ProviderDialect } from "../../../../../edge/dialects/provider/dialect.ts";
import { geminiDialect } from "../../../../../edge/dialects/provider/gemini/dialect.ts";
import { alphaDialect } from "../../../../../edge/dialects/provider/openai/dialect.ts";
import { createSseParser } from "../../../../../edge/stream/sse.ts";
import type { ChatEvent, DialectName, Usage } from "../../../../../shared/chat.ts";
import { cutBytes, generatedStream } from "../../../../support/generated-streams.ts";
import { findOrderBreaks, foldMessage, parseFrames } from "../../../../support/messages-stream.ts";

const numRuns = inject("generatedStreams");

const dialects: Record<DialectName, ProviderDialect> = {
  openai: alphaDialect,
  anthropic: anthropicDialect,
  gemini: geminiDialect,
};

/** As the gateway does it: a batch for each piece of bytes, and an error in place of the end. */
function translate(dialect: DialectName, pieces: readonly Uint8Array[]) {
  const parser = createSseParser();
  const reader = dialects[dialect].createStreamReader();
  const writer = createMessagesStreamWriter({ id: "msg_ours", model: "m", provider: dialect });
  const batches: ChatEvent[][] = pieces.map((piece) =>
    parser.push(piece).flatMap((event) => reader.read(event)),
  );
  batches.push([...parser.end().flatMap((event) => reader.read(event)), ...reader.close()]);
  const all = batches.flat();
  const usage = all.findLast((event) => event.type === "usage")?.usage;
  let text = "";
  for (const batch of batches) {
    const failure = batch.at(-1)?.type === "error" ? batch.at(-1) : undefined;
    text += writer.write(failure ? batch.slice(0, -1) : batch);
    if (failure?.type === "error") {
      text += writer.error({ type: "error", error: { type: "api_error", message: failure.message } });
      return { events: parseFrames(text), hub: all, usage };
    }
  }
  text += writer.last(usage);
  return { events: parseFrames(text), hub: all, usage };
}

const contentOf = (hub: readonly ChatEvent[], dialect: DialectName, usage: Usage | undefined) =>
  buildMessage(hub, { id: "msg_ours", model: "m", provider: dialect }, usage).content;

const said = (content: readonly Record<string, unknown>[]) => ({
  text: content.map(({ type, text }) => (type === "text" ? text : "")).join(""),
  reasoning: content.map(({ type, thinking }) => (type === "thinking" ? thinking : "")).join(""),
  tools: content.flatMap(({ type, name, input }) => (type === "tool_use" ? [{ name, input }] : [])),
});
const byName = (tools: { name: unknown; input: unknown }[]) =>
  tools.map((tool) => JSON.stringify(tool)).toSorted();

const cuts = fc.array(fc.nat(), { maxLength: 8 });

describe("a generated stream through this dialect", () => {
  test(`is in order, complete, and the same as JSON however it is cut (${numRuns} streams)`, () => {
    fc.assert(
      fc.property(generatedStream, cuts, (stream, places) => {
        const { events, hub, usage } = translate(stream.dialect, cutBytes(stream.bytes, places));
        expect(findOrderBreaks(events)).toEqual([]);
        const message = foldMessage(events);
        expect(message.error).toBeUndefined();
        const found = said(message.content);
        expect(found.text).toBe(stream.text);
        expect(found.reasoning).toBe(stream.reasoning);
        expect(byName(found.tools)).toEqual(byName(stream.tools));
        expect(message.usage).toMatchObject({
          input_tokens: stream.usage.input,
          output_tokens: stream.usage.output,
        });
        expect(message.stopReason).toBe(stream.tools.length > 0 ? "tool_use" : "end_turn");
        expect(message.content).toEqual(contentOf(hub, stream.dialect, usage));
      }),
      { numRuns },
    );
  });

  test("broken off at any byte is in order and ends in an error, or was complete", () => {
    fc.assert(
      fc.property(generatedStream, fc.nat(), (stream, at) => {
        const part = stream.bytes.subarray(0, at % stream.bytes.length);
        const { events } = translate(stream.dialect, [part]);
        expect(findOrderBreaks(events)).toEqual([]);
        const message = foldMessage(events);
        if (message.error === undefined) {
          // What was missing was only the mark after the end.
          expect(message.stopReason).toBeDefined();
          expect(said(message.content).text).toBe(stream.text);
          expect(byName(said(message.content).tools)).toEqual(byName(stream.tools));
        } else expect(stream.text.startsWith(said(message.content).text)).toBe(true);
      }),
      { numRuns },
    );
  });
});

test.each([
  ["openai", "end_turn"],
  ["anthropic", "tool_use"],
] as const)(
  "an answer of %s that is said to hold calls and holds none ends in %s (failures 70)",
  (provider, ends) => {
    const events: ChatEvent[] = [
      { type: "text-delta", choice: 0, block: 0, text: "I read it." },
      { type: "finish", choice: 0, reason: "tool-calls", raw: "tool_use" },
    ];
    expect(buildMessage(events, { id: "msg_ours", model: "m", provider }).stop_reason).toBe(ends);
  },
);
