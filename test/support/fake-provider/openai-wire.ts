/** OpenAI's chat completions (alpha) and OpenRouter's dialect of them (router): comments, reasoning, cost. */
import { cutJson, cutWords, type FakeWire, type FullAnswer, writeArguments } from "./script.ts";

const finishReasons = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
} as const;

type Flavor = {
  defaultModel: string;
  id: string;
  reasoningField: "reasoning" | "reasoning_content";
  comment?: string;
  /** Sends usage whether asked or not, with what it cost. */
  alwaysUsage: boolean;
  models: unknown;
  writeError(status: number, message: string): unknown;
};

const created = 1_764_547_200;

function createWire(flavor: Flavor): FakeWire {
  const base = (answer: FullAnswer, object: string) => ({
    id: flavor.id,
    object,
    created,
    model: answer.model,
  });

  const writeUsage = ({ usage }: FullAnswer) => ({
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cachedInput,
      ...(usage.cacheWrite > 0 && { cache_write_tokens: usage.cacheWrite }),
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
    ...(flavor.alwaysUsage && { cost: usage.costUsd }),
  });

  const writeCalls = (answer: FullAnswer) =>
    answer.toolCalls.map((call, index) => ({
      id: call.id ?? `call_fake_${index}`,
      type: "function",
      function: { name: call.name, arguments: writeArguments(call) },
    }));

  return {
    defaultModel: flavor.defaultModel,
    writeReply: (answer) => ({
      ...base(answer, "chat.completion"),
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: answer.text === "" ? null : answer.text,
            ...(answer.reasoning !== "" && { [flavor.reasoningField]: answer.reasoning }),
            ...(answer.toolCalls.length > 0 && { tool_calls: writeCalls(answer) }),
          },
          logprobs: null,
          finish_reason: finishReasons[answer.finish],
        },
      ],
      usage: writeUsage(answer),
    }),
    writeFrames: (answer, { includeUsage }) => {
      const frame = (fields: object) =>
        `data: ${JSON.stringify({ ...base(answer, "chat.completion.chunk"), ...fields })}\n\n`;
      const delta = (fields: object, finish: string | null = null) =>
        frame({ choices: [{ index: 0, delta: fields, logprobs: null, finish_reason: finish }] });
      return [
        ...(flavor.comment ? [`: ${flavor.comment}\n\n`] : []),
        delta({ role: "assistant", content: "" }),
        ...cutWords(answer.reasoning).map((piece) => delta({ [flavor.reasoningField]: piece })),
        ...cutWords(answer.text).map((piece) => delta({ content: piece })),
        ...writeCalls(answer).flatMap((call, index) => [
          delta({ tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: "" } }] }),
          ...cutJson(call.function.arguments).map((piece) =>
            delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
          ),
        ]),
        delta({}, finishReasons[answer.finish]),
        ...(includeUsage || flavor.alwaysUsage ? [frame({ choices: [], usage: writeUsage(answer) })] : []),
        "data: [DONE]\n\n",
      ];
    },
    writeError: flavor.writeError,
    writeModels: () => flavor.models,
    writeReplay: (jsonLines) => [...jsonLines.map((line) => `data: ${line}\n\n`), "data: [DONE]\n\n"],
  };
}

export const alphaWire = createWire({
  defaultModel: "gpt-4o-2024-08-06",
  id: "chatcmpl-fake",
  reasoningField: "reasoning_content",
  alwaysUsage: false,
  models: {
    object: "list",
    data: ["gpt-4o", "gpt-4o-mini"].map((id) => ({ id, object: "model", created, owned_by: "openai" })),
  },
  writeError: (status, message) => ({
    error: {
      message,
      type: status < 500 ? "invalid_request_error" : "server_error",
      param: null,
      code: null,
    },
  }),
});

const routerModel = (id: string, context_length: number, pricing: Record<string, string>) => ({
  id,
  name: id,
  created,
  context_length,
  architecture: { modality: "text->text", input_modalities: ["text"], output_modalities: ["text"] },
  top_provider: { context_length, max_completion_tokens: 16_384, is_moderated: false },
  pricing: { request: "0", image: "0", ...pricing },
});

export const routerWire = createWire({
  defaultModel: "openai/gpt-4o",
  id: "gen-fake",
  reasoningField: "reasoning",
  comment: "OPENROUTER PROCESSING",
  alwaysUsage: true,
  models: {
    data: [
      routerModel("openai/gpt-4o", 128_000, {
        prompt: "0.0000025",
        completion: "0.00001",
        input_cache_read: "0.00000125",
      }),
      routerModel("anthropic/claude-3.7-sonnet", 200_000, {
        prompt: "0.000003",
        completion: "0.000015",
        input_cache_read: "0.0000003",
        input_cache_write: "0.00000375",
      }),
      routerModel("google/gemini-2.5-flash", 1_048_576, { prompt: "0.0000003", completion: "0.0000025" }),
      routerModel("meta-llama/llama-3.3-70b-instruct", 131_072, {
        prompt: "0.0000001",
        completion: "0.0000003",
      }),
    ],
  },
  writeError: (status, message) => ({ error: { code: status, message } }),
});
