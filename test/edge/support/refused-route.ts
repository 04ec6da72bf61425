/** A provider's refusal, and the route that it came by. */
import type { ProviderReply } from "../../../edge/providers/refusal.ts";
import type { Route } from "../../../edge/providers/resolve-route.ts";

export const route: Route = {
  provider: "alpha",
  model: "gpt-4o",
  key: "sk-proj-canary-123456",
  keySource: "user",
  prices: undefined,
  contextWindow: 128_000,
  outputLimit: undefined,
};
export const pooled: Route = { ...route, provider: "router", keySource: "pool" };
export const reply = (
  status: number,
  message = "words of the provider",
  retryAfter: string | null = null,
): ProviderReply => ({
  status,
  message,
  retryAfter,
});
