/** Answers of /v1/models, in both shapes, and of /health. */
import { providerKinds } from "../../../shared/providers.ts";
import { version } from "../../routes/health.ts";
import { created, model, now } from "./facts.ts";

const entry = { id: model, object: "model", created, owned_by: "svc" };
const known = {
  size: "base",
  llm: "gpt-4o-mini",
  loaded: true,
  context_length: 128_000,
  max_output_tokens: 16_384,
  pricing: { planning: 0.125, prompt: 0.1875, completion: 0.75, cache_read: 0.093_75 },
  supported_parameters: ["max_tokens", "stream", "temperature", "tools"],
};
const anthropicEntry = {
  type: "model",
  id: model,
  display_name: "gpt-4o-mini (base)",
  created_at: now,
  lifecycle: "active",
  deprecated_at: null,
  retires_at: null,
  line: null,
  capabilities: null,
  max_input_tokens: null,
  max_tokens: null,
};
export const modelAnswers = {
  list: { object: "list", data: [{ ...entry, id: "svc-x1ac-base" }, entry] },
  anthropicList: { data: [anthropicEntry], has_more: true, first_id: model, last_id: model },
  one: { ...entry, ...known },
  anthropicOne: { ...anthropicEntry, max_input_tokens: 128_000, max_tokens: 16_384, ...known },
};

export const healthAnswer = {
  status: "healthy",
  svc_models_loaded: ["base"],
  llm_providers: [...providerKinds],
  vault: "connected",
  brain: {
    loaded: true,
    checkpoint: "x1ac-base-16",
    device: "cpu",
    num_actions: 903,
    random_baseline_nats: 6.806,
    sentence_transformers: true,
    tool_matching: "sentence-transformers",
  },
  version,
  git_sha: "0c1f2e3d",
};
