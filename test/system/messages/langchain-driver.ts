/** `@langchain/anthropic`: ChatAnthropic. */
import { ChatAnthropic } from "@langchain/anthropic";
import { createLangchainDriver } from "../clients/create-langchain-driver.ts";

type Content = { type: string; thinking?: string };

export const langchainDriver = createLangchainDriver({
  name: "@langchain/anthropic",
  finishes: { stop: "end_turn", toolCalls: "tool_use" },
  connect: ({ baseUrl, apiKey, headers, model, maxRetries = 0 }, fields) =>
    new ChatAnthropic({
      model,
      apiKey,
      maxRetries,
      maxTokens: 1000,
      anthropicApiUrl: baseUrl.replace(/\/v1$/, ""),
      clientOptions: { defaultHeaders: headers },
      ...fields,
    }),
  readOwnWords: ({ content, response_metadata: metadata, additional_kwargs: more }) => {
    const blocks = (Array.isArray(content) ? content : []) as Content[];
    const thought = blocks
      .map(({ type, thinking }) => (type === "thinking" ? (thinking ?? "") : ""))
      .join("");
    return {
      reasoning: thought === "" ? undefined : thought,
      finish: String(metadata.stop_reason ?? more.stop_reason),
    };
  },
  readError: (thrown) => {
    // LangChain hands the error of the Anthropic client it brings with it on, with fields of its own.
    const error = thrown as Error & {
      status?: number;
      error?: { error?: Record<string, unknown> };
      headers?: Headers;
    };
    return {
      className: error.constructor.name,
      status: error.status,
      message: error.message,
      error: error.error?.error ?? {},
      retryAfter: error.headers?.get("retry-after") ?? undefined,
    };
  },
});
