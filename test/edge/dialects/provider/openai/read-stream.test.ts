// A stream in OpenAI's format: its text, and what it carries beside text.
import { describe, expect, test } from "vitest";
import { buildChatCompletion } from "../../../../../edge/dialects/caller/openai/write-reply.ts";
import { createStreamReader } from "../../../../../edge/dialects/provider/openai/read-answer.ts";
import { createSseParser } from "../../../../../edge/stream/sse.ts";
import type { ChatEvent } from "../../../../../shared/chat.ts";
import { chunk, delta, done, finish, streams, toSse } from "../../../../fixtures/openai-streams.ts";
import { facts, ofType, readFrames } from "./read-frames.ts";

function readPieces(pieces: Iterable<Uint8Array>): ChatEvent[] {
  const parser = createSseParser();
  const reader = createStreamReader();
  const events: ChatEvent[] = [];
  for (const piece of pieces) events.push(...parser.push(piece).flatMap((message) => reader.read(message)));
  return [...events, ...parser.end().flatMap((message) => reader.read(message)), ...reader.close()];
}

describe("every fixture stream", () => {
  for (const { name, frames, answer } of streams) {
    test(`gives its answer: ${name}`, () => {
      const events = readFrames(frames);
      const [choice, ...others] = buildChatCompletion(events, facts).choices;
      expect(others).toEqual([]);
      expect(choice?.finish_reason).toBe(answer.finish);
      expect(choice?.message.content).toBe(answer.text ?? null);
      expect(choice?.message.refusal).toBe(answer.refusal ?? null);
      expect(choice?.message.reasoning_content).toBe(answer.reasoning);
      const calls = choice?.message.tool_calls
        ?.flatMap((call) => ("function" in call ? [call.function] : []))
        .map((called) => ({
          name: called.name,
          arguments: JSON.parse(called.arguments),
        }));
      expect(calls).toEqual(answer.tools);
      const usage = ofType(events, "usage").at(-1)?.usage;
      expect(usage && [usage.input, usage.output, usage.total]).toEqual(answer.usage);
      expect(ofType(events, "error")).toEqual([]);
    });

    test(`numbers its blocks from 0, closes each tool once, finishes once: ${name}`, () => {
      const events = readFrames(frames);
      const started = [...new Set(events.flatMap((event) => ("block" in event ? [event.block] : [])))];
      expect(started).toEqual(started.map((_, index) => index));
      expect(ofType(events, "tool-call-end").map(({ block }) => block)).toEqual(
        ofType(events, "tool-call-start").map(({ block }) => block),
      );
      expect(new Set(ofType(events, "tool-call-start").map(({ id }) => id)).size).toBe(
        answer.tools?.length ?? 0,
      );
      expect(ofType(events, "finish")).toHaveLength(1);
      expect(ofType(events, "start")).toHaveLength(1);
    });

    test(`gives the same events when cut at every byte: ${name}`, () => {
      const bytes = new TextEncoder().encode(`: OPENROUTER PROCESSING\n\n${toSse(frames)}`);
      const expected = readFrames(frames);
      for (let at = 0; at <= bytes.length; at++) {
        expect(readPieces([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
      }
    });

    test.each(["\n", "\r\n", "\r"])(
      `gives the same events byte by byte and without the last blank line (line end %j): ${name}`,
      (lineEnd) => {
        const bytes = new TextEncoder().encode(toSse(frames, lineEnd));
        const expected = readFrames(frames);
        expect(readPieces([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
        expect(readPieces([bytes.subarray(0, bytes.length - lineEnd.length)])).toEqual(expected);
      },
    );
  }
});

describe("what an answer carries beside text", () => {
  test("the aggregator's reasoning entries keep id, format and kind; each signature follows its block", () => {
    const events = readFrames([
      delta({
        reasoning_details: [
          { type: "reasoning.summary", summary: "Sum", id: "rs_1", format: "openai-responses-v1", index: 0 },
        ],
      }),
      delta({
        reasoning_details: [
          { type: "reasoning.encrypted", data: "ENC", id: "rs_1", format: "openai-responses-v1", index: 1 },
        ],
      }),
      delta({ content: "a" }),
      finish("stop"),
    ]);
    expect(events.slice(1, 3)).toEqual([
      {
        type: "reasoning-delta",
        choice: 0,
        block: 0,
        text: "Sum",
        providerData: {
          reasoning_detail: {
            type: "reasoning.summary",
            id: "rs_1",
            format: "openai-responses-v1",
            index: 0,
          },
        },
      },
      {
        type: "redacted-reasoning",
        choice: 0,
        block: 1,
        data: "ENC",
        providerData: { reasoning_detail: { id: "rs_1", format: "openai-responses-v1", index: 1 } },
      },
    ]);
  });

  test("a signature without text opens its block with an empty delta", () => {
    const events = readFrames([
      delta({ reasoning_details: [{ type: "reasoning.text", text: "", signature: "s", index: 0 }] }),
      finish("stop"),
    ]);
    expect(events.slice(1, 3)).toMatchObject([
      { type: "reasoning-delta", block: 0, text: "" },
      { type: "signature", block: 0, signature: "s" },
    ]);
  });

  test("Gemini's signatures of calls and texts are events of their own", () => {
    const seal = { extra_content: { google: { thought_signature: "seal" } } };
    const events = readFrames([
      delta({ content: "a", ...seal }),
      delta({ tool_calls: [{ id: "x", function: { name: "f", arguments: "{}" }, ...seal }] }),
      finish("tool_calls"),
    ]);
    expect(ofType(events, "signature")).toEqual([
      { type: "signature", choice: 0, block: 0, signature: "seal" },
      { type: "signature", choice: 0, block: 1, signature: "seal" },
    ]);
  });

  test("log probabilities, citations and images are handed on whole", () => {
    const logprobs = {
      content: [{ token: "a", logprob: -0.1, bytes: [97], top_logprobs: [] }],
      refusal: null,
    };
    const annotations = [{ type: "url_citation", url_citation: { url: "https://example.com" } }];
    const events = readFrames([
      chunk({ delta: { content: "a", annotations, audio: null, images: [] }, logprobs }),
      finish("stop"),
    ]);
    expect(ofType(events, "logprobs").map(({ data }) => data)).toEqual([logprobs]);
    expect(ofType(events, "opaque")).toMatchObject([{ dialect: "openai", data: { annotations } }]);
  });

  test("what comes for a choice after its end is dropped", () => {
    const logprobs = { content: [{ token: "b", logprob: -0.1, bytes: [98], top_logprobs: [] }] };
    const events = readFrames([
      delta({ content: "a" }),
      finish("stop"),
      chunk({ delta: { content: "b" }, logprobs }),
      done,
    ]);
    expect(events.at(-1)?.type).toBe("finish");
  });

  test("choices of n > 1 keep their index and number their own blocks", () => {
    const events = readFrames([
      chunk({ index: 1, delta: { content: "b" } }),
      chunk({ index: 0, delta: { content: "a" } }),
      chunk({ index: 1, delta: {}, finish_reason: "stop" }),
      chunk({ index: 0, delta: {}, finish_reason: "length" }),
      done,
    ]);
    const { choices } = buildChatCompletion(events, facts);
    expect(
      choices.map(({ index, message, finish_reason: reason }) => [index, message.content, reason]),
    ).toEqual([
      [0, "a", "length"],
      [1, "b", "stop"],
    ]);
    expect(ofType(events, "text-delta").map(({ block }) => block)).toEqual([0, 0]);
  });

  test("a call without an id gets one from the answer's own, within OpenAI's 40 characters", () => {
    const frame = delta(
      { tool_calls: [{ index: 0, function: { name: "f" } }] },
      { id: `chatcmpl-${"x".repeat(80)}` },
    );
    const [call] = ofType(readFrames([frame, finish("stop")]), "tool-call-start");
    expect(call?.id).toMatch(/^call_x{24}_0_0$/);
    expect(call?.id.length).toBeLessThanOrEqual(40);
  });
});
