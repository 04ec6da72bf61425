/** Answers of POST /v1/responses, whole and as the events of a stream, and of the paths below it. */
import { z } from "zod";
import { SvcMetadata } from "./svc-metadata.ts";

const itemStatus = z.enum(["in_progress", "completed", "incomplete"]);
const call = {
  id: z.string(),
  call_id: z.string(),
  name: z.string(),
  /** The tool's namespace, if the caller gave it one. */
  namespace: z.string().optional(),
  status: itemStatus,
};

export const OutputItem = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message"),
    id: z.string(),
    role: z.literal("assistant"),
    status: itemStatus,
    content: z.array(
      z.discriminatedUnion("type", [
        z.object({
          type: z.literal("output_text"),
          text: z.string(),
          annotations: z.array(z.looseObject({ type: z.string() })),
          logprobs: z.array(z.looseObject({ token: z.string(), logprob: z.number() })),
        }),
        z.object({ type: z.literal("refusal"), refusal: z.string() }),
      ]),
    ),
  }),
  z.object({
    type: z.literal("reasoning"),
    id: z.string(),
    status: itemStatus,
    summary: z.array(z.object({ type: z.literal("summary_text"), text: z.string() })),
    encrypted_content: z.string().optional(),
  }),
  z.object({ type: z.literal("function_call"), ...call, arguments: z.string() }),
  z.object({ type: z.literal("custom_tool_call"), ...call, input: z.string() }),
  z.object({
    type: z.literal("tool_search_call"),
    id: z.string(),
    call_id: z.string(),
    execution: z.literal("client"),
    arguments: z.looseObject({}),
    status: itemStatus,
  }),
  z.object({
    type: z.literal("image_generation_call"),
    id: z.string(),
    status: z.enum(["in_progress", "completed"]),
    result: z.string().nullable(),
  }),
  z.object({ type: z.literal("compaction"), id: z.string(), encrypted_content: z.string() }),
]);

const ResponseUsage = z.object({
  input_tokens: z.int(),
  input_tokens_details: z.object({ cached_tokens: z.int(), cache_write_tokens: z.int() }),
  output_tokens: z.int(),
  output_tokens_details: z.object({ reasoning_tokens: z.int() }),
  total_tokens: z.int(),
  cost: z.number().optional(),
});

/** The fields of a request that its response repeats. */
const echo = {
  frequency_penalty: z.number(),
  presence_penalty: z.number(),
  instructions: z.string().nullable(),
  max_output_tokens: z.int().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  parallel_tool_calls: z.boolean(),
  reasoning: z.object({ effort: z.string().nullable(), summary: z.string().nullable() }),
  service_tier: z.string(),
  temperature: z.number(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }) }),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]),
  tools: z.array(z.looseObject({ type: z.string() })),
  top_logprobs: z.int(),
  top_p: z.number(),
  truncation: z.literal("disabled"),
  user: z.string().optional(),
  prompt_cache_key: z.string().optional(),
  safety_identifier: z.string().optional(),
};

export const ResponseObject = z.object({
  ...echo,
  id: z.string(),
  object: z.literal("response"),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.enum(["in_progress", "completed", "incomplete", "failed"]),
  background: z.literal(false),
  store: z.literal(false),
  previous_response_id: z.null(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.object({ reason: z.enum(["max_output_tokens", "content_filter"]) }).nullable(),
  model: z.string(),
  output: z.array(OutputItem),
  usage: ResponseUsage.nullable(),
  svc: SvcMetadata.optional(),
});

const UserMessage = z.object({
  type: z.literal("message"),
  id: z.string(),
  role: z.literal("user"),
  status: z.literal("completed"),
  content: z.array(z.looseObject({ type: z.string() })),
});
export const CompactedResponse = z.object({
  id: z.string(),
  object: z.literal("response.compaction"),
  created_at: z.int(),
  output: z.array(z.union([UserMessage, OutputItem])),
  usage: ResponseUsage.nullable(),
  svc: SvcMetadata,
});
export const ResponseTokenCount = z.object({
  object: z.literal("response.input_tokens"),
  input_tokens: z.int().min(0),
});

const sequence_number = z.int();
export const ResponseEvent = z.union([
  z.object({
    type: z.enum([
      "response.created",
      "response.in_progress",
      "response.completed",
      "response.incomplete",
      "response.failed",
    ]),
    sequence_number,
    response: ResponseObject,
  }),
  z.object({
    type: z.enum(["response.output_item.added", "response.output_item.done"]),
    sequence_number,
    output_index: z.int(),
    item: OutputItem,
  }),
  z.looseObject({ type: z.string(), sequence_number, output_index: z.int(), item_id: z.string() }),
  z.looseObject({ type: z.literal("error"), sequence_number, message: z.string() }),
]);
