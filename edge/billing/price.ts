/**
 * What a request is charged and what is held for it: pure, in integer micro-credits
 * (1 credit = 1 US dollar = 1_000_000), rounded once, up, at the end.
 */
import type { Usage } from "../../shared/chat.ts";
import { priceScale, readDecimalPrice } from "../catalog/decimal-price.ts";
import type { MicroPerMillion, PriceCard } from "../catalog/model.ts";
import { type CallBounds, type Cost, sumCosts, tokenCost, usageCost, worstCost } from "./token-cost.ts";

/** Share of the whole cost that is added where the pool's key pays. */
export const poolMarkup = 0.25;
export type Markup = 0 | typeof poolMarkup;

/** LLM calls paid by the pool; `usage` is that of all `requests` (1) together. */
export type LlmCharge = {
  usage: Usage;
  prices: PriceCard;
  requests?: number;
  /** What the aggregator says it took, US dollars: charged where it is more than our own price. */
  reportedCostUsd?: number | undefined;
};

export type Charge = {
  planning: { tokens: number; priceMicroPerMillion: MicroPerMillion };
  /** Absent on a caller's own key. A list prices each call by its own size: exact where they differ. */
  llm?: LlmCharge | readonly LlmCharge[];
  markup: Markup;
  /** Of the calls alone, where it is another: those the pool paid before a caller's own key took over. */
  llmMarkup?: Markup;
};

/** Micro-credits to charge. @throws RangeError for a token count or price that is no integer. */
export function chargeMicro({ planning, llm = [], markup, llmMarkup = markup }: Charge): number {
  const calls = sumCosts([llm].flat().map(callCost));
  const plan = tokenCost(planning.tokens, planning.priceMicroPerMillion);
  return roundUp(inHundredths(plan, markup) + inHundredths(calls, llmMarkup));
}

function callCost(call: LlmCharge): Cost {
  const own = usageCost(call.usage, call.prices, call.requests ?? 1);
  const reported = readReportedCost(call.reportedCostUsd);
  return reported > own ? reported : own;
}

/** Whether the aggregator took more than our price of the same usage: something was bought that we do not price. */
export function costsMore(call: LlmCharge): boolean {
  const own = usageCost(call.usage, call.prices, call.requests ?? 1);
  // Its figure may be rounded up to the next micro-dollar.
  return readReportedCost(call.reportedCostUsd) > own + 1_000_000n;
}

/** 0 for what is no amount of money; no more than a hold can ever be. */
function readReportedCost(usd: number | undefined): Cost {
  if (usd === undefined || !(usd > 0)) return 0n;
  return BigInt(readDecimalPrice(usd, priceScale.usdPerToken) ?? Number.MAX_SAFE_INTEGER);
}

/** Micro-dollars of a reported cost, rounded up; undefined where none was reported. */
export function reportedMicro(usd: number | undefined): number | undefined {
  return usd === undefined ? undefined : Number((readReportedCost(usd) + 999_999n) / 1_000_000n);
}

export type Bounds = {
  planning: { tokenBound: number; priceMicroPerMillion: MicroPerMillion };
  llm?: CallBounds & { prices: PriceCard };
  markup: Markup;
};

/** Micro-credits to hold: no usage within the bounds is ever charged more, whatever tokens it names. */
export function holdMicro({ planning, llm, markup }: Bounds): number {
  const worst = llm === undefined ? 0n : worstCost(llm, llm.prices);
  const plan = tokenCost(planning.tokenBound, planning.priceMicroPerMillion);
  return roundUp(inHundredths(plan + worst, markup));
}

/** A cost with its markup, in hundredths, so that it stays an integer. */
const inHundredths = (cost: Cost, markup: Markup): Cost => cost * BigInt(100 + markup * 100);

const hundredthsPerMicro = 100n * 1_000_000n;
const roundUp = (hundredths: Cost): number =>
  Number((hundredths + hundredthsPerMicro - 1n) / hundredthsPerMicro);

/** The same as a header carries it: decimal, never in exponent form. */
export function writeCredits(micro: number): string {
  return (micro / 1_000_000).toFixed(6).replace(/\.?0+$/, "");
}

/** Micro-credits as the number of credits the wire carries, exact to 6 decimals. */
export function credits(micro: number): number {
  return micro / 1_000_000;
}
