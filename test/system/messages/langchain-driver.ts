/** `@langchain/anthropic`: ChatAnthropic with invoke, stream and bindTools. */
import { ChatAnthropic } from "@langchain/anthropic";
import {
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  type UsageMetadata,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import {
  type ClientAnswer,
  type ClientDriver,
  question,
  rejection,
  type Target,
  weatherTool,
} from "../clients/client-driver.ts";

const connect = ({ baseUrl, apiKey, headers, model, maxRetries = 0 }: Target, fields: object = {}) =>
  new ChatAnthropic({
    model,
    apiKey,
    maxRetries,
    maxTokens: 1000,
    anthropicApiUrl: baseUrl.replace(/\/v1$/, ""),
    clientOptions: { defaultHeaders: headers },
    ...fields,
  });

const weather = tool(async (input: { city: string }) => JSON.stringify(weatherTool.run(input)), {
  name: weatherTool.name,
  description: weatherTool.description,
  schema: z.object({ city: z.string() }),
});

type Content = { type: string; thinking?: string };

function readMessage(message: AIMessageChunk): ClientAnswer {
  const { tool_calls: calls = [], response_metadata: metadata, additional_kwargs: more } = message;
  const usage: UsageMetadata | undefined = message.usage_metadata;
  const blocks = (Array.isArray(message.content) ? message.content : []) as Content[];
  const reasoning = blocks
    .map(({ type, thinking }) => (type === "thinking" ? (thinking ?? "") : ""))
    .join("");
  return {
    text: message.text,
    reasoning: reasoning === "" ? undefined : reasoning,
    finish: String(metadata.stop_reason ?? more.stop_reason),
    calls: calls.map(({ name, args }) => ({ name, arguments: args })),
    usage: {
      input: usage!.input_tokens,
      output: usage!.output_tokens,
      total: usage!.total_tokens,
      cached: usage!.input_token_details?.cache_read ?? 0,
      reasoning: usage!.output_token_details?.reasoning ?? 0,
    },
  };
}

type Model = Pick<ReturnType<ChatAnthropic["bindTools"]>, "invoke" | "stream">;

async function answer(model: Model, messages: BaseMessage[], stream: boolean): Promise<AIMessageChunk> {
  if (!stream) return model.invoke(messages);
  let whole: AIMessageChunk | undefined;
  for await (const chunk of await model.stream(messages)) whole = whole?.concat(chunk) ?? chunk;
  return whole!;
}

export const langchainDriver: ClientDriver = {
  name: "@langchain/anthropic",
  finishes: { stop: "end_turn", toolCalls: "tool_use" },
  ask: async (target, stream) =>
    readMessage(await answer(connect(target).bindTools([weather]), [new HumanMessage(question)], stream)),
  runTools: async (target, stream) => {
    const model = connect(target).bindTools([weather]);
    const messages: BaseMessage[] = [new HumanMessage(question)];
    for (let turn = 0; turn < 3; turn++) {
      const message = await answer(model, messages, stream);
      messages.push(message);
      if (!message.tool_calls?.length) return message.text;
      for (const call of message.tool_calls) messages.push(await weather.invoke(call));
    }
    throw new Error("the tools never ended");
  },
  fail: async (target, { stream = false, invalid = false } = {}) => {
    const model = connect(target, invalid ? { temperature: 7 } : {});
    // LangChain hands the error of the Anthropic client it brings with it on, with fields of its own.
    const error = (await rejection(answer(model as Model, [new HumanMessage(question)], stream))) as Error & {
      status?: number;
      error?: { error?: Record<string, unknown> };
      headers?: Headers;
    };
    return {
      className: error.constructor.name,
      status: error.status,
      message: error.message,
      error: error.error?.error ?? {},
      retryAfter: error.headers?.get("retry-after") ?? undefined,
    };
  },
  leave: async (target, stream, signal, onText) => {
    const model = connect(target);
    if (!stream) return model.invoke(question, { signal });
    for await (const chunk of await model.stream(question, { signal })) if (chunk.text !== "") onText();
    return undefined;
  },
};
