// Anthropic's SDK, with any provider's model: a stream, and the plan in a response header.
//   SVC_BASE_URL=http://127.0.0.1:8787 SVC_API_KEY=svc_sk_live_... npx node examples/anthropic.ts
import Anthropic from "@anthropic-ai/sdk";

const baseURL = process.env.SVC_BASE_URL ?? "http://127.0.0.1:8787";
const client = new Anthropic({ baseURL, apiKey: process.env.SVC_API_KEY });

const stream = client.messages.stream({
  model: process.env.SVC_MODEL ?? "svc-x1ac-base-gpt-4o-mini",
  max_tokens: 1000,
  messages: [{ role: "user", content: "Find the cheapest flight to Lisbon in May" }],
});
const { response } = await stream.withResponse();
console.log(`plan: ${response.headers.get("x-svc-plan")}`);
stream.on("text", (text) => process.stdout.write(text));
console.log(`\n${(await stream.finalMessage()).stop_reason}`);
