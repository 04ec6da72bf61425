import { describe, expect, it } from "vitest";
import { anthropicDialect } from "../../../../../edge/dialects/provider/anthropic/dialect.ts";
import type { ChatEvent } from "../../../../../shared/chat.ts";
import { parallelTools, serverTools, thinking } from "../../../../fixtures/anthropic-streams.ts";
import { replay, toSse } from "../../replay.ts";

const usage = { input_tokens: 12, output_tokens: 40 };
const message = (content: unknown[], end: Record<string, unknown>) => ({
  id: "msg_hand_01",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5-20250929",
  content,
  stop_sequence: null,
  usage,
  ...end,
});

/** Deltas of one block joined and usage left out: what a stream and a reply must have in common. */
function joined(events: readonly ChatEvent[]): ChatEvent[] {
  const result: ChatEvent[] = [];
  for (const event of events) {
    const last = result.at(-1);
    if (event.type === "usage") continue;
    if (event.type === "text-delta" && last?.type === "text-delta" && last.block === event.block) {
      result[result.length - 1] = { ...last, text: last.text + event.text };
    } else if (
      event.type === "reasoning-delta" &&
      last?.type === "reasoning-delta" &&
      last.block === event.block
    ) {
      result[result.length - 1] = { ...last, text: last.text + event.text };
    } else if (
      event.type === "tool-call-delta" &&
      last?.type === "tool-call-delta" &&
      last.block === event.block
    ) {
      result[result.length - 1] = { ...last, arguments: last.arguments + event.arguments };
    } else result.push(event);
  }
  return result.map((event) =>
    event.type === "tool-call-delta"
      ? { ...event, arguments: JSON.stringify(JSON.parse(event.arguments)) }
      : event,
  );
}

describe("a whole Messages reply", () => {
  it.each([
    [
      "tool calls",
      parallelTools,
      message(
        [
          { type: "text", text: "Looking." },
          { type: "tool_use", id: "toolu_a", name: "weather", input: { city: "Zürich" } },
          { type: "tool_use", id: "toolu_b", name: "now", input: {} },
          { type: "tool_use", id: "toolu_c", name: "convert", input: { amount: 3, to: "CHF" } },
        ],
        { stop_reason: "tool_use" },
      ),
    ],
    [
      "thinking",
      thinking,
      message(
        [
          { type: "thinking", thinking: "First this.", signature: "c2VhbC1vbmU=" },
          { type: "redacted_thinking", data: "ZW5jcnlwdGVk" },
          { type: "thinking", thinking: "", signature: "c2VhbC10d28=" },
          { type: "text", text: "Done." },
        ],
        { stop_reason: "end_turn" },
      ),
    ],
    [
      "server tools",
      serverTools,
      message(
        [
          { type: "text", text: "" },
          { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "swiss lakes" } },
          {
            type: "web_search_tool_result",
            tool_use_id: "srvtoolu_1",
            content: [
              {
                type: "web_search_result",
                url: "https://example.com",
                title: "Lakes",
                encrypted_content: "eA==",
              },
            ],
          },
          { type: "compaction", content: "Summary so far and on." },
          {
            type: "text",
            text: "Lake Zürich.",
            citations: [
              { type: "web_search_result_location", url: "https://example.com", cited_text: "Lakes" },
            ],
          },
        ],
        { stop_reason: "end_turn", container: { id: "container_1" } },
      ),
    ],
  ])("with %s gives the events of the stream that says the same", (_name, stream, body) => {
    const events = anthropicDialect.readReply(body);
    expect(joined(events)).toEqual(joined(replay(anthropicDialect, [toSse(stream, true)])));
    expect(events.filter(({ type }) => type === "usage")).toMatchObject([
      { usage: { input: 12, output: 40 } },
    ]);
  });

  it("keeps the digits of a call's integers, as a stream does (failures 80)", () => {
    const input = '{"id":1234567890123456789}';
    const text = `{"content":[{"type":"tool_use","id":"toolu_1","name":"f","input":${input}}],"stop_reason":"tool_use","usage":{"input_tokens":12345678901234567890}}`;
    const events = anthropicDialect.readReply(anthropicDialect.parseReply!(text));
    expect(events.find(({ type }) => type === "tool-call-delta")).toMatchObject({ arguments: input });
    expect(events.find(({ type }) => type === "usage")).toMatchObject({
      usage: { input: Number("12345678901234567890") },
    });
    expect(anthropicDialect.readReply(anthropicDialect.parseReply!("null"))).toMatchObject([
      { type: "error" },
    ]);
    expect(() => anthropicDialect.parseReply!("<html>")).toThrow(SyntaxError);
  });

  it("that is an error body is an error event", () => {
    const body = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    expect(anthropicDialect.readReply(body)).toEqual([
      { type: "error", code: "upstream_overloaded", message: "Overloaded" },
    ]);
  });

  it.each([[null], ["<html>"], [{}], [{ content: "text" }]])(
    "of another shape (%j) is an error event",
    (body) => {
      expect(anthropicDialect.readReply(body)).toMatchObject([{ type: "error", code: "upstream_error" }]);
    },
  );
});

describe("a refused request", () => {
  it.each([
    [
      { type: "error", error: { type: "invalid_request_error", message: "max_tokens: too large" } },
      "max_tokens: too large",
    ],
    [{ error: { message: "plain" } }, "plain"],
    [{ detail: "else" }, undefined],
    ["<html>", undefined],
  ])("is told in the provider's words (%j)", (body, message) => {
    expect(anthropicDialect.readRefusal(body).message).toBe(message);
  });
});
