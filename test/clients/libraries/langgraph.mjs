// LangGraph's ready-made agent over chat completions, streamed, with a memory: one agent with two tools.
import { readFile, writeFile } from "node:fs/promises";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";

const llm = new ChatOpenAI({
  model: process.env.SVC_MODEL,
  apiKey: process.env.OPENAI_API_KEY,
  configuration: { baseURL: process.env.OPENAI_BASE_URL },
  streaming: true,
});
const tools = [
  tool(({ path }) => readFile(path, "utf8"), {
    name: "read_file",
    description: "The content of a file",
    schema: z.object({ path: z.string() }),
  }),
  tool(({ path, content }) => writeFile(path, content).then(() => "written"), {
    name: "write_file",
    description: "Writes a file",
    schema: z.object({ path: z.string(), content: z.string() }),
  }),
];
const agent = createReactAgent({ llm, tools, checkpointer: new MemorySaver() });
const { messages } = await agent.invoke(
  { messages: [{ role: "user", content: process.argv[2] }] },
  { configurable: { thread_id: "1" } },
);
console.log(messages.at(-1).text);
