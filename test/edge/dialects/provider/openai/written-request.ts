/** What is written for one request: to OpenAI itself, and to the aggregator. */
import type { ProviderRequest, ProviderTarget } from "../../../../../edge/dialects/provider/dialect.ts";
import { alphaDialect, routerDialect } from "../../../../../edge/dialects/provider/openai/dialect.ts";
import type { ChatRequest } from "../../../../../shared/chat.ts";
import { chatRequest } from "../../replay.ts";

export const target = (model: string, limits: Partial<ProviderTarget> = {}): ProviderTarget => ({
  model,
  ...limits,
});
export const toAlpha = (fields: Partial<ChatRequest>, model = "gpt-4o"): ProviderRequest =>
  alphaDialect.writeRequest(chatRequest(fields), target(model));
export const toRouter = (fields: Partial<ChatRequest>, model = "meta/llama"): ProviderRequest =>
  routerDialect.writeRequest(chatRequest(fields), target(model));
export const messages = (written: ProviderRequest) => written.body.messages as Record<string, unknown>[];
