/** `GET /generation`: what the aggregator wrote down of one answer (openrouter.ai/docs/api-reference/get-a-generation). */
import { readObject } from "../../json.ts";
import type { ProviderDialect } from "../dialect.ts";
import { readUsage } from "./read-end.ts";

export const generation: NonNullable<ProviderDialect["generation"]> = {
  idHeader: "x-generation-id",
  path: (id) => `/generation?id=${encodeURIComponent(id)}`,
  /** By the model's own tokenizer, as the report of a whole answer counts. */
  readReply(body) {
    const data = readObject(readObject(body)?.data);
    return readUsage({
      prompt_tokens: data?.native_tokens_prompt,
      completion_tokens: data?.native_tokens_completion,
      prompt_tokens_details: { cached_tokens: data?.native_tokens_cached },
      completion_tokens_details: { reasoning_tokens: data?.native_tokens_reasoning },
      cost: data?.total_cost,
    });
  },
};
