// Reasoning, seals, log probabilities and other providers' blocks in a stream of OpenAI's format.
import { describe, expect, test } from "vitest";
import { createChatStreamWriter } from "../../../../../edge/dialects/caller/openai/write-stream.ts";
import type { ChatEvent } from "../../../../../shared/chat.ts";
import { at, options, readChunks } from "./written-chunks.ts";

describe("reasoning and the rest", () => {
  const deltas = (events: ChatEvent[]) =>
    readChunks(createChatStreamWriter(options).write(events)).map(({ choices }) => choices[0]?.delta);

  test("reasoning is written in both common forms, its signature with the index of its block", () => {
    expect(
      deltas([
        { type: "reasoning-delta", choice: 0, block: 0, text: "Hm" },
        { type: "signature", choice: 0, block: 0, signature: "S0" },
        { type: "redacted-reasoning", choice: 0, block: 1, data: "ENC" },
        { type: "reasoning-delta", choice: 0, block: 2, text: "" },
        { type: "signature", choice: 0, block: 2, signature: "S2" },
      ]),
    ).toEqual([
      { reasoning_content: "Hm", reasoning_details: [{ type: "reasoning.text", text: "Hm", index: 0 }] },
      { reasoning_details: [{ type: "reasoning.text", text: "", signature: "S0", index: 0 }] },
      { reasoning_details: [{ type: "reasoning.encrypted", data: "ENC", index: 1 }] },
      { reasoning_details: [{ type: "reasoning.text", text: "", signature: "S2", index: 2 }] },
    ]);
  });

  test("the aggregator's own fields of an entry come out as they came in", () => {
    const detail = { type: "reasoning.summary", id: "rs", format: "openai-responses-v1", index: 7 };
    expect(
      deltas([{ type: "reasoning-delta", ...at, text: "S", providerData: { reasoning_detail: detail } }]),
    ).toEqual([{ reasoning_content: "S", reasoning_details: [{ ...detail, summary: "S" }] }]);
  });

  test("a signature of text is written as Gemini's", () => {
    expect(
      deltas([
        { type: "text-delta", ...at, text: "a" },
        { type: "signature", ...at, signature: "S" },
      ])[1],
    ).toEqual({
      extra_content: { google: { thought_signature: "S" } },
    });
  });

  test("log probabilities share the chunk of their text, and have both fields of OpenAI's", () => {
    const data = { content: [{ token: "a" }] };
    const chunks = readChunks(
      createChatStreamWriter(options).write([
        { type: "text-delta", ...at, text: "a" },
        { type: "logprobs", choice: 0, data },
        { type: "logprobs", choice: 0, data },
      ]),
    );
    expect(chunks.map(({ choices }) => choices[0])).toEqual([
      { index: 0, delta: { content: "a" }, logprobs: { ...data, refusal: null }, finish_reason: null },
      { index: 0, delta: {}, logprobs: { ...data, refusal: null }, finish_reason: null },
    ]);
  });

  test("our dialect's own blocks are fields of the delta; another dialect's are not on this wire", () => {
    expect(
      deltas([
        { type: "opaque", ...at, dialect: "openai", data: { annotations: [1] } },
        { type: "opaque", ...at, dialect: "anthropic", data: { type: "server_tool_use" } },
      ]),
    ).toEqual([{ annotations: [1] }]);
  });
});
