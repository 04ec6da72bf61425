// Vercel's AI SDK in its three ways to speak: chat completions, responses (the default of openai(...)), messages.
//   SVC_BASE_URL=http://127.0.0.1:8787/v1 SVC_API_KEY=svc_sk_live_... npx node examples/ai-sdk.ts
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs, tool } from "ai";
import { z } from "zod";

const baseURL = process.env.SVC_BASE_URL ?? "http://127.0.0.1:8787/v1";
const apiKey = process.env.SVC_API_KEY ?? "";
const name = process.env.SVC_MODEL ?? "svc-x1ac-base-gpt-4o-mini";

const models = {
  "chat completions": createOpenAICompatible({ name: "svc", baseURL, apiKey })(name),
  responses: createOpenAI({ baseURL, apiKey })(name),
  messages: createAnthropic({ baseURL, apiKey })(name),
};
const weather = tool({
  description: "Today's weather of a city",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sky: "clear" }),
});

for (const [way, model] of Object.entries(models)) {
  const { text, steps } = await generateText({
    model,
    maxOutputTokens: 1000,
    tools: { get_weather: weather },
    stopWhen: stepCountIs(3),
    prompt: "How is the weather in Lisbon?",
  });
  console.log(`${way}, ${steps.length} steps: ${text}`);
}
