/** Answers of GET /v1/models and GET /v1/models/{id}, in OpenAI's shape and in Anthropic's. */
import { z } from "zod";
import { ModelSize } from "../../../shared/model-sizes.ts";
import type { PublishedPiece, PublishedPrice } from "../../billing/published-prices.ts";

const entry = {
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.literal("svc"),
};
export const ModelList = z.object({ object: z.literal("list"), data: z.array(z.object(entry)) });

const perToken = {
  prompt: z.number().nullable().optional(),
  completion: z.number().nullable().optional(),
  cache_read: z.number().optional(),
  cache_write: z.number().optional(),
  cache_write_1h: z.number().optional(),
  input_audio: z.number().optional(),
  output_audio: z.number().optional(),
  internal_reasoning: z.number().optional(),
} satisfies Record<PublishedPrice, z.ZodType>;
const perPiece = {
  request: z.number().optional(),
  image: z.number().optional(),
} satisfies Record<PublishedPiece, z.ZodType>;
const Pricing = z.object({
  planning: z.number().nullable(),
  ...perToken,
  ...perPiece,
  long_context: z.array(z.object({ above_prompt_tokens: z.int(), ...perToken })).optional(),
});

const known = {
  size: ModelSize,
  llm: z.string().nullable(),
  loaded: z.boolean(),
  context_length: z.int(),
  max_output_tokens: z.int().nullable(),
  pricing: Pricing,
  supported_parameters: z.array(z.string()),
};
export const Model = z.object({ ...entry, ...known });

const anthropicEntry = {
  type: z.literal("model"),
  id: z.string(),
  display_name: z.string(),
  created_at: z.iso.datetime(),
  lifecycle: z.literal("active"),
  deprecated_at: z.null(),
  retires_at: z.null(),
  line: z.null(),
  capabilities: z.null(),
};
export const AnthropicModelList = z.object({
  data: z.array(z.object({ ...anthropicEntry, max_input_tokens: z.null(), max_tokens: z.null() })),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});
export const AnthropicModel = z.object({
  ...anthropicEntry,
  max_input_tokens: z.int(),
  max_tokens: z.int().nullable(),
  ...known,
});
