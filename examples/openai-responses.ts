// OpenAI's SDK, Responses API: structured output, read by its helper.
//   SVC_BASE_URL=http://127.0.0.1:8787/v1 SVC_API_KEY=svc_sk_live_... npx node examples/openai-responses.ts
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";

const baseURL = process.env.SVC_BASE_URL ?? "http://127.0.0.1:8787/v1";
const client = new OpenAI({ baseURL, apiKey: process.env.SVC_API_KEY });
const Flight = z.object({ city: z.string(), price: z.number() });

const response = await client.responses.parse({
  model: process.env.SVC_MODEL ?? "svc-x1ac-base-gpt-4o-mini",
  input: "Find the cheapest flight to Lisbon in May",
  text: { format: zodTextFormat(Flight, "flight") },
});
console.log(response.output_parsed);
