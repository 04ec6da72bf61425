import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { createChatStreamWriter } from "../../../../../edge/dialects/caller/openai/write-stream.ts";
import { createStreamReader } from "../../../../../edge/dialects/provider/openai/read-answer.ts";
import type { ChatEvent, FinishReason, Usage } from "../../../../../shared/chat.ts";
import { streams } from "../../../../fixtures/openai-streams.ts";
import { at, options, readChunks, readFrames } from "./written-chunks.ts";

const usage: Usage = { input: 10, output: 5, total: 15, cachedInput: 4, cacheWrite: 0, reasoning: 2 };
const stop: ChatEvent = { type: "finish", choice: 0, reason: "stop", raw: "stop" };

function write(batches: readonly (readonly ChatEvent[])[], counts?: Usage): string {
  const writer = createChatStreamWriter(options);
  return (
    writer.first({ phase: "plan" }) +
    batches.map((batch) => writer.write(batch)).join("") +
    writer.last({ phase: "all" }, counts)
  );
}

/** The answer as the official client puts it together from our bytes. */
async function readWithOpenai(text: string, tools: OpenAI.ChatCompletionFunctionTool[] = []) {
  const client = new OpenAI({
    apiKey: "test",
    baseURL: "https://svc.test/v1",
    maxRetries: 0,
    fetch: async () => new Response(text, { headers: { "content-type": "text/event-stream" } }),
  });
  return client.chat.completions
    .stream({ model: "m", messages: [{ role: "user", content: "?" }], tools })
    .finalChatCompletion();
}

describe("the order of a stream", () => {
  test("role with the plan, pieces, finish, an empty chunk with metadata and usage, [DONE]", () => {
    const text = write([[{ type: "start" }, { type: "text-delta", ...at, text: "Hi" }], [stop]], usage);
    expect(readFrames(text).at(-1)).toBe("[DONE]");
    const chunks = readChunks(text);
    expect(chunks.map(({ choices }) => choices.map(({ delta }) => delta))).toEqual([
      [{ role: "assistant", content: "" }],
      [{ content: "Hi" }],
      [{}],
      [],
    ]);
    expect(chunks.map(({ svc }) => svc)).toEqual([{ phase: "plan" }, undefined, undefined, { phase: "all" }]);
    expect(chunks[2]?.choices[0]).toMatchObject({
      index: 0,
      finish_reason: "stop",
      native_finish_reason: "stop",
    });
    expect(chunks[3]?.usage).toEqual({
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 2,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    });
    for (const { id, object, created, model } of chunks) {
      expect({ id, object, created, model }).toEqual({
        id: "chatcmpl-9",
        object: "chat.completion.chunk",
        created: 1_760_000_001,
        model: options.model,
      });
    }
  });

  test("usage only where the caller asked for it", () => {
    const writer = createChatStreamWriter({ ...options, includeUsage: false });
    expect(writer.write([{ type: "usage", usage }])).toBe("");
    expect(readChunks(writer.last({}, usage))[0]).not.toHaveProperty("usage");
  });

  test("a late error is one data event and no [DONE]", () => {
    const writer = createChatStreamWriter(options);
    expect(writer.write([{ type: "error", code: "upstream_error", message: "sk-secret" }])).toBe("");
    expect(
      writer.error({ error: { message: "failed", type: "upstream_error", code: "upstream_error" } }),
    ).toBe('data: {"error":{"message":"failed","type":"upstream_error","code":"upstream_error"}}\n\n');
  });

  test.each<[FinishReason, boolean, string]>([
    ["stop", false, "stop"],
    ["stop-sequence", false, "stop"],
    ["length", false, "length"],
    ["length", true, "length"],
    ["tool-calls", true, "tool_calls"],
    ["stop", true, "tool_calls"],
    ["content-filter", false, "content_filter"],
    ["refusal", false, "content_filter"],
    ["pause", false, "stop"],
    ["other", false, "stop"],
  ])("%s (tools called: %s) ends as %s", (reason, tools, expected) => {
    const call: ChatEvent[] = tools ? [{ type: "tool-call-start", ...at, id: "a", name: "f" }] : [];
    const chunks = readChunks(
      createChatStreamWriter(options).write([...call, { type: "finish", choice: 0, reason, raw: "RAW" }]),
    );
    expect(chunks.at(-1)?.choices[0]).toMatchObject({ finish_reason: expected, native_finish_reason: "RAW" });
  });
});

describe("the official client", () => {
  for (const { name, frames, answer } of streams) {
    test.each(["frame by frame", "in one batch"])(`puts the answer together (%s): ${name}`, async (mode) => {
      const reader = createStreamReader();
      const batches = [...frames.map((data) => reader.read({ data })), reader.close()];
      const events = batches.flat();
      const counts = events.findLast((event) => event.type === "usage")?.usage;
      const completion = await readWithOpenai(write(mode === "in one batch" ? [events] : batches, counts));
      const choice = completion.choices[0];
      expect(choice?.message.content ?? "").toBe(answer.text ?? "");
      expect(choice?.message.refusal).toBe(answer.refusal ?? null);
      expect(choice?.finish_reason).toBe(answer.finish);
      const calls = choice?.message.tool_calls?.map((call) =>
        call.type === "function"
          ? { name: call.function.name, arguments: JSON.parse(call.function.arguments) }
          : call,
      );
      expect(calls).toEqual(answer.tools);
      const { usage: read } = completion;
      expect(read && [read.prompt_tokens, read.completion_tokens, read.total_tokens]).toEqual(answer.usage);
    });
  }

  test("throws our error for a late failure (failures 18)", async () => {
    const writer = createChatStreamWriter(options);
    const text = writer.first({}) + writer.write([{ type: "text-delta", ...at, text: "Hi" }]);
    const failure = writer.error({
      error: { message: "The provider broke off.", type: "upstream_error", code: "upstream_truncated" },
    });
    await expect(readWithOpenai(text + failure)).rejects.toThrow("The provider broke off.");
  });

  test("reads every choice of n > 1", async () => {
    const text = write([
      [
        { type: "text-delta", choice: 1, block: 0, text: "B" },
        { type: "text-delta", choice: 0, block: 0, text: "A" },
        { type: "finish", choice: 1, reason: "length", raw: null },
        stop,
      ],
    ]);
    const { choices } = await readWithOpenai(text);
    expect(
      choices.map(({ index, message, finish_reason: reason }) => [
        index,
        message.role,
        message.content,
        reason,
      ]),
    ).toEqual([
      [0, "assistant", "A", "stop"],
      [1, "assistant", "B", "length"],
    ]);
  });
});

describe("tool calls", () => {
  test("interleaved calls come one after the other, and one without arguments ends as {} (failures 15)", async () => {
    const start = (block: number, id: string): ChatEvent => ({
      type: "tool-call-start",
      choice: 0,
      block,
      id,
      name: `f${block}`,
    });
    const piece = (block: number, text: string): ChatEvent => ({
      type: "tool-call-delta",
      choice: 0,
      block,
      arguments: text,
    });
    const end = (block: number): ChatEvent => ({ type: "tool-call-end", choice: 0, block });
    const text = write([
      [{ type: "text-delta", ...at, text: "Let me." }, start(1, "a"), piece(1, '{"x"')],
      [start(2, "b"), piece(1, ":1}"), start(4, "c"), piece(4, '{"y":2}')],
      [end(1), end(2), end(4), { ...stop, reason: "tool-calls", raw: "tool_use" }],
    ]);
    const indices = readChunks(text).flatMap(
      ({ choices }) => (choices[0]?.delta.tool_calls as { index: number; id?: string }[]) ?? [],
    );
    expect(indices.map(({ index, id }) => [index, id])).toEqual([
      [0, "a"],
      [0, undefined],
      [1, "b"],
      [1, undefined],
      [2, "c"],
    ]);
    // The official client reads the arguments of a strict tool as soon as the next call starts.
    const tools = ["f1", "f2", "f4"].map((name) => ({
      type: "function" as const,
      function: { name, strict: true, parameters: {} },
    }));
    const completion = await readWithOpenai(text, tools);
    expect(completion.choices[0]?.message.tool_calls).toMatchObject([
      { id: "a", type: "function", function: { name: "f1", arguments: '{"x":1}' } },
      { id: "b", type: "function", function: { name: "f2", arguments: "{}" } },
      { id: "c", type: "function", function: { name: "f4", arguments: '{"y":2}' } },
    ]);
  });

  test("a call's signature is in the chunk that names the tool if both arrive together, and else after it", () => {
    const start: ChatEvent = { type: "tool-call-start", ...at, id: "a", name: "f" };
    const args: ChatEvent = { type: "tool-call-delta", ...at, arguments: "{}" };
    const seal: ChatEvent = { type: "signature", ...at, signature: "S" };
    const extra = { google: { thought_signature: "S" } };
    const together = readChunks(createChatStreamWriter(options).write([start, args, seal]));
    expect(together.map(({ choices }) => choices[0]?.delta)).toEqual([
      {
        tool_calls: [
          {
            index: 0,
            id: "a",
            type: "function",
            function: { name: "f", arguments: "{}" },
            extra_content: extra,
          },
        ],
      },
    ]);
    const writer = createChatStreamWriter(options);
    writer.write([start]);
    expect(readChunks(writer.write([seal]))[0]?.choices[0]?.delta).toEqual({
      tool_calls: [{ index: 0, function: { arguments: "" }, extra_content: extra }],
    });
  });

  test("a custom call and its signature share one chunk, whenever the signature came", () => {
    const start: ChatEvent = { type: "tool-call-start", ...at, id: "a", name: "sh" };
    const seal: ChatEvent = { type: "signature", ...at, signature: "S" };
    const args: ChatEvent = { type: "tool-call-delta", ...at, arguments: '{"input":"ls"}' };
    const last: ChatEvent = { type: "tool-call-end", ...at };
    const call = { index: 0, id: "a", type: "custom", custom: { name: "sh", input: "ls" } };
    const extra_content = { google: { thought_signature: "S" } };
    const tell = (...batches: ChatEvent[][]) => {
      const writer = createChatStreamWriter({ ...options, customTools: new Map([["sh", "custom"]]) });
      const chunks = batches.flatMap((batch) => readChunks(writer.write(batch)));
      return chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls);
    };
    expect(tell([start, seal, args, last])).toEqual([{ ...call, extra_content }]);
    expect(tell([start], [args], [seal], [last])).toEqual([{ ...call, extra_content }]);
    expect(tell([start, args, last], [seal])).toEqual([call, { index: 0, extra_content }]);
  });
});
