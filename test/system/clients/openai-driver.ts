/** The `openai` client: create, the .stream() helper and runTools, its own error classes. */
import OpenAI from "openai";
import {
  type ClientAnswer,
  type ClientDriver,
  type ClientFailure,
  question,
  rejection,
  type Target,
  weatherTool,
} from "./client-driver.ts";

const connect = ({ baseUrl, apiKey, headers, maxRetries = 0 }: Target) =>
  new OpenAI({ apiKey, baseURL: baseUrl, defaultHeaders: headers, maxRetries });

const messages = [{ role: "user" as const, content: question }];

function readCompletion({ choices, usage }: OpenAI.ChatCompletion): ClientAnswer {
  const [choice] = choices;
  const { content, tool_calls: calls = [] } = choice!.message;
  return {
    text: content ?? "",
    finish: choice!.finish_reason,
    calls: calls.map((call) => {
      if (call.type !== "function") throw new Error(`a call of type ${call.type}`);
      return { name: call.function.name, arguments: JSON.parse(call.function.arguments) };
    }),
    usage: {
      input: usage!.prompt_tokens,
      output: usage!.completion_tokens,
      total: usage!.total_tokens,
      cached: usage!.prompt_tokens_details?.cached_tokens ?? 0,
      reasoning: usage!.completion_tokens_details?.reasoning_tokens ?? 0,
    },
  };
}

const tools = [
  {
    type: "function" as const,
    function: {
      name: weatherTool.name,
      description: weatherTool.description,
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      parse: JSON.parse,
      function: weatherTool.run,
    },
  },
];

async function drain(stream: AsyncIterable<OpenAI.ChatCompletionChunk>, onText: () => void): Promise<void> {
  for await (const { choices } of stream) if (choices[0]?.delta.content) onText();
}

/** Throws what is no error of the API. */
export function readError(error: unknown): ClientFailure {
  if (!(error instanceof OpenAI.APIError)) throw error;
  return {
    className: error.constructor.name,
    status: error.status,
    message: error.message,
    error: { ...(error.error as object), code: error.code, type: error.type },
    retryAfter: error.headers?.get("retry-after") ?? undefined,
  };
}

export const openaiDriver: ClientDriver = {
  name: "openai",
  finishes: { stop: "stop", toolCalls: "tool_calls" },
  ask: async (target, stream) => {
    const { completions } = connect(target).chat;
    const request = { model: target.model, messages, tools };
    if (!stream) return readCompletion(await completions.create(request));
    const runner = completions.stream({ ...request, stream_options: { include_usage: true } });
    return readCompletion(await runner.finalChatCompletion());
  },
  runTools: async (target, stream) => {
    const { completions } = connect(target).chat;
    const request = { model: target.model, messages, tools };
    const runner = stream
      ? completions.runTools({ ...request, stream: true })
      : completions.runTools(request);
    return (await runner.finalContent()) ?? "";
  },
  fail: async (target, { stream = false, invalid = false } = {}) => {
    const request = { model: target.model, messages, ...(invalid && { temperature: 7 }) };
    const { completions } = connect(target).chat;
    const error = await rejection(
      stream
        ? completions.create({ ...request, stream: true }).then((chunks) => drain(chunks, () => {}))
        : completions.create(request),
    );
    return readError(error);
  },
  leave: (target, stream, signal, onText) => {
    const { completions } = connect(target).chat;
    const request = { model: target.model, messages };
    return stream
      ? completions.create({ ...request, stream: true }, { signal }).then((chunks) => drain(chunks, onText))
      : completions.create(request, { signal });
  },
};
