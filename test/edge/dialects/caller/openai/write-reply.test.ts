import { describe, expect, test } from "vitest";
import { writeUsage } from "../../../../../edge/dialects/caller/openai/write-end.ts";
import { writeOpenaiError } from "../../../../../edge/dialects/caller/openai/write-error.ts";
import { buildChatCompletion } from "../../../../../edge/dialects/caller/openai/write-reply.ts";
import { readUsage } from "../../../../../edge/dialects/provider/openai/read-end.ts";
import type { ChatEvent, Usage } from "../../../../../shared/chat.ts";
import { GatewayError } from "../../../../../shared/errors.ts";

const unused = { audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 };
const facts = { id: "chatcmpl-1", created: 7, model: "svc-x1ac-base-gpt-4o" };
const at = { choice: 0, block: 0 };
const finish = (reason: "stop" | "tool-calls" = "stop"): ChatEvent => ({
  type: "finish",
  choice: 0,
  reason,
  raw: reason,
});
const message = (...events: ChatEvent[]) =>
  buildChatCompletion([...events, finish()], facts).choices[0]?.message;

describe("a chat completion", () => {
  test("ends in calls only where there is one (failures 70)", () => {
    const text: ChatEvent = { type: "text-delta", ...at, text: "I read it." };
    const call: ChatEvent = { type: "tool-call-start", choice: 0, block: 1, id: "call_1", name: "read" };
    const reasonOf = (...events: ChatEvent[]) =>
      buildChatCompletion([...events, finish("tool-calls")], facts).choices[0]?.finish_reason;
    expect(reasonOf(text)).toBe("stop");
    expect(reasonOf(text, call)).toBe("tool_calls");
  });

  test("has the interface's fields, metadata and usage", () => {
    const usage: Usage = { input: 3, output: 2, total: 5, cachedInput: 1, cacheWrite: 0, reasoning: 1 };
    const events: ChatEvent[] = [
      {
        type: "start",
        id: "provider-id",
        model: "gpt-4o-2024",
        providerData: { service_tier: "default", system_fingerprint: "fp" },
      },
      { type: "text-delta", ...at, text: "Hi" },
      { type: "text-delta", choice: 0, block: 2, text: " there" },
      finish(),
      { type: "usage", usage },
    ];
    expect(buildChatCompletion(events, { ...facts, svc: { svc_model: "x1ac-base" } })).toEqual({
      ...facts,
      object: "chat.completion",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Hi there", refusal: null },
          logprobs: null,
          finish_reason: "stop",
          native_finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 3,
        completion_tokens: 2,
        total_tokens: 5,
        prompt_tokens_details: { cached_tokens: 1, audio_tokens: 0 },
        completion_tokens_details: { ...unused, reasoning_tokens: 1 },
      },
      service_tier: "default",
      system_fingerprint: "fp",
      svc: { svc_model: "x1ac-base" },
    });
  });

  test("content is null where tools are called without text, and kept beside them", () => {
    const call: ChatEvent[] = [{ type: "tool-call-start", choice: 0, block: 1, id: "a", name: "f" }];
    expect(message(...call)).toMatchObject({
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
    });
    expect(message({ type: "text-delta", ...at, text: "Let me." }, ...call)?.content).toBe("Let me.");
    expect(buildChatCompletion([...call, finish()], facts).choices[0]?.finish_reason).toBe("tool_calls");
  });

  test("an empty answer is empty text; a refusal alone is not", () => {
    expect(message()).toMatchObject({ content: "", refusal: null });
    expect(message({ type: "refusal-delta", ...at, text: "no" })).toMatchObject({
      content: null,
      refusal: "no",
    });
  });

  test("keeps signatures: reasoning's in its entries, Gemini's on text and calls", () => {
    const google = (signature: string) => ({ google: { thought_signature: signature } });
    expect(
      message(
        { type: "reasoning-delta", choice: 0, block: 0, text: "H" },
        { type: "reasoning-delta", choice: 0, block: 0, text: "m" },
        { type: "signature", choice: 0, block: 0, signature: "R" },
        { type: "redacted-reasoning", choice: 0, block: 1, data: "ENC" },
        { type: "text-delta", choice: 0, block: 2, text: "x" },
        { type: "signature", choice: 0, block: 2, signature: "T" },
        { type: "tool-call-start", choice: 0, block: 3, id: "a", name: "f" },
        { type: "signature", choice: 0, block: 3, signature: "C" },
      ),
    ).toEqual({
      role: "assistant",
      content: "x",
      refusal: null,
      reasoning_content: "Hm",
      reasoning_details: [
        { type: "reasoning.text", text: "Hm", signature: "R", index: 0 },
        { type: "reasoning.encrypted", data: "ENC", index: 1 },
      ],
      tool_calls: [
        { id: "a", type: "function", function: { name: "f", arguments: "{}" }, extra_content: google("C") },
      ],
      extra_content: google("T"),
    });
  });

  test("joins log probabilities, citations and spoken answers", () => {
    const opaque = (data: Record<string, unknown>): ChatEvent => ({
      type: "opaque",
      ...at,
      dialect: "openai",
      data,
    });
    const events: ChatEvent[] = [
      { type: "logprobs", choice: 0, data: { content: [1], refusal: null } },
      { type: "logprobs", choice: 0, data: { content: [2], refusal: null } },
      opaque({ annotations: ["a"] }),
      opaque({ annotations: ["b"] }),
      opaque({ audio: { id: "au", data: "AA" } }),
      opaque({ audio: { data: "BB", expires_at: 9 } }),
      { type: "opaque", ...at, dialect: "gemini", data: { annotations: ["no"] } },
    ];
    expect(message(...events)).toMatchObject({
      annotations: ["a", "b"],
      audio: { id: "au", data: "AABB", expires_at: 9 },
    });
    expect(buildChatCompletion(events, facts).choices[0]?.logprobs).toEqual({
      content: [1, 2],
      refusal: null,
    });
  });

  test("the usage we settled by wins over the last one reported", () => {
    const zero: Usage = { input: 0, output: 0, total: 0, cachedInput: 0, cacheWrite: 0, reasoning: 0 };
    expect(
      buildChatCompletion([{ type: "usage", usage: { ...zero, input: 9 } }], { ...facts, usage: zero }).usage
        ?.prompt_tokens,
    ).toBe(0);
  });
});

describe("usage", () => {
  test.each([
    [
      "xAI's total stays exact",
      {
        prompt_tokens: 12,
        completion_tokens: 2,
        total_tokens: 354,
        completion_tokens_details: { reasoning_tokens: 340, audio_tokens: 0 },
        num_sources_used: 0,
      },
    ],
    [
      "Groq's timings stay",
      { queue_time: 0.04, prompt_tokens: 210, completion_tokens: 15, total_tokens: 225, total_time: 0.05 },
    ],
    [
      "OpenAI's details stay",
      {
        prompt_tokens: 5,
        completion_tokens: 6,
        total_tokens: 11,
        prompt_tokens_details: { cached_tokens: 2, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 1, accepted_prediction_tokens: 3 },
      },
    ],
  ])("%s", (_, raw) => {
    const usage = readUsage(raw);
    expect(usage && writeUsage(usage)).toMatchObject(raw);
  });

  test("another dialect's figures are written in OpenAI's fields, without its own object", () => {
    const raw = { input_tokens: 3, cache_read_input_tokens: 100 };
    expect(
      writeUsage({ input: 103, output: 5, total: 108, cachedInput: 100, cacheWrite: 4, reasoning: 0, raw }),
    ).toEqual({
      prompt_tokens: 103,
      completion_tokens: 5,
      total_tokens: 108,
      prompt_tokens_details: { cached_tokens: 100, audio_tokens: 0, cache_write_tokens: 4 },
      completion_tokens_details: { ...unused, reasoning_tokens: 0 },
    });
  });
});

describe("an error body", () => {
  test.each<[GatewayError, object]>([
    [
      new GatewayError("invalid_api_key", "m"),
      { message: "m", type: "authentication_error", code: "invalid_api_key", param: null },
    ],
    [
      new GatewayError("insufficient_credits", "m", { requiredCredits: 0.5, availableCredits: 0 }),
      {
        message: "m",
        type: "insufficient_credits",
        code: "insufficient_credits",
        param: null,
        required_credits: 0.5,
        available_credits: 0,
      },
    ],
    [
      new GatewayError("missing_provider_key", "m"),
      { message: "m", type: "missing_provider_key", code: null, param: null },
    ],
    [
      new GatewayError("validation_error", "m", { details: ["a: b"], param: "a" }),
      { message: "m", type: "validation_error", code: null, param: "a", details: ["a: b"] },
    ],
    [
      new GatewayError("upstream_error", "m", { retryAfterSeconds: 3, headers: { x: "y" } }, "secret-tag"),
      { message: "m", type: "upstream_error", code: "upstream_error", param: null },
    ],
  ])("%s", (error, expected) => {
    expect(writeOpenaiError(error)).toEqual({ error: expected });
  });
});
