/**
 * A tool loop of two turns through /v1/messages: what a provider sealed in its first answer returns to it
 * byte-equal in the next request, although the caller knows only Anthropic's blocks (failures 20, 21).
 */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readMessagesRequest } from "../../../../../edge/dialects/caller/anthropic/read-request.ts";
import { MessagesRequest } from "../../../../../edge/dialects/caller/anthropic/schema.ts";
import { readToolUseId, writeToolUseId } from "../../../../../edge/dialects/caller/anthropic/seals.ts";
import { buildMessage } from "../../../../../edge/dialects/caller/anthropic/write-reply.ts";
import { anthropicDialect } from "../../../../../edge/dialects/provider/anthropic/dialect.ts";
import type { ProviderDialect } from "../../../../../edge/dialects/provider/dialect.ts";
import { geminiDialect } from "../../../../../edge/dialects/provider/gemini/dialect.ts";
import { alphaDialect, routerDialect } from "../../../../../edge/dialects/provider/openai/dialect.ts";
import {
  thinking as claudeThinking,
  preparedCall,
  serverTools,
} from "../../../../fixtures/anthropic-streams.ts";
import {
  thinking as geminiThinking,
  otherParts,
  parallelCalls,
} from "../../../../fixtures/gemini-streams.ts";
import { delta, finish, streams as openaiStreams } from "../../../../fixtures/openai-streams.ts";
import { replay, toSse, type WireEvent } from "../../replay.ts";

const events = (dialect: ProviderDialect, frames: readonly WireEvent[]) =>
  replay(dialect, [toSse(frames, dialect.name === "anthropic")]);

/** The answer as a caller's client holds it and sends it back: JSON, nothing but Anthropic's fields read. */
function answer(dialect: ProviderDialect, frames: readonly WireEvent[]) {
  const message = buildMessage(events(dialect, frames), { id: "msg_1", model: "m", provider: dialect.name });
  return JSON.parse(JSON.stringify(message.content)) as Record<string, unknown>[];
}

/** What the provider is sent in the second turn. */
function secondTurn(dialect: ProviderDialect, model: string, content: unknown[]) {
  const body = MessagesRequest.parse({
    model: "m",
    max_tokens: 100,
    messages: [
      { role: "user", content: "Hello" },
      { role: "assistant", content },
    ],
  });
  return dialect.writeRequest(readMessagesRequest(body).request, { model });
}

describe("Claude, through its own dialect", () => {
  test.each([
    ["thinking, withheld and redacted", claudeThinking],
    ["server tools, citations and compaction", serverTools],
    ["a call that code made", preparedCall],
  ])("is sent its own blocks: %s", (_name, frames) => {
    const content = answer(anthropicDialect, frames);
    const { body, unsupported } = secondTurn(anthropicDialect, "claude-sonnet-4-5", content);
    const [, turn] = body.messages as { content: unknown[] }[];
    // An empty text block is what Anthropic sends and refuses.
    expect(turn?.content).toEqual(content.filter(({ type, text }) => type !== "text" || text !== ""));
    expect(unsupported).toEqual([]);
  });
});

describe("Gemini", () => {
  const turnOf = (frames: readonly WireEvent[], keep = (_block: Record<string, unknown>) => true) => {
    const content = answer(geminiDialect, frames).filter(keep);
    const { body } = secondTurn(geminiDialect, "gemini-3-flash", content);
    return (body.contents as { parts: unknown[] }[])[1]?.parts;
  };

  test("gets the signature of each call back on that call, with its own ids", () => {
    expect(turnOf(parallelCalls)).toEqual([
      { text: "Looking." },
      {
        functionCall: { id: "call_resp-Hand_1_0", name: "weather", args: { city: "Zürich" } },
        thoughtSignature: "Zmlyc3Q=",
      },
      { functionCall: { id: "call_resp-Hand_1_1", name: "now", args: {} } },
      { functionCall: { id: "given-1", name: "convert", args: { amount: 3 } } },
    ]);
  });

  test("gets the signature of text back, and unsigned text as a part of its own", () => {
    expect(turnOf(geminiThinking)).toEqual([
      { text: "Yes", thoughtSignature: "c2VhbA==" },
      { text: "Postscript" },
    ]);
  });

  test("gets parts back that this dialect cannot show, and no notes about them", () => {
    expect(turnOf(otherParts)).toEqual([
      { text: "Running." },
      { executableCode: { language: "PYTHON", code: "print(1)" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n" } },
      { inlineData: { mimeType: "image/png", data: "iVBORw0=" }, thoughtSignature: "aW1n" },
      { text: "Done." },
    ]);
  });

  test("gets the documented signature on a call whose seal the client threw away", () => {
    const [, call] = turnOf(parallelCalls, ({ type }) => type !== "redacted_thinking") ?? [];
    expect(call).toMatchObject({ thoughtSignature: "skip_thought_signature_validator" });
  });

  test("gives its call's seal before the call, so that the call stays the last block", () => {
    expect(answer(geminiDialect, parallelCalls).map(({ type }) => type)).toEqual([
      "text",
      "redacted_thinking",
      "tool_use",
      "tool_use",
      "tool_use",
    ]);
  });
});

describe("the aggregator", () => {
  const turnOf = (frames: readonly WireEvent[]) => {
    const { body } = secondTurn(routerDialect, "vendor/model", answer(routerDialect, frames));
    return (body.messages as Record<string, unknown>[])[1];
  };
  const parse = (frames: readonly string[]) =>
    frames.filter((frame) => frame.startsWith("{")).map((frame) => JSON.parse(frame) as WireEvent);

  test("gets reasoning details back as it gave them", () => {
    const claude = openaiStreams.find(({ name }) => /OpenRouter/.test(name));
    expect(turnOf(parse(claude?.frames ?? []))).toEqual({
      role: "assistant",
      content: "Yes.",
      reasoning_details: [
        {
          type: "reasoning.text",
          text: "Let me see",
          signature: "c2ln",
          format: "anthropic-claude-v1",
          index: 0,
        },
      ],
    });
  });

  test("gets encrypted reasoning back, and calls under any id", () => {
    const sealed = {
      type: "reasoning.encrypted",
      data: "Z0FB",
      id: "rs_1",
      format: "openai-responses-v1",
      index: 0,
    };
    const call = { id: "functions.now:0", type: "function", function: { name: "now", arguments: "" } };
    const frames = [
      delta({ reasoning_details: [sealed] }),
      delta({ tool_calls: [{ index: 0, ...call }] }),
      finish("tool_calls"),
    ];
    expect(turnOf(parse(frames))).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [{ ...call, function: { name: "now", arguments: "{}" } }],
      reasoning_details: [sealed],
    });
  });

  test("gets reasoning without a seal back as text, which DeepSeek's tool loops need", () => {
    const frames = [
      delta({ reasoning_content: "First " }),
      delta({ reasoning_content: "this." }),
      delta({ content: "Yes" }),
      finish("stop"),
    ];
    expect(turnOf(parse(frames))).toEqual({ role: "assistant", content: "Yes", reasoning: "First this." });
  });
});

describe("OpenAI", () => {
  test("gets a refusal back as a refusal", () => {
    const frames = [delta({ refusal: "I can't " }), delta({ refusal: "do that." }), finish("stop")].map(
      (frame) => JSON.parse(frame) as WireEvent,
    );
    const hub = events(alphaDialect, frames);
    const message = buildMessage(hub, { id: "msg_1", model: "m", provider: "openai" });
    expect(message.stop_reason).toBe("refusal");
    expect(message.content[0]).toMatchObject({ type: "text", text: "I can't do that." });
    const { body } = secondTurn(alphaDialect, "gpt-4o", message.content);
    expect((body.messages as unknown[])[1]).toEqual({
      role: "assistant",
      content: null,
      refusal: "I can't do that.",
    });
  });

  test("notes about an answer are given under extra_content and never sent back", () => {
    const citation = { type: "url_citation", url_citation: { url: "https://example.com", title: "T" } };
    const frames = [delta({ content: "Yes" }), delta({ annotations: [citation] }), finish("stop")].map(
      (frame) => JSON.parse(frame) as WireEvent,
    );
    const message = buildMessage(events(alphaDialect, frames), { id: "m", model: "m", provider: "openai" });
    expect(message.extra_content).toEqual({ openai: { annotations: [citation] } });
    const { body } = secondTurn(alphaDialect, "gpt-4o", message.content);
    expect((body.messages as unknown[])[1]).toEqual({ role: "assistant", content: "Yes" });
  });
});

describe("ids of tool calls", () => {
  test("have Anthropic's form and return as the provider gave them, whatever they are", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), fc.boolean(), (id, own) => {
        const written = writeToolUseId(id, own);
        expect(written).toMatch(/^toolu_[\w-]+$/);
        expect(readToolUseId(written)).toBe(id);
      }),
    );
    for (const id of ["toolu_01A", "toolu_svc_x", "toolu_svc64_eA", "call_a.b", "call_1"]) {
      for (const own of [true, false]) expect(readToolUseId(writeToolUseId(id, own))).toBe(id);
    }
  });

  test("of Anthropic reach the caller unchanged", () => {
    expect(writeToolUseId("toolu_01A", true)).toBe("toolu_01A");
  });
});

test("a signature that this service did not seal is Anthropic's, and passed on", () => {
  for (const signature of ["c2ln", "svc1.", "svc1.!!", "svc1.e30x"]) {
    const { body } = secondTurn(anthropicDialect, "claude-sonnet-4-5", [
      { type: "thinking", thinking: "Hm", signature },
    ]);
    expect((body.messages as unknown[])[1]).toEqual({
      role: "assistant",
      content: [{ type: "thinking", thinking: "Hm", signature }],
    });
  }
});
