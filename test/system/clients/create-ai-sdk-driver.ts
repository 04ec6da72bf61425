/** The `ai` package over any of its providers: generateText and streamText, tools by its own step loop. */
import {
  APICallError,
  generateText,
  type LanguageModel,
  RetryError,
  stepCountIs,
  streamText,
  type ToolSet,
  tool,
} from "ai";
import { z } from "zod";
import {
  type ClientAnswer,
  type ClientDriver,
  question,
  rejection,
  type Target,
  weatherTool,
} from "./client-driver.ts";

const offered = { description: weatherTool.description, inputSchema: z.object({ city: z.string() }) };
// The type of a tool without `execute` does not fit ToolSet under exactOptionalPropertyTypes.
const tools = { get_weather: tool(offered) } as unknown as ToolSet;
const runnableTools = {
  [weatherTool.name]: tool({
    ...offered,
    execute: async (input: { city: string }) => weatherTool.run(input),
  }),
};

type Parts = Pick<
  Awaited<ReturnType<typeof generateText>>,
  "text" | "reasoningText" | "finishReason" | "usage"
> & {
  toolCalls: { toolName: string; input: unknown }[];
};

function readParts({ text, reasoningText, finishReason, usage, toolCalls }: Parts): ClientAnswer {
  return {
    text,
    reasoning: reasoningText,
    finish: finishReason,
    calls: toolCalls.map(({ toolName, input }) => ({ name: toolName, arguments: input })),
    usage: {
      input: usage.inputTokens ?? -1,
      output: usage.outputTokens ?? -1,
      total: usage.totalTokens ?? -1,
      cached: usage.inputTokenDetails.cacheReadTokens ?? 0,
      reasoning: usage.outputTokenDetails.reasoningTokens ?? 0,
    },
  };
}

/** The stream tells its failure as a part; a caller of textStream alone would see it end. */
async function readStream(result: ReturnType<typeof streamText>, onText: () => void): Promise<void> {
  for await (const part of result.fullStream) {
    if (part.type === "text-delta") onText();
    if (part.type === "error") throw part.error;
    if (part.type === "abort") throw new DOMException("aborted", "AbortError");
  }
}

const quiet = { onError: () => {} };

type AiSdkProvider = {
  name: string;
  connect: (target: Target) => LanguageModel;
  /** Sent with each request. */
  settings?: { maxOutputTokens?: number };
  /** A setting out of its range. */
  invalid: { temperature?: number; topP?: number };
};

export function createAiSdkDriver({ name, connect, settings, invalid: wrong }: AiSdkProvider): ClientDriver {
  const prepare = (target: Target) => ({
    model: connect(target),
    prompt: question,
    maxRetries: target.maxRetries ?? 0,
    ...settings,
  });
  return {
    name,
    finishes: { stop: "stop", toolCalls: "tool-calls" },
    ask: async (target, stream) => {
      if (!stream) return readParts(await generateText({ ...prepare(target), tools }));
      const result = streamText({ ...prepare(target), ...quiet, tools });
      return readParts({
        text: await result.text,
        reasoningText: await result.reasoningText,
        finishReason: await result.finishReason,
        usage: await result.usage,
        toolCalls: await result.toolCalls,
      });
    },
    runTools: async (target, stream) => {
      const request = { ...prepare(target), tools: runnableTools, stopWhen: stepCountIs(3) };
      return stream ? await streamText({ ...request, ...quiet }).text : (await generateText(request)).text;
    },
    fail: async (target, { stream = false, invalid = false } = {}) => {
      const request = { ...prepare(target), ...(invalid && wrong) };
      const work = stream
        ? readStream(streamText({ ...request, ...quiet }), () => {})
        : generateText(request);
      const thrown = await rejection(work);
      const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown;
      if (!APICallError.isInstance(error)) {
        // An error inside a stream is the body's `error` itself.
        const { message } = error as { message?: unknown };
        return {
          className: "stream part",
          status: undefined,
          message: String(message ?? JSON.stringify(error)),
          error: {},
          retryAfter: undefined,
        };
      }
      return {
        className: error.name,
        status: error.statusCode,
        message: error.message,
        error: JSON.parse(error.responseBody ?? "{}").error ?? {},
        retryAfter: error.responseHeaders?.["retry-after"],
      };
    },
    leave: (target, stream, signal, onText) => {
      const request = { ...prepare(target), abortSignal: signal };
      return stream ? readStream(streamText({ ...request, ...quiet }), onText) : generateText(request);
    },
  };
}
