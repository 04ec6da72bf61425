/** Answers of /v1/account/*, GET /v1/generation and GET /health. */
import { z } from "zod";
import { ModelSize } from "../../../shared/model-sizes.ts";
import { providerKinds } from "../../../shared/providers.ts";
import { WorkerHealth } from "../../../shared/worker-health.ts";

const credits = z.number();
const time = z.iso.datetime().nullable();

export const ApiKey = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string().nullable(),
  created_at: time,
  last_used_at: time,
  expires_at: time,
  monthly_budget: credits.nullable(),
  spent_this_month: credits,
  models: z.array(z.string()).nullable(),
  manage: z.boolean(),
  revoked_at: time,
});
export const ApiKeyList = z.object({ object: z.literal("list"), data: z.array(ApiKey) });
export const NewApiKey = ApiKey.extend({ api_key: z.string() });

export const Done = z.object({ success: z.literal(true), message: z.string() });

/** Both names by provider: `has_…_key` and `…_last_validated`. */
const byKind = <Value extends z.ZodType>(nameOf: (kind: string) => string, value: Value) =>
  Object.fromEntries(providerKinds.map((kind) => [nameOf(kind), value]));
export const KeyStatus = z.object({
  pool_keys_available: z.boolean(),
  ...byKind((kind) => `has_${kind}_key`, z.boolean()),
  ...byKind((kind) => `${kind}_last_validated`, time),
});

export const Balance = z.object({ balance: credits, account_id: z.string(), email: z.string() });

export const UsageList = z.object({
  object: z.literal("list"),
  from: z.iso.date(),
  to: z.iso.date(),
  group_by: z.enum(["day", "model", "key"]),
  data: z.array(
    z.object({
      group: z.string().nullable(),
      requests: z.int(),
      prompt_tokens: z.int(),
      completion_tokens: z.int(),
      planning_tokens: z.int(),
      credits,
    }),
  ),
});

export const AccessToken = z.object({ token: z.string(), expires_at: z.iso.datetime() });

export const Generation = z.object({
  data: z.object({
    id: z.string(),
    request_id: z.string().nullable(),
    created: z.int(),
    model: z.string().nullable(),
    execution_llm: z.string().nullable(),
    models_tried: z.array(z.string()),
    key_source: z.enum(["user", "pool"]).nullable(),
    streamed: z.boolean(),
    finish_reason: z.string().nullable(),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    reasoning_tokens: z.int(),
    cached_tokens: z.int(),
    planning_tokens: z.int(),
    credits_charged: credits,
    planning_ms: z.number().nullable(),
    first_byte_ms: z.number().nullable(),
    total_ms: z.number().nullable(),
    action_sequence: z.array(z.string()),
  }),
});

export const Health = z.object({
  status: z.literal("healthy"),
  svc_models_loaded: z.array(ModelSize),
  llm_providers: z.array(z.enum(providerKinds)),
  vault: z.enum(["connected", "disabled"]),
  brain: WorkerHealth.shape.brain,
  version: z.string(),
  git_sha: z.string(),
});
