/** `@anthropic-ai/sdk`: messages.create, messages.stream, and its tool runner. */
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import {
  type ClientAnswer,
  type ClientDriver,
  question,
  rejection,
  type Target,
  weatherTool,
} from "../clients/client-driver.ts";

export const connect = ({ baseUrl, apiKey, headers, maxRetries = 0 }: Target) =>
  new Anthropic({
    apiKey,
    // The client puts /v1 in front of its paths itself.
    baseURL: baseUrl.replace(/\/v1$/, ""),
    defaultHeaders: headers,
    maxRetries,
  });

const inputSchema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
} as const;

const ask = (model: string, fields: object = {}) => ({
  model,
  max_tokens: 1000,
  messages: [{ role: "user" as const, content: question }],
  ...fields,
});
const tools: Anthropic.Tool[] = [
  {
    name: weatherTool.name,
    description: weatherTool.description,
    input_schema: { ...inputSchema, required: ["city"] },
  },
];

function readMessage({ content, usage, stop_reason }: Anthropic.Message): ClientAnswer {
  const join = (texts: string[]) => texts.join("");
  const cached = usage.cache_read_input_tokens ?? 0;
  const input = usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0);
  return {
    text: join(content.flatMap((block) => (block.type === "text" ? [block.text] : []))),
    reasoning: join(content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : []))),
    finish: String(stop_reason),
    calls: content.flatMap((block) =>
      block.type === "tool_use" ? [{ name: block.name, arguments: block.input }] : [],
    ),
    usage: {
      input,
      output: usage.output_tokens,
      total: input + usage.output_tokens,
      cached,
      reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
    },
  };
}

export const anthropicDriver: ClientDriver = {
  name: "@anthropic-ai/sdk",
  finishes: { stop: "end_turn", toolCalls: "tool_use" },
  ask: async (target, stream) => {
    const { messages } = connect(target);
    const request = ask(target.model, { tools });
    return readMessage(
      stream ? await messages.stream(request).finalMessage() : await messages.create(request),
    );
  },
  runTools: async (target, stream) => {
    const weather = betaTool({
      name: weatherTool.name,
      description: weatherTool.description,
      inputSchema,
      run: ({ city }) => JSON.stringify(weatherTool.run({ city })),
    });
    const runner = connect(target).beta.messages.toolRunner({
      ...ask(target.model),
      tools: [weather],
      max_iterations: 3,
      stream,
    });
    const message = await runner.runUntilDone();
    return message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
  },
  fail: async (target, { stream = false, invalid = false } = {}) => {
    const { messages } = connect(target);
    const request = ask(target.model, invalid ? { temperature: 7 } : {});
    const work = stream ? messages.stream(request).finalMessage() : messages.create(request);
    const error = await rejection(work);
    if (!(error instanceof Anthropic.APIError)) throw error;
    return {
      className: error.constructor.name,
      status: error.status,
      message: error.message,
      error: (error.error as { error?: Record<string, unknown> } | undefined)?.error ?? {},
      retryAfter: error.headers?.get("retry-after") ?? undefined,
    };
  },
  leave: async (target, stream, signal, onText) => {
    const { messages } = connect(target);
    const request = ask(target.model);
    if (!stream) return messages.create(request, { signal });
    return messages.stream(request, { signal }).on("text", onText).finalMessage();
  },
};
