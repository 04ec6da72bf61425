/** The output cap of a call, and the most output tokens that it may be billed, for the hold. Pure. */
import type { ChatRequest } from "../../../shared/chat.ts";
import type { Route } from "../../providers/resolve-route.ts";

/** Output cap of a pool-paid answer whose caller gave none, in tokens. */
const defaultOutputCap = 8_192;

/**
 * The output cap sent to the provider: always a number on the pool; on a caller's own key, what the caller asked for, if
 * anything. A model's own vendor refuses more than the model's limit, so that limit is sent instead. An aggregator's hosts have
 * limits of their own.
 */
export function capOutputTokens(
  { maxOutputTokens: wanted }: ChatRequest,
  route: Pick<Route, "keySource" | "provider" | "outputLimit" | "contextWindow">,
): number | undefined {
  const most = route.outputLimit ?? Number.POSITIVE_INFINITY;
  if (route.keySource === "pool") return Math.min(wanted ?? defaultOutputCap, most, route.contextWindow);
  return wanted === undefined || route.provider === "router" ? wanted : Math.min(wanted, most);
}

/**
 * The largest pictures are 4,000 to 6,240 tokens (OpenRouter's list prices those of 4 megapixels so; OpenAI, "Image generation").
 * No cap on tokens makes one smaller: models that draw with a tool or a second model bill it in addition to their text.
 */
const maxPictureTokens = 8_192;

/** Vendors whose caps count thinking, and which alone serve their models; others also serve Gemma and gpt-oss. */
const capsThinking = /^~?(anthropic|google\/(?!gemma)|openai\/(?!gpt-oss)|x-ai)\b/;
/** Alibaba ("Qwen API reference": `max_tokens` does not limit the thinking) and ByteDance cap the answer alone. */
const thinksApart = /^~?(qwen|bytedance-seed)\//;
/** The most that Alibaba lets a model think. */
const mostApart = 81_920;
/**
 * Other models run at several hosts. At SiliconFlow, one of them, the cap does not count thinking either: thinking has a budget of its own,
 * 4,096 tokens unless the request says otherwise. The aggregator sets it from the caller's effort or budget, and never above the cap.
 */
const usualBudget = 4_096;
const mostBudget = 32_768;

/** Tokens that a host may bill for thinking on top of the cap. */
export function boundThinkingApart(
  outputCap: number,
  { model, thinks }: Pick<Route, "model" | "thinks">,
): number {
  if (thinks !== true || capsThinking.test(model)) return 0;
  return thinksApart.test(model) ? mostApart : Math.min(Math.max(outputCap, usualBudget), mostBudget);
}

/** Most output tokens that a call with this cap may be billed. */
export const boundOutputTokens = (
  outputCap: number,
  route: Pick<Route, "model" | "thinks"> & { prices?: Route["prices"] },
): number =>
  outputCap +
  boundThinkingApart(outputCap, route) +
  (route.prices?.imageOutput === undefined ? 0 : maxPictureTokens);
