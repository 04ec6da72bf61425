/**
 * Models that go beyond their prompt and their cap: they search, run several times, or paint. What they read is billed as input, which the
 * hold bounds by the prompt; their searches are billed each, and no field of a request limits them. No hold can cover that, so
 * these models have no price here, and only a caller's own key serves them.
 */
import type { CatalogModel } from "./model.ts";

/** By id, with or without its vendor (proxies leave that out); what each buys is from its page at openrouter.ai. */
const unbounded: readonly { ids: RegExp; buys: string }[] = [
  {
    ids: /\bdeep-research\b/,
    buys: "dozens of searches ($5 to $10 per 1,000), and all that it reads as input",
  },
  {
    ids: /(^|perplexity\/)(llama-[\w.-]+-)?sonar\b/,
    buys: "searches ($5 per 1,000), more for a wide context",
  },
  { ids: /-search-(preview|api)\b/, buys: "a search with each answer ($10 to $35 per 1,000)" },
  { ids: /:online$/, buys: "the aggregator's own search before each answer" },
  {
    ids: /(^|x-ai\/)grok-[\w.-]*multi-agent\b/,
    buys: "the tokens of 4 to 16 agents, each of which reads the prompt and may search",
  },
  {
    // Gemini's and others write a picture as tokens of the answer, which its cap limits.
    ids: /(^|openai\/)(gpt|chatgpt)-([\w.]+-)*image\b/,
    buys: "as many pictures as the prompt asks for, some $.20 each, painted by a second model",
  },
  {
    // GPT-5.6 and later: the plain model with `reasoning.mode: "pro"`. Earlier ones of that name are models of their own price.
    // The alias `~openai/gpt-pro-latest` would stand for the newest.
    ids: /(^|openai\/)gpt-((5\.[6-9]|[6-9](\.\d+)?)-(\w+-)*pro|pro-latest)\b/,
    buys: "the tokens of all passes over the prompt, at the plain model's price",
  },
];

export const isUnbounded = (id: string): boolean => unbounded.some(({ ids }) => ids.test(id));

/** The model as the pool sells it: an unbounded model loses its price. */
export function keepOffPool(model: CatalogModel): CatalogModel {
  if (!isUnbounded(model.id) && !isUnbounded(model.routerId ?? "")) return model;
  const { prices: _prices, routerPrices: _routerPrices, ...unsold } = model;
  return unsold;
}
