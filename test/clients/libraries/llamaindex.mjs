// LlamaIndex over chat completions: its model alone, and its agent with two tools. It takes no signal.
import { openai } from "@llamaindex/openai";
import { agent, agentStreamEvent } from "@llamaindex/workflow";
import { tool } from "llamaindex";
import { z } from "zod";
import { apiKey, baseURL, model, print, read, scene, task, told, write } from "./task.mjs";

const llm = openai({ model, apiKey, baseURL, maxRetries: 1 });
const messages = [{ role: "user", content: task }];
const tools = [
  tool({
    name: "read_file",
    description: told.read,
    parameters: z.object({ path: z.string() }),
    execute: read,
  }),
  tool({
    name: "write_file",
    description: told.write,
    parameters: z.object({ path: z.string(), content: z.string() }),
    execute: write,
  }),
];

const plays = {
  text: async () => console.log((await llm.chat({ messages })).message.content),
  object: async () => {
    const responseFormat = z.object({ bird: z.string(), legs: z.number() });
    const { message } = await llm.chat({ messages, responseFormat });
    console.log(JSON.stringify(JSON.parse(message.content)));
  },
  tools: async () => {
    for await (const event of agent({ llm, tools }).runStream(task))
      if (agentStreamEvent.include(event)) process.stdout.write(event.data.delta);
  },
};
const stream = async () =>
  print(
    (async function* () {
      for await (const { delta } of await llm.chat({ messages, stream: true })) yield delta;
    })(),
  );
await (plays[scene] ?? stream)();
