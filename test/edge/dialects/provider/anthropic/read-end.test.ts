// How a Messages stream ends: whole, cut, or in an error.
import { describe, expect, it } from "vitest";
import { anthropicDialect } from "../../../../../edge/dialects/provider/anthropic/dialect.ts";
import type { ChatEvent } from "../../../../../shared/chat.ts";
import {
  blockDelta,
  blockStart,
  blockStop,
  messageDelta,
  messageStart,
  messageStop,
  parallelTools,
  text,
} from "../../../../fixtures/anthropic-streams.ts";
import { replay, toolArguments, toSse, type WireEvent } from "../../replay.ts";

const read = (events: readonly WireEvent[]) => replay(anthropicDialect, [toSse(events, true)]);
const isNote = (event: ChatEvent) => event.type === "opaque" && event.annotation === true;

describe("the end of a Messages stream", () => {
  const answer = (stop: Record<string, unknown>) => [
    messageStart(),
    blockStart(0, { type: "text", text: "Hi" }),
    blockStop(0),
    messageDelta(stop),
    messageStop,
  ];

  it.each([
    ["end_turn", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["tool_use", "tool-calls"],
    ["refusal", "refusal"],
    ["pause_turn", "pause"],
    ["compaction", "pause"],
    ["a_reason_of_next_year", "other"],
  ])("reads %s as %s and keeps the provider's word", (raw, reason) => {
    expect(read(answer({ stop_reason: raw })).at(-1)).toEqual({ type: "finish", choice: 0, reason, raw });
  });

  it("tells which stop sequence was met", () => {
    expect(read(answer({ stop_reason: "stop_sequence", stop_sequence: "END" })).at(-1)).toMatchObject({
      reason: "stop-sequence",
      stopSequence: "END",
    });
  });

  it("passes on why the model refused", () => {
    const stop_details = { type: "refusal", category: "cyber", explanation: "No." };
    expect(read(answer({ stop_reason: "refusal", stop_details })).at(-1)).toMatchObject({
      providerData: { stop_details },
    });
  });

  it.each([
    ["overloaded_error", "upstream_overloaded"],
    ["rate_limit_error", "upstream_rate_limited"],
    ["timeout_error", "upstream_timeout"],
    ["api_error", "upstream_error"],
  ])("makes %s in a 200 stream the last event", (type, code) => {
    const events = read([messageStart(), { type: "error", error: { type, message: "Sorry" } }, ...text]);
    expect(events.at(-1)).toEqual({ type: "error", code, message: "Sorry" });
    expect(events.filter((event) => event.type === "text-delta")).toEqual([]);
  });

  it("reads an error without a type, as proxies write it", () => {
    const frame = `data: ${JSON.stringify({ error: { message: "Sorry", type: "overloaded_error" } })}\n\n`;
    const pieces = [toSse(text.slice(0, 3), true), new TextEncoder().encode(frame)];
    expect(replay(anthropicDialect, pieces).at(-1)).toEqual({
      type: "error",
      code: "upstream_overloaded",
      message: "Sorry",
    });
  });

  it("says that a stream cut in the middle was cut", () => {
    for (let count = 0; count < text.length - 2; count += 1) {
      expect(read(text.slice(0, count)).at(-1)).toMatchObject({
        type: "error",
        code: "upstream_truncated",
      });
    }
  });

  it("finishes an answer whose stop reason came but whose message_stop was lost", () => {
    expect(read(parallelTools.slice(0, -1))).toEqual(read(parallelTools));
  });

  it("closes a tool call whose block was never stopped", () => {
    const open = parallelTools.filter((event) => !(event.type === "content_block_stop" && event.index === 3));
    expect(toolArguments(read(open))).toEqual(toolArguments(read(parallelTools)));
    expect(read(open).filter(({ type }) => type === "tool-call-end")).toHaveLength(3);
  });

  it.each([
    ["data that is not JSON", "data: {\n\n"],
    ["data that is no object", "data: 1\n\n"],
    [
      "a known event of another shape",
      `data: ${JSON.stringify({ type: "content_block_start", index: "x" })}\n\n`,
    ],
  ])("turns %s into an error event instead of throwing", (_name, frame) => {
    const events = replay(anthropicDialect, [toSse([messageStart()], true), new TextEncoder().encode(frame)]);
    expect(events.at(-1)).toMatchObject({ type: "error", code: "upstream_error" });
  });

  it("keeps no copy of an answer that is longer than any model's, and goes on", () => {
    const note = (length: number) => {
      const cited = { citation: { type: "char_location", cited_text: "c" } };
      const piece = blockDelta(0, "text_delta", { text: "x".repeat(64 * 1024) });
      const pieces = Array.from({ length }, () => piece);
      const [start, , open, ...rest] = text;
      const events = [start!, open!, blockDelta(0, "citations_delta", cited), ...pieces, ...rest];
      return read(events);
    };
    expect(note(60).filter(isNote)).toHaveLength(1);
    expect(note(70).filter(isNote)).toEqual([]);
    expect(note(70).at(-1)).toMatchObject({ type: "finish", reason: "stop" });
  });

  it("ignores a delta for a block that was never opened", () => {
    const stray = [messageStart(), blockDelta(7, "text_delta", { text: "?" }), ...text.slice(1)];
    expect(read(stray)).toEqual(read(text));
  });

  it("ignores a second message_start and whatever follows message_stop (failures 16)", () => {
    expect(read([text[0]!, ...text, ...parallelTools])).toEqual(read(text));
  });
});
