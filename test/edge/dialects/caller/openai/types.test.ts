/**
 * Our wire types against the official client's: checked by the compiler (`npm run check`). What the client
 * may send beyond us is named here: custom tools, the deprecated functions, and allowed_tools, which it leaves untyped.
 */
import type OpenAI from "openai";
import { expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type { ChatCompletionRequest } from "../../../../../edge/dialects/caller/openai/schema.ts";
import type { CompletionUsage } from "../../../../../edge/dialects/caller/openai/write-end.ts";
import type { ChatCompletion } from "../../../../../edge/dialects/caller/openai/write-reply.ts";
import type { Plain } from "../../plain-types.ts";

type Params = OpenAI.Chat.ChatCompletionCreateParams;
type Message = Exclude<OpenAI.Chat.ChatCompletionMessageParam, { role: "function" } | { role: "assistant" }>;
type Assistant = Omit<OpenAI.Chat.ChatCompletionAssistantMessageParam, "tool_calls"> & {
  tool_calls?: OpenAI.Chat.ChatCompletionMessageFunctionToolCall[];
};
type Sent = Omit<Params, "messages" | "tools" | "tool_choice" | "function_call" | "functions"> & {
  messages: (Message | Assistant)[];
  tools?: OpenAI.Chat.ChatCompletionFunctionTool[];
  tool_choice?: "none" | "auto" | "required" | OpenAI.Chat.ChatCompletionNamedToolChoice;
};

test("what the official client sends is a request of ours", () => {
  expectTypeOf<Plain<Sent>>().toExtend<z.input<typeof ChatCompletionRequest>>();
});

test("our completion is what the official client reads", () => {
  type Choice = ChatCompletion["choices"][number];
  /** OpenAI and OpenRouter send a fingerprint that is null, which the client's type does not say. */
  type Apart = "choices" | "system_fingerprint";
  expectTypeOf<Omit<ChatCompletion, Apart>>().toExtend<Omit<OpenAI.Chat.ChatCompletion, Apart>>();
  expectTypeOf<Omit<Choice, "logprobs">>().toExtend<Omit<OpenAI.Chat.ChatCompletion.Choice, "logprobs">>();
  expectTypeOf<CompletionUsage>().toExtend<OpenAI.CompletionUsage>();
});
