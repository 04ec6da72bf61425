// Reasoning that a caller of /v1/responses keeps comes sealed and goes back as it was.
import { describe, expect, test } from "vitest";
import {
  alpha,
  anthropicMessage,
  ask,
  beta,
  gamma,
  type Json,
  json,
  readTool,
} from "../support/ask-responses.ts";

const geminiAnswer = (parts: Json[]) => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 },
});

describe("reasoning", () => {
  const thinking = [
    { type: "thinking", thinking: "Let me see.", signature: "sig==" },
    { type: "redacted_thinking", data: "sealed" },
    { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a" } },
  ];
  const asked = {
    input: "x",
    tools: [readTool],
    store: false,
    reasoning: { effort: "high" },
    max_output_tokens: 3_000,
    include: ["reasoning.encrypted_content"],
  };

  test("of Claude comes sealed, and goes back as it was", async () => {
    const first = await ask(beta, asked, [json(anthropicMessage(thinking, "tool_use"))]);
    expect(first.body.output).toMatchObject([
      { type: "reasoning", summary: [{ type: "summary_text", text: "Let me see." }] },
      { type: "reasoning", summary: [] },
      { type: "function_call", arguments: '{"path":"a"}' },
    ]);
    // As clients keep it: without the ids.
    const kept = first.body.output.map(({ id: _id, status: _status, ...item }) => item);
    const input = [
      { role: "user", content: "x" },
      ...kept,
      { type: "function_call_output", call_id: "toolu_1", output: "A" },
    ];
    const second = await ask(beta, { ...asked, input }, [
      json(anthropicMessage([{ type: "text", text: "ok" }])),
    ]);
    expect(second.sent[0]?.body.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: thinking },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
    ]);
  });

  test("seals of Gemini's calls and texts go back on their parts", async () => {
    const parts = [
      { text: "Hm", thought: true },
      { text: "First", thoughtSignature: "text-seal" },
      { functionCall: { id: "g1", name: "read", args: { path: "a" } }, thoughtSignature: "call-seal" },
    ];
    const first = await ask(gamma, asked, [json(geminiAnswer(parts))]);
    const input = [
      { role: "user", content: "x" },
      ...first.body.output,
      { type: "function_call_output", call_id: "g1", output: "A" },
    ];
    const second = await ask(gamma, { ...asked, input }, [json(geminiAnswer([{ text: "ok" }]))]);
    const [, model] = second.sent[0]!.body.contents as { parts: Json[] }[];
    expect(model?.parts).toEqual(parts.slice(1));
  });

  test("sealed by another service is named, not passed on", async () => {
    const input = [
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" },
      { role: "user", content: "x" },
    ];
    const { headers, status } = await ask(alpha, { input });
    expect(status).toBe(200);
    expect(headers.get("x-svc-unsupported")).toBe("reasoning.encrypted_content");
  });
});
