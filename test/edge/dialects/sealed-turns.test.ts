/** A tool loop of two turns: what a provider sealed in its first answer returns byte-equal in the next request. */
import { describe, expect, it } from "vitest";
import { anthropicDialect } from "../../../edge/dialects/provider/anthropic/dialect.ts";
import type { ProviderDialect } from "../../../edge/dialects/provider/dialect.ts";
import { geminiDialect } from "../../../edge/dialects/provider/gemini/dialect.ts";
import type { ChatEvent, ChatMessage, ContentPart } from "../../../shared/chat.ts";
import { thinking as claudeThinking } from "../../fixtures/anthropic-streams.ts";
import { thinking as geminiThinking, parallelCalls } from "../../fixtures/gemini-streams.ts";
import { chatRequest, replay, toSse, type WireEvent } from "./replay.ts";

/** The answer as the message a caller sends back; `seal` puts a signature where its provider wants it. */
function toMessage(
  events: readonly ChatEvent[],
  seal: (part: ContentPart, signature: string) => void,
): ChatMessage {
  const parts = new Map<number, ContentPart>();
  const grow = <P extends ContentPart>(block: number, empty: P): P => {
    if (!parts.has(block)) parts.set(block, empty);
    return parts.get(block) as P;
  };
  for (const event of events) {
    if (event.type === "text-delta") grow(event.block, { type: "text", text: "" }).text += event.text;
    if (event.type === "reasoning-delta")
      grow(event.block, { type: "reasoning", text: "" }).text += event.text;
    if (event.type === "redacted-reasoning")
      grow(event.block, { type: "reasoning", text: "", redacted: event.data });
    if (event.type === "tool-call-start") {
      grow(event.block, { type: "tool-call", id: event.id, name: event.name, arguments: "" });
    }
    if (event.type === "tool-call-delta")
      (parts.get(event.block) as { arguments: string }).arguments += event.arguments;
    if (event.type === "signature") seal(parts.get(event.block)!, event.signature);
  }
  return { role: "assistant", parts: [...parts.values()] };
}

function secondTurn(dialect: ProviderDialect, model: string, stream: readonly WireEvent[]) {
  const events = replay(dialect, [toSse(stream, dialect === anthropicDialect)]);
  const message = toMessage(events, (part, signature) => {
    if (dialect === anthropicDialect) Object.assign(part, { signature });
    else Object.assign(part, { providerData: { thoughtSignature: signature } });
  });
  return dialect.writeRequest(chatRequest({ messages: [message] }), { model, maxOutputTokens: 100 }).body;
}

describe("a sealed turn", () => {
  it("of Claude returns its thinking, withheld and redacted thinking too (failures 20)", () => {
    expect(secondTurn(anthropicDialect, "claude-sonnet-4-5", claudeThinking).messages).toEqual([
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "First this.", signature: "c2VhbC1vbmU=" },
          { type: "redacted_thinking", data: "ZW5jcnlwdGVk" },
          { type: "thinking", thinking: "", signature: "c2VhbC10d28=" },
          { type: "text", text: "Done." },
        ],
      },
    ]);
  });

  it("of Gemini returns the signature on the first of parallel calls (failures 21)", () => {
    expect(secondTurn(geminiDialect, "gemini-3-flash", parallelCalls).contents).toEqual([
      {
        role: "model",
        parts: [
          { text: "Looking." },
          {
            functionCall: { id: "call_resp-Hand_1_0", name: "weather", args: { city: "Zürich" } },
            thoughtSignature: "Zmlyc3Q=",
          },
          { functionCall: { id: "call_resp-Hand_1_1", name: "now", args: {} } },
          { functionCall: { id: "given-1", name: "convert", args: { amount: 3 } } },
        ],
      },
    ]);
  });

  it("of Gemini returns the signature of text, and keeps unsigned text a part of its own", () => {
    expect(secondTurn(geminiDialect, "gemini-3-flash", geminiThinking).contents).toEqual([
      { role: "model", parts: [{ text: "Yes", thoughtSignature: "c2VhbA==" }, { text: "Postscript" }] },
    ]);
  });
});
