/** LangChain over any of its chat models: invoke, stream and bindTools. */
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
  type ClientFailure,
  question,
  rejection,
  type Target,
  weatherTool,
} from "./client-driver.ts";

const weather = tool(async (input: { city: string }) => JSON.stringify(weatherTool.run(input)), {
  name: weatherTool.name,
  description: weatherTool.description,
  schema: z.object({ city: z.string() }),
});

/** All but what each provider says in its own words. */
function readMessage(message: AIMessageChunk): Omit<ClientAnswer, "reasoning" | "finish"> {
  const { tool_calls: calls = [] } = message;
  const usage: UsageMetadata | undefined = message.usage_metadata;
  return {
    text: message.text,
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

type Options = { signal?: AbortSignal };
type Model = {
  invoke(input: BaseMessage[] | string, options?: Options): Promise<AIMessageChunk>;
  stream(input: BaseMessage[] | string, options?: Options): Promise<AsyncIterable<AIMessageChunk>>;
};

async function answer(model: Model, messages: BaseMessage[], stream: boolean): Promise<AIMessageChunk> {
  if (!stream) return model.invoke(messages);
  let whole: AIMessageChunk | undefined;
  for await (const chunk of await model.stream(messages)) whole = whole?.concat(chunk) ?? chunk;
  return whole!;
}

type LangchainProvider = Pick<ClientDriver, "name" | "finishes"> & {
  connect: (
    target: Target,
    fields?: { temperature: number },
  ) => Model & { bindTools(tools: object[]): Model };
  readOwnWords: (message: AIMessageChunk) => Pick<ClientAnswer, "reasoning" | "finish">;
  /** The error's fields as the provider's client hands them on; throws what is no error of its API. */
  readError: (error: unknown) => ClientFailure;
};

export function createLangchainDriver(provider: LangchainProvider): ClientDriver {
  const { name, finishes, connect, readOwnWords, readError } = provider;
  return {
    name,
    finishes,
    ask: async (target, stream) => {
      const message = await answer(
        connect(target).bindTools([weather]),
        [new HumanMessage(question)],
        stream,
      );
      return { ...readMessage(message), ...readOwnWords(message) };
    },
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
      const model = invalid ? connect(target, { temperature: 7 }) : connect(target);
      return readError(await rejection(answer(model, [new HumanMessage(question)], stream)));
    },
    leave: async (target, stream, signal, onText) => {
      const model = connect(target);
      if (!stream) return model.invoke(question, { signal });
      for await (const chunk of await model.stream(question, { signal })) if (chunk.text !== "") onText();
      return undefined;
    },
  };
}
