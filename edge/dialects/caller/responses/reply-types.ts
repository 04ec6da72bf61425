/**
 * A response, its items and its stream events as this service writes them, checked against the official client's types
 * (test/edge/dialects/caller/responses/types.test.ts).
 */

export type ItemStatus = "in_progress" | "completed" | "incomplete";
export type Logprob = { token: string; logprob: number; bytes: number[]; top_logprobs: never[] };
export type UrlCitation = {
  type: "url_citation";
  url: string;
  title: string;
  start_index: number;
  end_index: number;
};
export type OutputText = {
  type: "output_text";
  text: string;
  annotations: UrlCitation[];
  logprobs: Logprob[];
};
export type OutputRefusal = { type: "refusal"; refusal: string };

export type MessageOutput = {
  type: "message";
  id: string;
  role: "assistant";
  status: ItemStatus;
  content: (OutputText | OutputRefusal)[];
};
export type ReasoningOutput = {
  type: "reasoning";
  id: string;
  status: ItemStatus;
  summary: { type: "summary_text"; text: string }[];
  /** The data that the reasoning's provider needs back, sealed by us. */
  encrypted_content?: string;
};
export type FunctionCallOutput = {
  type: "function_call";
  id: string;
  call_id: string;
  name: string;
  /** The tool's namespace, if the caller gave it one. */
  namespace?: string;
  arguments: string;
  status: ItemStatus;
};
export type CustomCallOutput = {
  type: "custom_tool_call";
  id: string;
  call_id: string;
  name: string;
  /** The tool's namespace, if the caller gave it one. */
  namespace?: string;
  input: string;
  status: ItemStatus;
};
/** A search for tools that the caller runs. */
export type SearchCallOutput = {
  type: "tool_search_call";
  id: string;
  call_id: string;
  execution: "client";
  arguments: object;
  status: ItemStatus;
};
export type ImageOutput = {
  type: "image_generation_call";
  id: string;
  status: "in_progress" | "completed";
  /** Base64. */
  result: string | null;
};
/** A shortened conversation: the sealed summary, which the next turn sends back. */
export type CompactionOutput = { type: "compaction"; id: string; encrypted_content: string };
/** A message of the caller, repeated beside the summary that replaces the rest of its conversation. */
export type UserMessageOutput = {
  type: "message";
  id: string;
  role: "user";
  status: "completed";
  content: readonly object[];
};
export type OutputItem =
  | MessageOutput
  | ReasoningOutput
  | FunctionCallOutput
  | CustomCallOutput
  | SearchCallOutput
  | ImageOutput
  | CompactionOutput;

export type ResponseUsage = {
  input_tokens: number;
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
  /** Credits that this service charged. */
  cost?: number;
};

/** The fields of a request that its response repeats. */
export type Echo = {
  /** Sampling fields that requests of this API do not have; OpenAI's responses have them nevertheless. */
  frequency_penalty: 0;
  presence_penalty: 0;
  instructions: string | null;
  max_output_tokens: number | null;
  metadata: Record<string, string>;
  parallel_tool_calls: boolean;
  reasoning: { effort: string | null; summary: string | null };
  service_tier: string;
  temperature: number;
  text: { format: object; verbosity?: unknown };
  tool_choice: unknown;
  tools: readonly object[];
  top_logprobs: number;
  top_p: number;
  truncation: "disabled";
  user?: string;
  prompt_cache_key?: string;
  safety_identifier?: string;
};

export type ResponseStatus = "in_progress" | "completed" | "incomplete" | "failed";
export type ResponseError = { code: string; message: string };

export type ResponseBody = Echo & {
  id: string;
  object: "response";
  /** Unix seconds. */
  created_at: number;
  completed_at: number | null;
  status: ResponseStatus;
  background: false;
  store: false;
  previous_response_id: null;
  error: ResponseError | null;
  incomplete_details: { reason: "max_output_tokens" | "content_filter" } | null;
  /** The model name as the caller sent it. */
  model: string;
  output: OutputItem[];
  usage: ResponseUsage | null;
  svc?: object;
};

export type CompactionBody = {
  id: string;
  object: "response.compaction";
  /** Unix seconds. */
  created_at: number;
  output: (UserMessageOutput | OutputItem)[];
  usage: ResponseUsage | null;
  svc: object;
};

/** Receives a stream's events; a JSON answer ignores them. */
export type ItemSink = {
  event(type: string, fields: object): void;
  /** The hot path. `place` is JSON without braces: the fields that say which item and part the text belongs to. */
  delta(type: string, place: string, text: string, logprobs?: readonly Logprob[]): void;
};
