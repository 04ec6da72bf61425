// OpenAI's SDK, chat completions: a stream, its plan, and what it cost.
//   SVC_BASE_URL=http://127.0.0.1:8787/v1 SVC_API_KEY=svc_sk_live_... npx node examples/openai-chat.ts
import OpenAI from "openai";

const baseURL = process.env.SVC_BASE_URL ?? "http://127.0.0.1:8787/v1";
const client = new OpenAI({ baseURL, apiKey: process.env.SVC_API_KEY });
const model = process.env.SVC_MODEL ?? "svc-x1ac-base-gpt-4o-mini";

/** What this service adds to a chunk. */
type Planned = { svc?: { action_sequence: string[]; credits_charged?: number } };

const stream = await client.chat.completions.create({
  model,
  messages: [{ role: "user", content: "Find the cheapest flight to Lisbon in May" }],
  stream: true,
});
for await (const chunk of stream) {
  const { svc } = chunk as Planned;
  if (svc?.credits_charged !== undefined) console.log(`\ncost: ${svc.credits_charged} credits`);
  else if (svc) console.log(`plan: ${svc.action_sequence.join(", ")}`);
  process.stdout.write(chunk.choices[0]?.delta.content ?? "");
}
