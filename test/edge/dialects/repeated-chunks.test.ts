// The readers that reuse the previous chunk (chunk-json.ts), compared with readers that parse every chunk. Events are compared
// after the stream has ended: no event may have changed since it was returned.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anthropicDialect } from "../../../edge/dialects/provider/anthropic/dialect.ts";
import { createJsonReader, type JsonPath } from "../../../edge/dialects/provider/chunk-json.ts";
import type { ProviderDialect } from "../../../edge/dialects/provider/dialect.ts";
import { geminiDialect } from "../../../edge/dialects/provider/gemini/dialect.ts";
import { alphaDialect } from "../../../edge/dialects/provider/openai/dialect.ts";
import type { ChatEvent } from "../../../shared/chat.ts";
import { plain, spell, spellings } from "./spell-json.ts";

/** A chunk with this piece of text in it; `count` grows from chunk to chunk. */
type Chunk = (text: string, count: number) => object;

const openaiChunk = (choice: object, rest: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_760_000_000,
  model: "m",
  choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: null, ...choice }],
  usage: null,
  ...rest,
});
const openaiDelta = (delta: object, rest: object = {}) => openaiChunk({ delta }, rest);
const openaiUsage = (count: number) => ({
  prompt_tokens: 9,
  completion_tokens: count,
  total_tokens: 9 + count,
  completion_tokens_details: { reasoning_tokens: 0 },
});
const toolCall = (call: object) => openaiDelta({ tool_calls: [{ index: 0, ...call }] });
const openaiChunks: Record<string, Chunk> = {
  content: (content) => openaiDelta({ content }),
  role: (content) => openaiDelta({ role: "assistant", content, refusal: null }),
  obfuscated: (content) => openaiDelta({ content }, { obfuscation: content.slice(1) }),
  unknown: (content) => openaiDelta({ content, vendor: { content: "a" } }, { trace: content, text: "a" }),
  "nothing said": () => openaiDelta({ content: null }),
  "a list of parts": (text) => openaiDelta({ content: [{ type: "text", text }] }),
  refusal: (refusal) => openaiDelta({ content: null, refusal }),
  reasoning: (text) => openaiDelta({ content: null, reasoning_content: text }),
  details: (text) =>
    openaiDelta({
      content: "",
      reasoning: text,
      reasoning_details: [{ type: "reasoning.text", text, format: "v1", index: 0 }],
    }),
  "start of a call": (text) => toolCall({ id: "call_1", function: { name: "find", arguments: text } }),
  arguments: (text) => toolCall({ function: { arguments: text } }),
  "arguments as an object": (text) => toolCall({ function: { arguments: { text } } }),
  logprobs: (content, count) =>
    openaiChunk({ delta: { content }, logprobs: { content: [{ token: "a", logprob: -count }] } }),
  "the same logprobs": (content) =>
    openaiChunk({ delta: { content }, logprobs: { content: [{ token: "a", logprob: -1 }] } }),
  citations: (content) => openaiDelta({ content, annotations: [{ type: "url_citation", text: "a" }] }),
  "usage on the way": (content, count) => openaiDelta({ content }, { usage: openaiUsage(count) }),
  "the same usage": (content) => openaiDelta({ content }, { usage: openaiUsage(3) }),
  usage: (_text, count) => openaiChunk({}, { choices: [], usage: openaiUsage(count) }),
  "another choice": (content) => openaiChunk({ index: 1, delta: { content } }),
};
const openaiEnds: Record<string, Chunk> = {
  finish: () => openaiChunk({ finish_reason: "stop" }),
  "finish with text": (content) => openaiChunk({ delta: { content }, finish_reason: "length" }),
  error: (message) => ({ error: { message, code: 502 } }),
  "error in a choice": (content) =>
    openaiChunk({ delta: { content }, finish_reason: "error", error: { message: content } }),
};

const blockDelta = (delta: object, index = 0) => ({ type: "content_block_delta", index, delta });
const blockStart = (block: object, index = 0) => ({
  type: "content_block_start",
  index,
  content_block: block,
});
const anthropicChunks: Record<string, Chunk> = {
  "a text begins": (text) => blockStart({ type: "text", text }),
  text: (text) => blockDelta({ type: "text_delta", text }),
  thinking: (thinking) => blockDelta({ type: "thinking_delta", thinking }),
  signature: (signature) => blockDelta({ type: "signature_delta", signature }),
  "thinking begins": (thinking) => blockStart({ type: "thinking", thinking, signature: "" }),
  "a call begins": () => blockStart({ type: "tool_use", id: "toolu_1", name: "find", input: {} }),
  "a server's call begins": () => blockStart({ type: "server_tool_use", id: "s", name: "web", input: {} }),
  arguments: (text) => blockDelta({ type: "input_json_delta", partial_json: text }),
  citation: (text) => blockDelta({ type: "citations_delta", citation: { cited_text: text, text: "a" } }),
  "text and citation": (text) => blockDelta({ type: "text_delta", text, citation: { cited_text: "a" } }),
  "another block": (text) => blockStart({ type: "text", text }, 1),
  "text of another block": (text) => blockDelta({ type: "text_delta", text }, 1),
  unknown: (text) => ({ ...blockDelta({ type: "text_delta", text, vendor: { text: "a" } }), thinking: text }),
  stop: () => ({ type: "content_block_stop", index: 0 }),
  ping: () => ({ type: "ping" }),
  usage: (_text, count) => ({ type: "message_delta", delta: {}, usage: { output_tokens: count } }),
};
const anthropicEnds: Record<string, Chunk> = {
  finish: (_text, count) => ({
    type: "message_delta",
    delta: { stop_reason: "end_turn" },
    usage: { output_tokens: count },
  }),
  end: () => ({ type: "message_stop" }),
  error: (message) => ({ type: "error", error: { type: "overloaded_error", message } }),
};

const geminiUsage = (count: unknown, rest: object = {}) => ({
  promptTokenCount: 9,
  candidatesTokenCount: count,
  totalTokenCount: count,
  ...rest,
});
const geminiParts = (parts: object[], count: unknown, rest: object = {}) => ({
  candidates: [{ content: { parts, role: "model" }, index: 0, ...rest }],
  usageMetadata: geminiUsage(count),
  responseId: "r",
});
const geminiCounted = (text: unknown, usageMetadata: unknown) => ({
  ...geminiParts([{ text }], 0),
  usageMetadata,
});
/** Its arguments begin in an object, which pieces named by their paths are put into. */
const geminiCall = (call: object, count: number) =>
  geminiParts([{ functionCall: { willContinue: true, ...call } }], count);
const picture = { inlineData: { mimeType: "image/png", data: "aaaa" } };
const geminiChunks: Record<string, Chunk> = {
  text: (text, count) => geminiParts([{ text }], count),
  "the same count": (text) => geminiParts([{ text }], 3),
  "no text": (_text, count) => geminiParts([{ text: null }], count),
  "a text that is none": (text) => geminiParts([{ text: { text } }], 3),
  thought: (text, count) => geminiParts([{ text, thought: true }], count),
  sealed: (text, count) => geminiParts([{ text, thoughtSignature: "s" }], count),
  "two parts": (text, count) => geminiParts([{ text }, { text: "a" }], count),
  picture: (_text, count) => geminiParts([picture], count),
  "text and picture": (text, count) => geminiParts([{ text, vendor: { text } }, picture], count),
  "all counts": (text, count) =>
    geminiCounted(
      text,
      geminiUsage(count, {
        thoughtsTokenCount: count + 1,
        toolUsePromptTokenCount: 2,
        cachedContentTokenCount: count,
        promptTokensDetails: [{ modality: "AUDIO", tokenCount: count }],
        candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: 4, candidatesTokenCount: count }],
      }),
    ),
  "counts that are fractions": (text, count) => geminiCounted(text, geminiUsage(count / 8)),
  "counts below zero": (text, count) => geminiCounted(text, geminiUsage(-count)),
  "counts out of reach": (text, count) => geminiCounted(text, geminiUsage(count * 1e300)),
  "counts that are none": (text) => geminiCounted(text, geminiUsage(text)),
  "counts of no shape": (text, count) => geminiCounted(text, geminiUsage({ count })),
  "now and then a count": (text, count) =>
    geminiCounted(text, geminiUsage(count % 2 ? count : null, { thoughtsTokenCount: count % 3 ? 1 : "1" })),
  "no counts": (text) => geminiCounted(text, { trafficType: "ON_DEMAND" }),
  "no usage": (text) => geminiCounted(text, null),
  "usage alone": (_text, count) => ({ usageMetadata: geminiUsage(count) }),
  call: (text, count) => geminiParts([{ functionCall: { name: "find", args: { text } } }], count),
  "a call begins": (_text, count) => geminiCall({ name: "find", args: { a: { b: "c" } } }, count),
  arguments: (text, count) => geminiCall({ partialArgs: [{ jsonPath: "$.a.b", stringValue: text }] }, count),
  "the same arguments": (_text, count) =>
    geminiCall({ args: { a: {} }, partialArgs: [{ jsonPath: "$.a.b", stringValue: "d" }] }, count),
  "another answer": (text, count) => geminiParts([{ text }], count, { index: 1 }),
  grounding: (text, count) => geminiParts([{ text }], count, { groundingMetadata: { text: "a" } }),
  logprobs: (text, count) =>
    geminiParts([{ text }], count, {
      logprobsResult: { chosenCandidates: [{ token: "a", logProbability: -1 }] },
    }),
  "finished, and more of it": (text, count) =>
    geminiParts([{ text }], count, { finishReason: "STOP", safetyRatings: [{ text: "a" }] }),
};
const geminiEnds: Record<string, Chunk> = {
  finish: (text, count) => geminiParts([{ text }], count, { finishReason: "STOP" }),
  refused: (_text, count) => ({
    promptFeedback: { blockReason: "SAFETY" },
    usageMetadata: geminiUsage(count),
  }),
  error: (message) => ({ error: { code: 503, message, status: "UNAVAILABLE" } }),
};

type Family = { dialect: ProviderDialect; chunks: Record<string, Chunk>; ends: Record<string, Chunk> };
const families: [string, Family][] = [
  ["OpenAI", { dialect: alphaDialect, chunks: openaiChunks, ends: openaiEnds }],
  ["Anthropic", { dialect: anthropicDialect, chunks: anthropicChunks, ends: anthropicEnds }],
  ["Gemini", { dialect: geminiDialect, chunks: geminiChunks, ends: geminiEnds }],
];

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc
    .array(fc.constantFrom("a", '"', '"}', '"},', '","', "\\", "\u0000", "世", '{"a":1}', ',"text":"'), {
      maxLength: 5,
    })
    .map((parts) => parts.join("")),
);
const names = [
  ...["content", "text", "delta", "choices", "arguments", "obfuscation", "index", "type", "parts"],
  ...["usageMetadata", "candidatesTokenCount", "totalTokenCount"],
];
const spelling = fc.oneof({ weight: 3, arbitrary: fc.constant(plain) }, spellings(names));

/** Several chunks alike; now and then one that breaks off. */
const run = (chunks: Record<string, Chunk>) =>
  fc
    .record({
      chunk: fc.constantFrom(...Object.values(chunks)),
      spelling,
      pieces: fc.array(fc.record({ text, count: fc.nat(99) }), { minLength: 1, maxLength: 6 }),
      cut: fc.oneof({ weight: 60, arbitrary: fc.constant(undefined) }, fc.integer({ min: 1, max: 400 })),
    })
    .map((alike) =>
      alike.pieces.map((piece) =>
        spell(alike.chunk(piece.text, piece.count), alike.spelling).slice(0, alike.cut),
      ),
    );
const stream = ({ chunks, ends }: Family): fc.Arbitrary<string[]> =>
  fc
    .tuple(fc.array(run(chunks), { minLength: 1, maxLength: 8 }), fc.array(run(ends), { maxLength: 2 }))
    .map((runs) => runs.flat(2));

const readAll = ({ dialect }: Family, texts: readonly string[]): ChatEvent[] => {
  const reader = dialect.createStreamReader();
  return [...texts.flatMap((data) => reader.read({ event: undefined, data })), ...reader.close()];
};
/** Each begins like no other, so that each is parsed. */
const unalike = (texts: readonly string[]) => texts.map((text, index) => " ".repeat(index) + text);

const paths: JsonPath[] = [
  ["obfuscation"],
  ["choices", 0, "delta", "content"],
  ["choices", 0, "delta", "reasoning_details", 0, "text"],
  ["choices", 0, "delta", "tool_calls", 0, "function", "arguments"],
  ["usage", "completion_tokens"],
  ["usage", "total_tokens"],
  ["delta", "text"],
  ["delta", "thinking"],
  ["delta", "partial_json"],
  ["candidates", 0, "content", "parts", 0, "text"],
  ["usageMetadata", "candidatesTokenCount"],
  ["usageMetadata", "totalTokenCount"],
];
/** As text, which is made before the next one is read. */
const outcome = (read: (text: string) => unknown, text: string): string => {
  try {
    return JSON.stringify(read(text));
  } catch {
    return "no JSON";
  }
};

describe.each(families)("chunks of %s that are alike", (_name, family) => {
  test("become the events they become when each is parsed", () => {
    fc.assert(
      fc.property(stream(family), (texts) => {
        expect(readAll(family, texts)).toStrictEqual(readAll(family, unalike(texts)));
      }),
      { numRuns: 500 },
    );
  });

  test("are read whole as JSON.parse reads them, with what no reader looks at", () => {
    fc.assert(
      fc.property(stream(family), (texts) => {
        const read = createJsonReader(paths);
        for (const text of texts) expect(outcome(read, text)).toBe(outcome(JSON.parse, text));
      }),
      { numRuns: 500 },
    );
  });
});
