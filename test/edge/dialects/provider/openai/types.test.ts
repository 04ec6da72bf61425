/**
 * What we read of OpenAI against its client's types, checked by the compiler (`npm run check`): the schemas take what
 * the client says that OpenAI sends, and the names they read are names it knows.
 */
import type OpenAI from "openai";
import { expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type { Chunk, Completion } from "../../../../../edge/dialects/provider/openai/schema.ts";
import type { Plain } from "../../plain-types.ts";

type ChunkChoice = OpenAI.ChatCompletionChunk.Choice;
type Delta = OpenAI.ChatCompletionChunk.Choice.Delta;
type ToolCall = OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall;

test("OpenAI's chunks fit our schema, and its client knows every field of a chunk that we read", () => {
  expectTypeOf<Plain<OpenAI.ChatCompletionChunk>>().toExtend<z.input<typeof Chunk>>();
  expectTypeOf<"index" | "delta" | "finish_reason" | "logprobs">().toExtend<keyof ChunkChoice>();
  expectTypeOf<"content" | "refusal" | "tool_calls">().toExtend<keyof Delta>();
  expectTypeOf<"index" | "id" | "function">().toExtend<keyof ToolCall>();
  expectTypeOf<"name" | "arguments">().toExtend<keyof NonNullable<ToolCall["function"]>>();
});

test("OpenAI's replies fit our schema, and its client knows every field of a message that we read", () => {
  expectTypeOf<Plain<OpenAI.ChatCompletion>>().toExtend<z.input<typeof Completion>>();
  type Message = OpenAI.ChatCompletionMessage;
  expectTypeOf<"content" | "refusal" | "tool_calls" | "annotations" | "audio">().toExtend<keyof Message>();
});

test("its client knows every token count that we read", () => {
  type Usage = OpenAI.CompletionUsage;
  expectTypeOf<"prompt_tokens" | "completion_tokens" | "total_tokens">().toExtend<keyof Usage>();
  expectTypeOf<"cached_tokens" | "audio_tokens">().toExtend<
    keyof OpenAI.CompletionUsage.PromptTokensDetails
  >();
  expectTypeOf<"reasoning_tokens" | "audio_tokens">().toExtend<
    keyof OpenAI.CompletionUsage.CompletionTokensDetails
  >();
});
