// The AI SDK through each package that can speak to this service: texts, tools over several steps, objects whole and growing.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import * as ai from "ai";
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

const { generateObject, generateText, stepCountIs, streamObject, streamText, tool } = ai;
const options = { baseURL, apiKey };
const models = {
  openai: () => createOpenAI(options)(model),
  "openai.chat": () => createOpenAI(options).chat(model),
  anthropic: () => createAnthropic(options)(model),
  "openai-compatible": () =>
    createOpenAICompatible({ ...options, name: "svc", supportsStructuredOutputs: true })(model),
};
const tools = {
  read_file: tool({ description: told.read, inputSchema: z.object({ path: z.string() }), execute: read }),
  write_file: tool({
    description: told.write,
    inputSchema: z.object({ path: z.string(), content: z.string() }),
    execute: write,
  }),
};
const request = {
  model: models[mode](),
  prompt: task,
  maxOutputTokens: 4_000,
  maxRetries: 1,
  abortSignal: untilInterrupted(),
};

const agent = { ...request, tools, stopWhen: stepCountIs(5) };
const plays = {
  tools: async () => {
    const { steps } = await generateText(agent);
    if (steps.length !== 3) throw new Error(`${steps.length} steps`);
    await (ai.ToolLoopAgent ? streamAgent() : stream());
  },
  text: async () => console.log((await generateText(request)).text),
  object: async () => {
    const typed = { ...request, schema: z.object({ bird: z.string(), legs: z.number() }) };
    const { object: whole } = await generateObject(typed);
    let grown;
    for await (const part of streamObject(typed).partialObjectStream) grown = part;
    if (JSON.stringify(grown) !== JSON.stringify(whole)) throw new Error(`grown to ${JSON.stringify(grown)}`);
    console.log(JSON.stringify(whole));
  },
};

async function stream() {
  let failure;
  const onError = ({ error }) => {
    failure = error;
  };
  await print(streamText({ ...agent, onError }).textStream);
  if (failure !== undefined) throw failure;
}

/** The same by ToolLoopAgent, which from `ai@7` on names itself in the `user-agent` instead of the provider package; `ai@5` has none. */
async function streamAgent() {
  const { prompt, abortSignal, ...settings } = agent;
  const { fullStream } = await new ai.ToolLoopAgent(settings).stream({ prompt, abortSignal });
  for await (const { type, text, error } of fullStream) {
    if (type === "error") throw error;
    if (type === "text-delta") process.stdout.write(text);
  }
}
await (plays[scene] ?? stream)();
