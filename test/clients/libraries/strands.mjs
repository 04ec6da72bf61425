// Strands Agents by its three ways: the Responses API, chat completions, messages. One agent with two tools.
import { Agent, tool } from "@strands-agents/sdk";
import { AnthropicModel } from "@strands-agents/sdk/models/anthropic";
import { OpenAIModel } from "@strands-agents/sdk/models/openai";
import { z } from "zod";
import { apiKey, baseURL, mode, model, read, scene, task, told, untilInterrupted, write } from "./task.mjs";

const llm =
  mode === "messages"
    ? new AnthropicModel({
        modelId: model,
        apiKey,
        maxTokens: 4096,
        clientConfig: { baseURL: new URL(baseURL).origin },
      })
    : new OpenAIModel({ api: mode, modelId: model, apiKey, clientConfig: { baseURL } });
const file = { path: z.string() };
const tools = [
  tool({ name: "read_file", description: told.read, inputSchema: z.object(file), callback: read }),
  tool({
    name: "write_file",
    description: told.write,
    inputSchema: z.object({ ...file, content: z.string() }),
    callback: write,
  }),
];
const typed = scene === "object" && {
  structuredOutputSchema: z.object({ bird: z.string(), legs: z.number() }),
};
const agent = new Agent({ model: llm, tools: typed ? [] : tools, printer: false, ...typed });
const cancelSignal = untilInterrupted();

if (scene === "text" || scene === "object") {
  const { lastMessage, structuredOutput } = await agent.invoke(task, { cancelSignal });
  if (typed) console.log(JSON.stringify(structuredOutput));
  else for (const { text = "" } of lastMessage.content) console.log(text);
} else {
  for await (const { type, event } of agent.stream(task, { cancelSignal }))
    if (type === "modelStreamUpdateEvent" && event.delta?.type === "textDelta")
      process.stdout.write(event.delta.text);
}
