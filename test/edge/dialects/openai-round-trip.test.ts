// Properties of reading and writing together: reading reverses writing, and an answer survives the caller's next turn.
import fc from "fast-check";
import { expect, test } from "vitest";
import { buildMessage } from "../../../edge/dialects/caller/anthropic/write-reply.ts";
import { readChatRequest } from "../../../edge/dialects/caller/openai/read-request.ts";
import { ChatCompletionRequest } from "../../../edge/dialects/caller/openai/schema.ts";
import { buildChatCompletion } from "../../../edge/dialects/caller/openai/write-reply.ts";
import { createChatStreamWriter } from "../../../edge/dialects/caller/openai/write-stream.ts";
import { anthropicDialect } from "../../../edge/dialects/provider/anthropic/dialect.ts";
import { alphaDialect } from "../../../edge/dialects/provider/openai/dialect.ts";
import { createStreamReader, readReply } from "../../../edge/dialects/provider/openai/read-answer.ts";
import { createSseParser } from "../../../edge/stream/sse.ts";
import type { ChatEvent } from "../../../shared/chat.ts";
import { foundTool, preparedCall, serverTools } from "../../fixtures/anthropic-streams.ts";
import { replay, toSse } from "./replay.ts";

const facts = { id: "chatcmpl-1", created: 1, model: "m" };

/** A turn of Claude that OpenAI's fields cannot say: it returns to Claude as it was, by `extra_content`. */
test.each([
  ["server tools, citations and compaction", serverTools],
  ["a call that code made", preparedCall],
  ["a search for tools", foundTool],
])("Claude is sent its own turn back through this dialect: %s", (_name, frames) => {
  const events = replay(anthropicDialect, [toSse(frames, true)]);
  const { choices } = buildChatCompletion(events, facts);
  const writer = createChatStreamWriter({ ...facts, includeUsage: false });
  const streamed = writer
    .write(events)
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => JSON.parse(frame.slice("data: ".length)).choices[0].delta.extra_content)
    .filter((note) => note !== undefined);
  expect(streamed).toEqual([choices[0]!.message.extra_content]);
  const { message } = JSON.parse(JSON.stringify(choices[0]));
  const turn = (assistant: unknown) => {
    const body = ChatCompletionRequest.parse({
      model: "m",
      messages: [{ role: "user", content: "Hi" }, assistant],
    });
    return readChatRequest(body).request;
  };
  const sent = (assistant: unknown) => {
    const { body } = anthropicDialect.writeRequest(turn(assistant), { model: "claude-sonnet-4-5" });
    return (body.messages as { content: Record<string, unknown>[] }[])[1]?.content;
  };
  const { content } = buildMessage(events, { id: "m", model: "m", provider: "anthropic" });
  const whole = (content as Record<string, unknown>[]).filter(
    ({ type, text }) => type !== "text" || text !== "",
  );
  expect(sent(message)).toEqual(whole);
  // What the caller has changed counts.
  expect(sent({ ...message, content: "Something else" })).not.toEqual(whole);
  expect(alphaDialect.writeRequest(turn(message), { model: "gpt-4o" }).unsupported).toContain(
    "extra_content",
  );
});

/** Any text at all, in up to four pieces none of which is empty. */
const pieces = fc.array(fc.string({ minLength: 1, maxLength: 12, unit: "binary" }), {
  minLength: 1,
  maxLength: 4,
});
const seal = fc.option(fc.base64String({ minLength: 4, maxLength: 16 }), { nil: undefined });

type Block =
  | { kind: "text"; texts: string[] }
  | { kind: "reasoning"; texts: string[]; seal: string | undefined }
  | { kind: "redacted"; data: string }
  | { kind: "tool"; id: string; name: string; arguments: string; cut: number; seal: string | undefined };

const block = fc.oneof(
  fc.record({ kind: fc.constant("text" as const), texts: pieces }),
  fc.record({ kind: fc.constant("reasoning" as const), texts: pieces, seal }),
  fc.record({
    kind: fc.constant("redacted" as const),
    data: fc.base64String({ minLength: 4, maxLength: 16 }),
  }),
  fc.record({
    kind: fc.constant("tool" as const),
    id: fc.uuid(),
    name: fc.constantFrom("find", "open"),
    arguments: fc
      .dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }))
      .map((value) => JSON.stringify(value)),
    cut: fc.nat(40),
    seal,
  }),
);

function toEvents(choice: number, item: Block, number: number): ChatEvent[] {
  const at = { choice, block: number };
  const sealed = (signature: string | undefined): ChatEvent[] =>
    signature === undefined ? [] : [{ type: "signature", ...at, signature }];
  switch (item.kind) {
    case "text":
      return item.texts.map((text) => ({ type: "text-delta", ...at, text }));
    case "reasoning":
      return [
        ...item.texts.map((text): ChatEvent => ({ type: "reasoning-delta", ...at, text })),
        ...sealed(item.seal),
      ];
    case "redacted":
      return [{ type: "redacted-reasoning", ...at, data: item.data }];
    case "tool": {
      const halves = [item.arguments.slice(0, item.cut), item.arguments.slice(item.cut)].filter(
        (half) => half !== "",
      );
      return [
        { type: "tool-call-start", ...at, id: item.id, name: item.name },
        ...halves.map((half): ChatEvent => ({ type: "tool-call-delta", ...at, arguments: half })),
        ...sealed(item.seal),
        { type: "tool-call-end", ...at },
      ];
    }
  }
}

const answer = fc.array(fc.array(block, { maxLength: 6 }), { minLength: 1, maxLength: 2 }).map((choices) =>
  choices.flatMap((blocks, choice): ChatEvent[] => [
    ...blocks.flatMap((item, number) => toEvents(choice, item, number)),
    {
      type: "finish",
      choice,
      reason: blocks.some(({ kind }) => kind === "tool") ? "tool-calls" : "stop",
      raw: "stop",
    },
  ]),
);

function* batchesOf(events: readonly ChatEvent[], sizes: readonly number[]) {
  for (let at = 0, turn = 0; at < events.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield events.slice(at, at + size);
    at += size;
  }
}

const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 });

test("a stream we write reads back as the same answer, however its events are batched", () => {
  fc.assert(
    fc.property(answer, sizes, (events, batchSizes) => {
      const writer = createChatStreamWriter({ ...facts, includeUsage: false });
      let text = writer.first({});
      for (const batch of batchesOf(events, batchSizes)) text += writer.write(batch);
      const reader = createStreamReader();
      const messages = createSseParser().push(new TextEncoder().encode(text + writer.last({})));
      const read = [...messages.flatMap((message) => reader.read(message)), ...reader.close()];
      expect(buildChatCompletion(read, facts).choices).toEqual(buildChatCompletion(events, facts).choices);
    }),
    { numRuns: 300 },
  );
});

test("a JSON answer reads back as itself", () => {
  fc.assert(
    fc.property(answer, (events) => {
      const completion = buildChatCompletion(events, facts);
      const { choices } = buildChatCompletion(readReply(JSON.parse(JSON.stringify(completion))), facts);
      expect(choices).toEqual(completion.choices);
    }),
    { numRuns: 300 },
  );
});

test("an answer sent back as history keeps text, calls, reasoning and every signature byte-equal", () => {
  fc.assert(
    fc.property(answer, (events) => {
      const message = buildChatCompletion(events, facts).choices[0]?.message;
      const body = ChatCompletionRequest.parse({
        model: "m",
        messages: [JSON.parse(JSON.stringify(message))],
      });
      const parts = readChatRequest(body).request.messages[0]?.parts ?? [];
      const read = {
        content: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""),
        calls: parts.flatMap((part) =>
          part.type === "tool-call"
            ? [[part.id, part.name, part.arguments, part.providerData?.thoughtSignature]]
            : [],
        ),
        reasoning: parts.flatMap((part) =>
          part.type === "reasoning" ? [[part.text, part.signature, part.redacted]] : [],
        ),
      };
      expect(read).toEqual({
        content: message?.content ?? "",
        calls: (message?.tool_calls ?? []).map((call) => [
          call.id,
          "function" in call && call.function.name,
          "function" in call && call.function.arguments,
          call.extra_content?.google.thought_signature,
        ]),
        reasoning: (message?.reasoning_details ?? []).map((detail) => [
          detail.text ?? "",
          detail.signature ?? undefined,
          detail.data ?? undefined,
        ]),
      });
    }),
    { numRuns: 300 },
  );
});

test("no chunk of any JSON makes the reader throw, and an error is always the last event", () => {
  const tag = fc.oneof(fc.string(), fc.integer(), fc.constant({ toString: null }));
  const detail = fc.record({ type: tag, index: tag, text: fc.string(), signature: fc.string() });
  const wild = fc.oneof(
    fc.jsonValue(),
    fc.record({
      choices: fc.array(
        fc.record({
          index: fc.oneof(fc.integer(), fc.jsonValue()),
          delta: fc.oneof(
            fc.jsonValue(),
            fc.record({
              content: fc.jsonValue(),
              tool_calls: fc.jsonValue(),
              reasoning_details: fc.array(fc.oneof(fc.jsonValue(), detail)),
              extra_content: fc.jsonValue(),
            }),
          ),
          finish_reason: fc.jsonValue(),
          logprobs: fc.jsonValue(),
        }),
      ),
      usage: fc.jsonValue(),
    }),
  );
  fc.assert(
    fc.property(fc.array(wild, { maxLength: 6 }), (chunks) => {
      const reader = createStreamReader();
      const events = [
        ...chunks.flatMap((chunk) => reader.read({ data: JSON.stringify(chunk) })),
        ...reader.close(),
      ];
      const failures = events.filter(({ type }) => type === "error");
      expect(failures.length).toBeLessThanOrEqual(1);
      if (failures.length > 0) expect(events.at(-1)).toBe(failures[0]);
      createChatStreamWriter({ ...facts, includeUsage: true }).write(events);
      for (const chunk of chunks) readReply(chunk);
    }),
    { numRuns: 500 },
  );
});
