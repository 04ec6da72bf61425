// LangChain over chat completions: a tool is called, its result goes back.
//   SVC_BASE_URL=http://127.0.0.1:8787/v1 SVC_API_KEY=svc_sk_live_... npx node examples/langchain.ts
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";

const weather = tool(({ city }) => JSON.stringify({ city, sky: "clear" }), {
  name: "get_weather",
  description: "Today's weather of a city",
  schema: z.object({ city: z.string() }),
});
const model = new ChatOpenAI({
  model: process.env.SVC_MODEL ?? "svc-x1ac-base-gpt-4o-mini",
  apiKey: process.env.SVC_API_KEY ?? "",
  configuration: { baseURL: process.env.SVC_BASE_URL ?? "http://127.0.0.1:8787/v1" },
}).bindTools([weather]);

const question = new HumanMessage("How is the weather in Lisbon?");
const asked = await model.invoke([question]);
const results = await Promise.all((asked.tool_calls ?? []).map((call) => weather.invoke(call)));
const answer = results.length > 0 ? await model.invoke([question, asked, ...results]) : asked;
console.log(answer.text);
