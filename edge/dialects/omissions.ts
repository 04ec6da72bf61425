/**
 * Collects what had to be left out of a request for its provider, under the names its caller used, for the response header
 * `x-svc-unsupported`; judges which names fit into it. Also removes blocks of other dialects from the messages. Pure; one
 * collector per request.
 */
import type {
  ChatMessage,
  ChatRequest,
  ContentPart,
  DialectName,
  OpaquePart,
  ToolChoice,
  ToolDefinition,
} from "../../shared/chat.ts";

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
  toolParameters: "tools.parameters",
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
    toolParameters: "tools.input_schema",
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

/** Names as a header can hold them: plain, each once, no more than a client reads. */
export const listNames = (names: Iterable<string>): string[] =>
  [...new Set([...names].map(toToken))].slice(0, maxNames);

/** A body's top-level fields: unknown ones are kept, and named in that header where they are left out. */
const fieldName = /^[\w.-]{1,64}$/;
const maxFields = 100;

/** What is wrong with the names of a body's fields, in the words of a validation error; undefined for names that fit. */
export function judgeFieldNames(body: object): string | undefined {
  const names = Object.keys(body);
  return names.length <= maxFields && names.every((name) => fieldName.test(name))
    ? undefined
    : `takes at most ${maxFields} fields, each named by a plain word of at most 64 characters`;
}

/**
 * A collector that starts with what only a provider of the caller's dialect could honour: fields, tools and
 * headers without a place in the hub, and what was lost on the way into it.
 */
export function createOmissions(request: ChatRequest, provider: DialectName): Omissions {
  const names = new Set<string>(request.callerDialect === provider ? [] : listForeign(request));
  return {
    add: (field) => void names.add(namesByDialect[request.callerDialect][field]),
    name: (wireName) => void names.add(wireName),
    list: () => listNames(names),
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

/** The messages without opaque parts that are not the provider's own. */
export function writePlainMessages(
  request: ChatRequest,
  provider: DialectName,
  omissions: Omissions,
): readonly ChatMessage[] {
  const plain = <P extends ContentPart>(parts: readonly P[]): P[] =>
    parts.flatMap((part) => {
      if (part.type !== "opaque" || part.dialect === provider) return [part];
      nameOpaque(part, request.callerDialect, omissions);
      return (part.fallback ?? []) as P[];
    });
  return request.messages.map((message) => {
    if (message.native !== undefined && message.native.dialect !== provider) omissions.name("extra_content");
    if (request.callerDialect !== provider)
      for (const name of Object.keys(message.providerData ?? {})) omissions.name(`messages.${name}`);
    const parts = plain(message.parts).map((part) =>
      part.type === "tool-result" ? { ...part, content: plain(part.content) } : part,
    );
    return { ...message, parts };
  });
}

/** With a fallback only what stands around the content can be lost: that citations were asked for. */
function nameOpaque(
  { dialect, data, fallback }: OpaquePart,
  caller: DialectName,
  omissions: Omissions,
): void {
  const { type } = data;
  const name = dialect === caller && typeof type === "string" ? `messages.content.${type}` : undefined;
  if (fallback === undefined && name === undefined) omissions.add("opaqueContent");
  else if (fallback === undefined) omissions.name(name ?? "");
  else if (data.citations != null) omissions.name(`${name}.citations`);
}

/** Names what callers put on a part beside its content, where the provider takes none of it. */
export function nameMarks(
  part: { providerData?: Readonly<Record<string, unknown>> },
  taken: ReadonlySet<string>,
  omissions: Pick<Omissions, "name">,
): void {
  for (const [name, value] of Object.entries(part.providerData ?? {})) {
    if (!taken.has(name) && !isEmptyList(value)) omissions.name(name);
  }
}

/** For example the citations of a text without any: to leave that out loses nothing. */
export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Whether the caller demands a tool call. Without tools no provider takes that, so it is left out and named. */
export const asksForTool = ({ toolChoice }: ChatRequest): boolean =>
  toolChoice?.type === "required" || toolChoice?.type === "tool";

/** The choice for the provider: one that names a tool which the request does not have is left out, as every provider refuses it. */
export function fitToolChoice(
  { tools, toolChoice }: ChatRequest,
  omissions: Omissions,
): ToolChoice | undefined {
  if (toolChoice?.type !== "tool" || tools.some(({ name }) => name === toolChoice.name)) return toolChoice;
  omissions.add("toolChoice");
  return undefined;
}

/** Names the grammars of custom tools that are told in words (custom-tools.ts), not held by the provider. */
export function nameGrammars(tools: readonly ToolDefinition[], omissions: Pick<Omissions, "name">): void {
  const bound = tools.some(({ custom }) => custom?.format !== undefined && custom.format.type !== "text");
  if (bound) omissions.name("tools.custom.format");
}
