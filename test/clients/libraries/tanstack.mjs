// TanStack AI by its three ways: the Responses API, chat completions, messages.
import { chat, toolDefinition } from "@tanstack/ai";
import { createAnthropicChat } from "@tanstack/ai-anthropic";
import { createOpenaiChat, createOpenaiChatCompletions } from "@tanstack/ai-openai";
import { z } from "zod";
import { apiKey, baseURL, mode, model, read, scene, task, told, untilInterrupted, write } from "./task.mjs";

const adapters = {
  responses: () => createOpenaiChat(model, apiKey, { baseURL }),
  chat: () => createOpenaiChatCompletions(model, apiKey, { baseURL }),
  messages: () => createAnthropicChat(model, apiKey, { baseURL: new URL(baseURL).origin }),
};
const path = z.string();
const content = z.string();
const tools = [
  toolDefinition({ name: "read_file", description: told.read, inputSchema: z.object({ path }) }).server(read),
  toolDefinition({
    name: "write_file",
    description: told.write,
    inputSchema: z.object({ path, content }),
  }).server(write),
];
const abortController = new AbortController();
untilInterrupted().addEventListener("abort", () => abortController.abort());
const asked = {
  adapter: adapters[mode](),
  messages: [{ role: "user", content: task }],
  abortController,
};

if (scene === "object") {
  const outputSchema = z.object({ bird: z.string(), legs: z.number() });
  console.log(JSON.stringify(await chat({ ...asked, outputSchema })));
} else if (scene === "text") console.log(await chat({ ...asked, stream: false }));
else {
  for await (const chunk of chat({ ...asked, tools })) {
    if (chunk.type === "TEXT_MESSAGE_CONTENT") process.stdout.write(chunk.delta);
    if (chunk.type === "RUN_ERROR") throw new Error(chunk.message ?? chunk.error?.message);
  }
}
