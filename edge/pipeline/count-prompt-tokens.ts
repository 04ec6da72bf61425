/** How many tokens a prompt has, without sending it to be answered. Never billed, never planned. */
import type { ChatRequest } from "../../shared/chat.ts";
import { GatewayError } from "../../shared/errors.ts";
import type { Account } from "../db/api-keys.ts";
import { countAtProvider } from "../providers/count-tokens.ts";
import { baseUrlOf, providers } from "../providers/registry.ts";
import type { ProviderKeys, Route } from "../providers/resolve-route.ts";
import { countWrongKey } from "./refuse-wrong-keys.ts";
import { checkArguments, chooseRoute } from "./resolve-terms.ts";
import type { Services } from "./services.ts";
import { countInputTokens } from "./tokens/token-bounds.ts";

export type CountInput = {
  request: ChatRequest;
  modelName: string;
  account: Account;
  inlineKeys: ProviderKeys;
  clientSignal: AbortSignal;
};

export type PromptCount = { tokens: number; source: "provider" | "estimate" };

/** The provider's own count on a caller's key where it has one, else ours. Throws GatewayError. */
export async function countPromptTokens(input: CountInput, services: Services): Promise<PromptCount> {
  const { request, clientSignal } = input;
  checkArguments(request);
  const { llm } = (await services.catalog()).resolveModel(input.modelName);
  const route = await chooseRoute(llm, input, services).catch(noRoute);
  if (route?.keySource === "user" && providers[route.provider].dialect.count !== undefined) {
    const counting = countAtProvider(route, request, {
      fetch: services.fetch,
      now: services.now,
      baseUrl: baseUrlOf(route.provider, services.config.baseUrls),
      signal: clientSignal,
    }).catch(async (error: unknown) => {
      await countWrongKey(error, route, input.account, services);
      throw error;
    });
    // workerd (1.20260918) never frees a request that it ends while a body is being read. So the request is kept until its signal has
    // ended the read.
    services.waitUntil(counting.catch(() => {}));
    return { tokens: await counting, source: "provider" };
  }
  return { tokens: countInputTokens(request, route ?? { ...llm, model: llm.id }), source: "estimate" };
}

/** An estimate needs no key. */
function noRoute(error: unknown): Route | undefined {
  if (error instanceof GatewayError && error.code === "missing_provider_key") return undefined;
  throw error;
}
