/**
 * Which fields of a caller's body are sent on the operator's key. An aggregator has fields that cost money (other models,
 * searches, plugins, faster tiers), and gets new ones. So this is a list of the harmless ones: all others are left out and
 * named to the caller.
 */
import type { ChatRequest } from "../../shared/chat.ts";
import { listNames } from "../dialects/field-names.ts";
import { readObject } from "../dialects/json.ts";

/** Harmless fields without a place in the hub. Those after the blank line belong to local servers; aggregators ignore them. */
const takenFields: ReadonlySet<string> = new Set([
  "cache_control",
  "min_p",
  "prompt_cache_key",
  "reasoning_effort",
  "repetition_penalty",
  "safety_identifier",
  "top_a",
  "verbosity",

  "cache_prompt",
  "chat_template_kwargs",
  "grammar",
  "guided_choice",
  "guided_grammar",
  "guided_json",
  "guided_regex",
  "keep_alive",
  "min_tokens",
  "num_ctx",
  "think",
  "typical_p",
]);

/** Output modalities that the price list covers. */
const takenModalities: ReadonlySet<unknown> = new Set(["text", "image"]);

function isTaken(name: string, value: unknown): boolean {
  if (name === "modalities")
    return Array.isArray(value) && value.every((modality) => takenModalities.has(modality));
  return takenFields.has(name);
}

const ordinaryTiers: ReadonlySet<string> = new Set(["auto", "default", "standard_only"]);

/**
 * Harmless fields of OpenRouter's `reasoning` besides effort and budget. `mode: "pro"` is not among them: it runs the model several
 * times, and each run is billed (openrouter.ai/docs/cookbook/evaluate-and-optimize/model-migrations/gpt-5-6).
 */
const takenReasoning: ReadonlySet<string> = new Set(["enabled", "exclude", "summary"]);

export type PoolRequest = { request: ChatRequest; unsupported: string[] };

/** The request as it is sent on the pool's key, and the names of the fields left out. */
export function limitToPool(given: ChatRequest): PoolRequest {
  const { extra, serviceTier, ...request } = given;
  const { reasoning, ...others } = extra;
  const details = Object.entries(readObject(reasoning) ?? {});
  const takenDetails = details.filter(([name]) => takenReasoning.has(name));
  const fields = Object.entries(others);
  const refused = [
    ...fields.filter(([name, value]) => !isTaken(name, value)).map(([name]) => name),
    ...details.filter(([name]) => !takenReasoning.has(name)).map(([name]) => `reasoning.${name}`),
  ];
  if (serviceTier !== undefined && !ordinaryTiers.has(serviceTier)) refused.push("service_tier");
  return {
    request: {
      ...request,
      extra: {
        ...Object.fromEntries(fields.filter(([name, value]) => isTaken(name, value))),
        ...(takenDetails.length > 0 && { reasoning: Object.fromEntries(takenDetails) }),
      },
    },
    unsupported: listNames(refused),
  };
}
