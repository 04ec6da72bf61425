/** The hub: one neutral shape for a chat request, the events of its answer, and its usage. Every dialect translates
 * to and from it; nothing here knows a wire format. Plain types: the wires are zod schemas beside the dialects. */

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
  source:
    | { kind: "url"; url: string }
    | { kind: "base64"; mediaType: string; data: string }
    | { kind: "id"; id: string };
  filename?: string;
  providerData?: ProviderData;
};
/** A model's reasoning. `signature` proves it to the provider that wrote it; `redacted` is its sealed form. */
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
 * A block only its dialect understands (a server tool's result): sent back to it. Others are given
 * `fallback` where it says the same in plainer words, else it is left out and named.
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

export type ChatRole = "system" | "developer" | "user" | "assistant" | "tool";
/** `native`: the same turn as its provider wrote it, which that provider gets in place of `parts`. */
export type ChatMessage = {
  role: ChatRole;
  parts: ContentPart[];
  name?: string;
  native?: { dialect: DialectName; data: ProviderData };
  /** Fields of the message itself that only the caller's dialect knows. */
  providerData?: ProviderData;
};

export type ToolDefinition = {
  name: string;
  description?: string;
  /** JSON Schema of the arguments, kept whole. */
  parameters?: Readonly<Record<string, unknown>>;
  strict?: boolean;
  /** OpenAI's own words of a `custom` tool, which others get as a function of one `input`. */
  custom?: { description?: string; format?: ProviderData };
  providerData?: ProviderData;
};
/** A tool its dialect's provider runs itself, or knows the schema of; `at` is its place among the caller's tools. */
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

/** What a caller asked for, in no provider's words. Absent means the caller did not say; `choices` is OpenAI's `n`. */
export type ChatRequest = {
  messages: ChatMessage[];
  tools: ToolDefinition[];
  /** Tools only a provider of the caller's dialect has; named to the caller where another one serves. */
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
  reasoning?: { effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh"; budgetTokens?: number };
  endUser?: string;
  metadata?: Readonly<Record<string, unknown>>;
  serviceTier?: string;
  /** Fields of the caller's dialect that only that same dialect's provider can honour, by wire name. */
  extra: Readonly<Record<string, unknown>>;
  /**
   * Fields said above in the hub's words and here in the caller's own, richer ones: a provider of the same
   * dialect gets these in place of a translation.
   */
  verbatim?: Readonly<Record<string, unknown>>;
  /** Wire names of what was lost where such a field had to be said in the hub's words. */
  untranslated?: readonly string[];
  /** Request headers only a provider of the caller's dialect understands. */
  providerHeaders?: Readonly<Record<string, string>>;
  /** Write a user's single text as a list, too: its bytes then stay the same in later turns, with or without a plan block. */
  userTextAsParts?: boolean;
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
  /** As reported, else input + output. */
  total: number;
  cachedInput: number;
  cacheWrite: number;
  /** Part of `cacheWrite` with a one-hour life, priced higher by its provider. */
  cacheWriteLong?: number;
  reasoning: number;
  audioInput?: number;
  audioOutput?: number;
  imageOutput?: number;
  /** What an aggregator says it charged, US dollars. */
  costUsd?: number;
  /** The provider's own usage object, for callers of the same dialect. */
  raw?: ProviderData;
};

/** Why an answer ended: the union of what the dialects can say. */
export type FinishReason =
  | "stop"
  | "stop-sequence"
  | "length"
  | "tool-calls"
  | "content-filter"
  | "refusal"
  | "pause"
  | "other";

/**
 * The answer as events, for a stream and for JSON alike. `choice` counts answers (0 unless n > 1).
 * `block` numbers the content blocks of one choice in order of their start; a block's deltas carry its
 * number. Tool blocks may interleave (OpenAI does); `tool-call-end` closes one, and its deltas
 * re-join to valid JSON by then.
 */
export type ChatEvent =
  /** Comes again where the provider says more of the answer as a whole later (`providerData`). */
  | { type: "start"; id?: string; model?: string; created?: number; providerData?: ProviderData }
  | { type: "text-delta"; choice: number; block: number; text: string; providerData?: ProviderData }
  /** `providerData` (an aggregator's id and format of the block) comes with the block's first delta, which may be empty. */
  | { type: "reasoning-delta"; choice: number; block: number; text: string; providerData?: ProviderData }
  /** The seal of a reasoning block, or of the text/tool block numbered (Gemini thought signatures). */
  | { type: "signature"; choice: number; block: number; signature: string }
  | { type: "redacted-reasoning"; choice: number; block: number; data: string; providerData?: ProviderData }
  | { type: "refusal-delta"; choice: number; block: number; text: string }
  | {
      type: "tool-call-start";
      choice: number;
      block: number;
      id: string;
      name: string;
      providerData?: ProviderData;
    }
  | { type: "tool-call-delta"; choice: number; block: number; arguments: string }
  | { type: "tool-call-end"; choice: number; block: number }
  /** Something only this dialect understands: a block, a note about one (`annotation`), or a picture others show. */
  | {
      type: "opaque";
      choice: number;
      block: number;
      dialect: DialectName;
      data: ProviderData;
      annotation?: true;
      image?: { mediaType: string; data: string; signature?: string };
    }
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
  /** Always last. `host`: an aggregator's, where another may do better; `details`: for clients of its dialect. */
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

/** Output tokens to pay for: some providers (xAI) report reasoning beside, not inside, the output count. */
export function billableOutput(usage: Usage): number {
  const apart = usage.total === usage.input + usage.output + usage.reasoning;
  return apart ? usage.output + usage.reasoning : usage.output;
}
