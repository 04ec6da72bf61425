/** `ai` with `@ai-sdk/anthropic`. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createAiSdkDriver } from "../clients/create-ai-sdk-driver.ts";

export const aiSdkDriver = createAiSdkDriver({
  name: "ai with @ai-sdk/anthropic",
  connect: ({ baseUrl, apiKey, headers, model }) =>
    createAnthropic({ baseURL: baseUrl, apiKey, headers })(model),
  settings: { maxOutputTokens: 1000 },
  invalid: { topP: 7 },
});
