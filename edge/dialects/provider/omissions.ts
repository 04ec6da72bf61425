/**
 * Collects what is left out of a request for its provider, under the names that its caller used, for the response header
 * `x-svc-unsupported`. Also removes opaque parts of other dialects from the messages. Pure; one collector per request.
 */
import type {
  ChatMessage,
  ChatRequest,
  ContentPart,
  DialectName,
  OpaquePart,
  ToolChoice,
  ToolDefinition,
} from "../../../shared/chat.ts";
import { listNames } from "../field-names.ts";
import { isEmptyList } from "../json.ts";

/** A field of the hub's request that carries no setting: the conversation, what this service does itself, or other fields. */
type Carrier =
  | "messages"
  | "stream"
  | "choices"
  | "maxOutputTokens"
  | "callerDialect"
  | "extra"
  | "verbatim"
  | "untranslated"
  | "providerTools"
  | "providerHeaders"
  | "userTextAsParts"
  | "added";
/** A field of the hub's request that a caller may set: each provider's writer sends it or names it as left out. */
export type Setting = Exclude<keyof ChatRequest, Carrier>;

/** OpenAI's name of each setting. */
export const settingNames = {
  endUser: "user",
  frequencyPenalty: "frequency_penalty",
  logitBias: "logit_bias",
  logprobs: "logprobs",
  metadata: "metadata",
  parallelToolCalls: "parallel_tool_calls",
  presencePenalty: "presence_penalty",
  reasoning: "reasoning_effort",
  responseFormat: "response_format",
  seed: "seed",
  serviceTier: "service_tier",
  stop: "stop",
  temperature: "temperature",
  toolChoice: "tool_choice",
  tools: "tools",
  topK: "top_k",
  topP: "top_p",
} as const satisfies Record<Setting, string>;

const openaiNames = {
  ...settingNames,
  audio: "input_audio",
  file: "file",
  fileName: "file.filename",
  imageDetail: "image_url.detail",
  messageName: "messages.name",
  opaqueContent: "messages.content",
  reasoningContent: "reasoning_content",
  responseSchema: "response_format.json_schema.schema",
  strictTools: "tools.strict",
  toolArguments: "tool_calls.function.arguments",
  toolParameters: "tools.parameters",
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
  /** Notes one field; noting it again has no effect. */
  add(field: OmittedField): void;
  /** Notes something by its name in the caller's dialect. */
  name(wireName: string): void;
  /** Wire names in the order they were noted. */
  list(): string[];
};

/** Values that ask for nothing, since they hold without the setting, too. */
export const settingDefaults: Partial<Record<Setting, unknown>> = {
  frequencyPenalty: 0,
  parallelToolCalls: true,
  presencePenalty: 0,
  temperature: 1,
  topP: 1,
};

/** Names the settings that ask for something; the provider, or its model, takes none of them. */
export function nameAsked(
  settings: { readonly [S in Setting]?: ChatRequest[S] | undefined },
  omissions: Pick<Omissions, "add">,
): void {
  for (const [setting, value] of Object.entries(settings) as [Setting, unknown][]) {
    const isEmpty = setting === "logitBias" && Object.keys(value ?? {}).length === 0;
    if (value !== undefined && value !== settingDefaults[setting] && !isEmpty) omissions.add(setting);
  }
}

/**
 * A new collector. For a provider of another dialect it begins with the fields, tools and headers that only the caller's own
 * dialect has, and with what was already lost in reading the request.
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

/**
 * Whether the provider takes fields of a message that the hub does not know: only Anthropic, from its own callers, on a system message.
 * It refuses other messages that have any.
 */
export const takesOwnFields = (
  { role }: ChatMessage,
  { callerDialect }: ChatRequest,
  provider: DialectName,
): boolean => role === "system" && callerDialect === "anthropic" && provider === "anthropic";

/** The messages without opaque parts of other dialects. */
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
    if (!takesOwnFields(message, request, provider))
      for (const name of Object.keys(message.providerData ?? {})) omissions.name(`messages.${name}`);
    const parts = plain(message.parts).map((part) =>
      part.type === "tool-result" ? { ...part, content: plain(part.content) } : part,
    );
    return { ...message, parts };
  });
}

/** A part with a fallback loses nothing but a request for citations. */
export function nameOpaque(
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

/** Names the fields that callers put on a part beside its content. `silent`: fields that are sent, or that ask for nothing. */
export function nameMarks(
  part: { providerData?: Readonly<Record<string, unknown>> },
  silent: ReadonlySet<string>,
  omissions: Pick<Omissions, "name">,
): void {
  for (const [name, value] of Object.entries(part.providerData ?? {})) {
    if (!silent.has(name) && !isEmptyList(value)) omissions.name(name);
  }
}

/** Whether the caller demands a tool call. If the request has no tools, providers refuse that: it is left out and named. */
export const asksForTool = ({ toolChoice }: ChatRequest): boolean =>
  toolChoice?.type === "required" || toolChoice?.type === "tool";

/** The choice for the provider. A choice of a tool that the request does not have is left out, as every provider refuses it. */
export function fitToolChoice(
  { tools, toolChoice }: ChatRequest,
  omissions: Omissions,
): ToolChoice | undefined {
  if (toolChoice?.type !== "tool" || tools.some(({ name }) => name === toolChoice.name)) return toolChoice;
  omissions.add("toolChoice");
  return undefined;
}

/** Names the grammars of custom tools that only the description tells (custom-tools.ts), so the provider does not enforce them. */
export function nameGrammars(tools: readonly ToolDefinition[], omissions: Pick<Omissions, "name">): void {
  const bound = tools.some(({ custom }) => custom?.format !== undefined && custom.format.type !== "text");
  if (bound) omissions.name("tools.custom.format");
}
