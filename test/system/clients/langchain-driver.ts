/** `@langchain/openai`: ChatOpenAI. */
import { ChatOpenAI } from "@langchain/openai";
import { createLangchainDriver } from "./create-langchain-driver.ts";
import { readError } from "./openai-driver.ts";

export const langchainDriver = createLangchainDriver({
  name: "@langchain/openai",
  finishes: { stop: "stop", toolCalls: "tool_calls" },
  connect: ({ baseUrl, apiKey, headers, model, maxRetries = 0 }, fields) =>
    new ChatOpenAI({
      model,
      apiKey,
      maxRetries,
      configuration: { baseURL: baseUrl, defaultHeaders: headers },
      ...fields,
    }),
  readOwnWords: ({ response_metadata: metadata }) => ({ finish: String(metadata.finish_reason) }),
  // LangChain hands the openai client's own error on, with fields of its own.
  readError,
});
