// LangGraph's ready-made agent and LangChain's newer one, over chat completions or messages, with a memory: one agent with two tools.
import { ChatAnthropic } from "@langchain/anthropic";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import { z } from "zod";
import {
  apiKey,
  baseURL,
  mode,
  model,
  print,
  read,
  scene,
  task,
  told,
  untilInterrupted,
  write,
} from "./task.mjs";

const isAnthropic = mode === "createAgent with ChatAnthropic";
const llm = isAnthropic
  ? new ChatAnthropic({ model, apiKey, anthropicApiUrl: new URL(baseURL).origin, maxRetries: 1 })
  : new ChatOpenAI({ model, apiKey, configuration: { baseURL }, maxRetries: 1 });
const tools = [
  tool(read, { name: "read_file", description: told.read, schema: z.object({ path: z.string() }) }),
  tool(write, {
    name: "write_file",
    description: told.write,
    schema: z.object({ path: z.string(), content: z.string() }),
  }),
];
const checkpointer = new MemorySaver();
const typed = scene === "object" && { responseFormat: z.object({ bird: z.string(), legs: z.number() }) };
const agent = mode.startsWith("createAgent")
  ? createAgent({ model: llm, tools: typed ? [] : tools, checkpointer, ...typed })
  : createReactAgent({ llm, tools: typed ? [] : tools, checkpointer, ...typed });

const input = { messages: [{ role: "user", content: task }] };
const config = { configurable: { thread_id: "1" }, signal: untilInterrupted() };
const textOf = ({ text, content }) => text ?? content;
if (scene === "text" || scene === "object") {
  const { messages, structuredResponse } = await agent.invoke(input, config);
  console.log(scene === "object" ? JSON.stringify(structuredResponse) : textOf(messages.at(-1)));
} else {
  const stream = await agent.stream(input, { ...config, streamMode: "messages" });
  await print(
    (async function* () {
      for await (const [message] of stream) if (message.type === "ai") yield textOf(message);
    })(),
  );
}
