/** Why an answer ended, between the hub's words and OpenAI's. Null-prototype: keys come from the wire. */
import type { FinishReason } from "../../../shared/chat.ts";

export type WireFinishReason = "stop" | "length" | "tool_calls" | "content_filter";

const table = <T>(rows: Record<string, T>): Readonly<Record<string, T>> =>
  Object.assign(Object.create(null), rows);

/** OpenAI's four, and what servers that imitate it send instead. */
const fromWire = table<FinishReason>({
  stop: "stop",
  eos: "stop",
  end_turn: "stop",
  stop_sequence: "stop-sequence",
  length: "length",
  max_tokens: "length",
  tool_calls: "tool-calls",
  tool_use: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
  refusal: "refusal",
});

const toWire: Readonly<Record<FinishReason, WireFinishReason>> = {
  stop: "stop",
  "stop-sequence": "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
  refusal: "content_filter",
  pause: "stop",
  other: "stop",
};

/** OpenAI says `stop` where a tool was forced by name: with tool calls in the answer that is `tool-calls`. */
export function readFinishReason(raw: string, toolsCalled: boolean): FinishReason {
  const reason = fromWire[raw] ?? "other";
  return toolsCalled && (reason === "stop" || reason === "other") ? "tool-calls" : reason;
}

export function writeFinishReason(reason: FinishReason, toolsCalled: boolean): WireFinishReason {
  const wire = toWire[reason];
  return toolsCalled && wire === "stop" && reason !== "pause" ? "tool_calls" : wire;
}
