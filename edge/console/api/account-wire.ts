/** The account endpoints, as far as the page reads them (OpenAPI has them in full). */
import * as z from "zod/mini";
import { type ProviderKind, providerKinds } from "../../../shared/providers.ts";
import { callApi, type Result } from "./call-api.ts";

const time = z.nullable(z.string());
const amount = z.nullable(z.number());

const ApiKey = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.nullable(z.string()),
  created_at: time,
  last_used_at: time,
  expires_at: time,
  monthly_budget: amount,
  spent_this_month: amount,
  models: z.nullable(z.array(z.string())),
  manage: z.optional(z.boolean()),
  revoked_at: time,
});
export type ApiKey = z.infer<typeof ApiKey>;
const ApiKeys = z.object({ data: z.array(ApiKey) });
const NewApiKey = z.extend(ApiKey, { api_key: z.string() });
export type NewApiKey = z.infer<typeof NewApiKey>;

const Done = z.object({ success: z.boolean(), message: z.string() });
type DoneResult = Promise<Result<z.infer<typeof Done>>>;

const keysPath = "/v1/account/api-keys";
export type KeyRequest = { name: string; expires_at?: string; monthly_budget?: number; models?: string[] };

/** A field that is absent stays as it is; null removes a limit. */
export type KeyChanges = {
  name?: string;
  expires_at?: string | null;
  monthly_budget?: number | null;
  models?: string[] | null;
};

export const listApiKeys = () => callApi(keysPath, ApiKeys);
export const createApiKey = (request: KeyRequest) =>
  callApi(keysPath, NewApiKey, { method: "POST", body: request });
export const changeApiKey = (id: string, changes: KeyChanges) =>
  callApi(`${keysPath}/${encodeURIComponent(id)}`, ApiKey, { method: "PATCH", body: changes });
export const revokeApiKey = (id: string): DoneResult =>
  callApi(`${keysPath}/${encodeURIComponent(id)}`, Done, { method: "DELETE" });

export const usageGroups = ["day", "model", "key"] as const;
export type UsageGroup = (typeof usageGroups)[number];
const Usage = z.object({
  from: z.string(),
  to: z.string(),
  group_by: z.enum(usageGroups),
  data: z.array(
    z.object({
      group: z.string(),
      requests: z.number(),
      prompt_tokens: z.number(),
      completion_tokens: z.number(),
      planning_tokens: z.number(),
      credits: z.number(),
    }),
  ),
});
export type Usage = z.infer<typeof Usage>;
export type UsageRow = Usage["data"][number];

/** Days as YYYY-MM-DD, UTC. */
export const readUsage = (range: { from: string; to: string }, group: UsageGroup): Promise<Result<Usage>> =>
  callApi(`/v1/account/usage?${new URLSearchParams({ ...range, group_by: group })}`, Usage);

const maybe = <Schema extends z.ZodMiniType>(schema: Schema) => z.optional(z.nullable(schema));
const Generation = z.object({
  data: z.object({
    id: z.string(),
    request_id: maybe(z.string()),
    created: maybe(z.union([z.number(), z.string()])),
    model: maybe(z.string()),
    execution_llm: maybe(z.string()),
    key_source: maybe(z.string()),
    streamed: maybe(z.boolean()),
    finish_reason: maybe(z.string()),
    prompt_tokens: maybe(z.number()),
    completion_tokens: maybe(z.number()),
    reasoning_tokens: maybe(z.number()),
    cached_tokens: maybe(z.number()),
    planning_tokens: maybe(z.number()),
    credits_charged: maybe(z.number()),
    planning_ms: maybe(z.number()),
    first_byte_ms: maybe(z.number()),
    total_ms: maybe(z.number()),
    action_sequence: maybe(z.array(z.string())),
  }),
});
export type Generation = z.infer<typeof Generation>["data"];

export const readGeneration = (id: string) =>
  callApi(`/v1/generation?${new URLSearchParams({ id })}`, Generation);

/** The company behind each provider kind, and how its keys begin. */
const keyOwners: Readonly<Record<ProviderKind, { title: string; shape: string }>> = {
  alpha: { title: "OpenAI", shape: "sk-…" },
  beta: { title: "Anthropic", shape: "sk-ant-…" },
  gamma: { title: "Gemini", shape: "AQ.… or AIza…" },
  router: { title: "OpenRouter", shape: "sk-or-…" },
};
export const providers = providerKinds.map((kind) => ({ kind, ...keyOwners[kind] }));

const ProviderKeys = z.record(z.string(), z.union([z.boolean(), z.nullable(z.string())]));
export type ProviderKeys = z.infer<typeof ProviderKeys>;
const providerKeysPath = "/v1/account/llm-keys";

export const readProviderKeys = () => callApi(providerKeysPath, ProviderKeys);
export const storeProviderKey = (kind: ProviderKind, key: string): DoneResult =>
  callApi(providerKeysPath, Done, { method: "POST", body: { [`${kind}_key`]: key } });
export const deleteProviderKey = (kind: ProviderKind): DoneResult =>
  callApi(`${providerKeysPath}?provider=${kind}`, Done, { method: "DELETE" });
