/**
 * The hub: the one form of a chat request, of its answer's events, and of its usage, which every dialect translates to and from.
 * Nothing here knows a wire format. Plain types: wire formats are zod schemas beside the dialects.
 */

/** Data only its own provider understands (a signature, a cache mark). Carried byte-equal, never read. */
export type ProviderData = Readonly<Record<string, unknown>>;

export type TextPart = { type: "text"; text: string; providerData?: ProviderData };
export type ImagePart = {
  type: "image";
  source: { kind: "url"; url: string } | { kind: "base64"; mediaType: string; data: string };
  detail?: "auto" | "low" | "high" | "original";
  providerData?: ProviderData;
};
/** A document, audio clip or other file given inline, by URL, or by a provider's file id. */
export type FilePart = {
  type: "file";
  source: ImagePart["source"] | { kind: "id"; id: string };
  filename?: string;
  providerData?: ProviderData;
};
/** A model's reasoning. `signature` lets its provider verify it; `redacted` is reasoning sent encrypted. */
export type ReasoningPart = {
  type: "reasoning";
  text: string;
  signature?: string;
  redacted?: string;
  providerData?: ProviderData;
};
export type RefusalPart = { type: "refusal"; text: string };
/** `arguments` is JSON text exactly as the model wrote it; `"{}"` when it wrote none. */
export type ToolCallPart = {
  type: "tool-call";
  id: string;
  name: string;
  arguments: string;
  providerData?: ProviderData;
};
export type ToolResultPart = {
  type: "tool-result";
  toolCallId: string;
  content: (TextPart | ImagePart | FilePart | OpaquePart)[];
  isError?: boolean;
  providerData?: ProviderData;
};
/**
 * A part that only its own dialect understands (a server tool's result), and that is sent back to it. Other dialects get
 * `fallback`, if it says the same in plainer form; otherwise the part is left out and named.
 */
export type OpaquePart = {
  type: "opaque";
  dialect: DialectName;
  data: ProviderData;
  fallback?: (TextPart | ImagePart | FilePart)[];
};

export type ContentPart =
  | TextPart
  | ImagePart
  | FilePart
  | ReasoningPart
  | RefusalPart
  | ToolCallPart
  | ToolResultPart
  | OpaquePart;

/** `native`: the turn as a provider wrote it; its dialect is sent this instead of `parts`. `providerData`: the message's own fields. */
export type ChatMessage = {
  role: "system" | "developer" | "user" | "assistant" | "tool";
  parts: ContentPart[];
  name?: string;
  native?: { dialect: DialectName; data: ProviderData };
  providerData?: ProviderData;
};
export const isInstruction = ({ role }: ChatMessage): boolean => role === "system" || role === "developer";

export type ToolDefinition = {
  name: string;
  description?: string;
  /** JSON Schema of the arguments, kept whole. */
  parameters?: Readonly<Record<string, unknown>>;
  strict?: boolean;
  /** Fields of an OpenAI `custom` tool; other providers get a function with the one argument `input`. */
  custom?: { description?: string; format?: ProviderData };
  providerData?: ProviderData;
};
/** A tool that a provider runs itself, or whose schema it knows; `at` is its position among the caller's tools. */
export type ProviderTool = { at: number; type: string; data: ProviderData };
export type ToolChoice = { type: "none" | "auto" | "required" } | { type: "tool"; name: string };

export type ResponseFormat =
  | { type: "text" }
  | { type: "json" }
  | {
      type: "json-schema";
      name: string;
      description?: string;
      schema: Readonly<Record<string, unknown>>;
      strict?: boolean;
    };

export type DialectName = "openai" | "anthropic" | "gemini";

/** What a caller asked for, in no provider's format. A field is absent if the caller left it out; `choices` is OpenAI's `n`. */
export type ChatRequest = {
  messages: ChatMessage[];
  tools: ToolDefinition[];
  /** Tools that only a provider of the caller's dialect has; named to the caller if another serves the request. */
  providerTools?: readonly ProviderTool[];
  toolChoice?: ToolChoice;
  parallelToolCalls?: boolean;
  responseFormat?: ResponseFormat;
  stream: boolean;
  choices: number;
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  stop: string[];
  seed?: number;
  logprobs?: { top?: number };
  logitBias?: Readonly<Record<string, number>>;
  reasoning?: {
    effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
    budgetTokens?: number;
  };
  endUser?: string;
  metadata?: Readonly<Record<string, unknown>>;
  serviceTier?: string;
  /** Fields that only a provider of the caller's dialect can use, by wire name. */
  extra: Readonly<Record<string, unknown>>;
  /** Fields that the hub holds above in its own form, as the caller wrote them in more detail: for a provider of the same dialect. */
  verbatim?: Readonly<Record<string, unknown>>;
  /** What `verbatim` says beyond the hub's form, by wire names: named to callers whom a provider of another dialect serves. */
  untranslated?: readonly string[];
  /** Request headers only a provider of the caller's dialect understands. */
  providerHeaders?: Readonly<Record<string, string>>;
  /** Send a user's single text as a list, too: its bytes then stay the same in later turns. */
  userTextAsParts?: boolean;
  /** What the gateway has added after the caller's last content: to the newest message of user or tool, or as a turn of its own. */
  added?: { texts: string[]; place: "into" | "new-turn" };
  /** Dialect the caller spoke: `extra` travels only to a provider of the same dialect. */
  callerDialect: DialectName;
};

/**
 * Tokens as the provider counted them. `input` and `output` are what OpenAI calls prompt_tokens and
 * completion_tokens: input includes cached and cache-written tokens; output includes reasoning tokens
 * unless the provider keeps them apart (`total` then exceeds input + output; see `billableOutput`).
 */
export type Usage = {
  input: number;
  output: number;
  /** As reported; input + output if the provider does not report it. */
  total: number;
  cachedInput: number;
  cacheWrite: number;
  /** The part of `cacheWrite` that lasts an hour, which has a higher price. */
  cacheWriteLong?: number;
  reasoning: number;
  audioInput?: number;
  audioOutput?: number;
  imageOutput?: number;
  /** The cost that an aggregator reports, US dollars. */
  costUsd?: number;
  /** The provider's own usage object, for callers of the same dialect. */
  raw?: ProviderData;
};

/** Why an answer ended: the reasons of all dialects together. */
export type FinishReason =
  | "stop"
  | "stop-sequence"
  | "length"
  | "tool-calls"
  | "content-filter"
  | "refusal"
  | "pause"
  | "other";

/** An event of one content block. */
type Placed<Type> = { type: Type; choice: number; block: number };

/**
 * The answer as events, for a stream and for JSON alike. `choice` counts answers (0 unless n > 1).
 * `block` numbers the content blocks of one choice in order of their start; a block's deltas carry its
 * number. Tool blocks may interleave (OpenAI does); `tool-call-end` closes one, and its deltas
 * re-join to valid JSON by then. A later `start` adds `providerData`.
 */
export type ChatEvent =
  | { type: "start"; id?: string; model?: string; created?: number; providerData?: ProviderData }
  | (Placed<"text-delta"> & { text: string; providerData?: ProviderData })
  /**
   * `providerData` (an aggregator's id and format of the block) comes with the block's first delta, which may be empty. `estimatedTokens`:
   * Anthropic's estimate of thinking whose text it does not send, for clients of its dialect.
   */
  | (Placed<"reasoning-delta"> & { text: string; providerData?: ProviderData; estimatedTokens?: number })
  /** The provider's signature of a reasoning block, or, from Gemini (thought signatures), of a text or tool block. */
  | (Placed<"signature"> & { signature: string })
  | (Placed<"redacted-reasoning"> & { data: string; providerData?: ProviderData })
  | (Placed<"refusal-delta"> & { text: string })
  | (Placed<"tool-call-start"> & { id: string; name: string; providerData?: ProviderData })
  | (Placed<"tool-call-delta"> & { arguments: string })
  | Placed<"tool-call-end">
  /** Something that only this dialect understands: a block, a note about one (`annotation`), or a picture that others can show. */
  | (Placed<"opaque"> & {
      dialect: DialectName;
      data: ProviderData;
      annotation?: true;
      image?: { mediaType: string; data: string; signature?: string };
    })
  | { type: "logprobs"; choice: number; data: ProviderData }
  | {
      type: "finish";
      choice: number;
      reason: FinishReason;
      raw: string | null;
      stopSequence?: string;
      providerData?: ProviderData;
    }
  /** Cumulative: a later one replaces an earlier one. */
  | { type: "usage"; usage: Usage }
  /** Always the last event. `host`: the aggregator's host that failed; `details`: for clients of its dialect. */
  | {
      type: "error";
      code:
        | "upstream_error"
        | "upstream_overloaded"
        | "upstream_rate_limited"
        | "upstream_timeout"
        | "upstream_truncated"
        | "upstream_rejected"
        | "context_length_exceeded"
        | "request_too_large"
        | "answer_off_format";
      message: string;
      host?: string;
      details?: ProviderData;
    };

export type EventOf<T extends ChatEvent["type"]> = Extract<ChatEvent, { type: T }>;

/** Output tokens to charge: some providers (xAI) report reasoning in addition to the output count, not inside it. */
export function billableOutput(usage: Usage): number {
  const apart = usage.total === usage.input + usage.output + usage.reasoning;
  return apart ? usage.output + usage.reasoning : usage.output;
}
