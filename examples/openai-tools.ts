// OpenAI's SDK runs the caller's tools itself: the model asks, the function answers, the model goes on.
//   SVC_BASE_URL=http://127.0.0.1:8787/v1 SVC_API_KEY=svc_sk_live_... npx node examples/openai-tools.ts
import OpenAI from "openai";

const baseURL = process.env.SVC_BASE_URL ?? "http://127.0.0.1:8787/v1";
const client = new OpenAI({ baseURL, apiKey: process.env.SVC_API_KEY });

const runner = client.chat.completions.runTools({
  model: process.env.SVC_MODEL ?? "svc-x1ac-base-gpt-4o-mini",
  messages: [{ role: "user", content: "How is the weather in Lisbon?" }],
  tools: [
    {
      type: "function",
      function: {
        name: "get_weather",
        description: "Today's weather of a city",
        parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
        parse: JSON.parse,
        function: ({ city }: { city: string }) => ({ city, sky: "clear" }),
      },
    },
  ],
});
console.log(await runner.finalContent());
