/**
 * What an encoder had to leave out of a request, under the names its caller used: the list becomes the
 * response header `x-svc-unsupported`. Pure; one collector per request.
 */
import type { ChatRequest, DialectName } from "../../shared/chat.ts";

const openaiNames = {
  audio: "input_audio",
  endUser: "user",
  file: "file",
  fileName: "file.filename",
  frequencyPenalty: "frequency_penalty",
  imageDetail: "image_url.detail",
  logitBias: "logit_bias",
  logprobs: "logprobs",
  messageName: "messages.name",
  metadata: "metadata",
  opaqueContent: "messages.content",
  parallelToolCalls: "parallel_tool_calls",
  presencePenalty: "presence_penalty",
  reasoning: "reasoning_effort",
  reasoningContent: "reasoning_content",
  responseFormat: "response_format",
  responseSchema: "response_format.json_schema.schema",
  seed: "seed",
  serviceTier: "service_tier",
  stop: "stop",
  strictTools: "tools.strict",
  temperature: "temperature",
  toolArguments: "tool_calls.function.arguments",
  toolChoice: "tool_choice",
  topK: "top_k",
  topP: "top_p",
} as const;

export type OmittedField = keyof typeof openaiNames;

const namesByDialect: Record<DialectName, Readonly<Record<OmittedField, string>>> = {
  openai: openaiNames,
  anthropic: {
    ...openaiNames,
    endUser: "metadata.user_id",
    file: "messages.content.document",
    fileName: "messages.content.document.title",
    parallelToolCalls: "tool_choice.disable_parallel_tool_use",
    reasoning: "thinking",
    reasoningContent: "messages.content.thinking",
    responseFormat: "output_config.format",
    responseSchema: "output_config.format.schema",
    stop: "stop_sequences",
    toolArguments: "messages.content.tool_use.input",
  },
  gemini: openaiNames,
};

export type Omissions = {
  /** Notes one field; noting it again changes nothing. */
  add(field: OmittedField): void;
  /** Notes something by the name it has on the caller's wire. */
  name(wireName: string): void;
  /** Wire names in the order they were noted. */
  list(): string[];
};

/** The list becomes a header, and names of fields are the caller's own. */
const maxNames = 40;
const toToken = (name: string): string => name.replace(/[^\w.-]/g, "_").slice(0, 80);

/**
 * A collector that starts with what only a provider of the caller's dialect could honour: fields, tools and
 * headers without a place in the hub, and what was lost on the way into it.
 */
export function createOmissions(request: ChatRequest, provider: DialectName): Omissions {
  const names = new Set<string>(request.callerDialect === provider ? [] : listForeign(request));
  return {
    add: (field) => void names.add(namesByDialect[request.callerDialect][field]),
    name: (wireName) => void names.add(wireName),
    list: () => [...new Set([...names].map(toToken))].slice(0, maxNames),
  };
}

function listForeign({ extra, providerTools, providerHeaders, untranslated }: ChatRequest): string[] {
  return [
    ...Object.keys(extra),
    ...(providerTools ?? []).map(({ type }) => `tools.${type}`),
    ...Object.keys(providerHeaders ?? {}),
    ...(untranslated ?? []),
  ];
}
