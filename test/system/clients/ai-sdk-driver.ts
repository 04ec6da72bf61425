/** `ai` with `@ai-sdk/openai-compatible`. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createAiSdkDriver } from "./create-ai-sdk-driver.ts";

export const aiSdkDriver = createAiSdkDriver({
  name: "ai with @ai-sdk/openai-compatible",
  connect: ({ baseUrl, apiKey, headers, model }) =>
    createOpenAICompatible({ name: "svc", baseURL: baseUrl, apiKey, headers, includeUsage: true })(model),
  invalid: { temperature: 7 },
});
