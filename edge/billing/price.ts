/**
 * What a request is charged, what is held for it, and by which usage: pure, in integer micro-credits
 * (1 credit = 1 US dollar = 1_000_000), rounded once, up, at the end.
 */
import { billableOutput, type Usage } from "../../shared/chat.ts";
import type { MicroPerMillion, PriceCard } from "../catalog/model.ts";
import { type Cost, sumCosts, tokenCost, usageCost, worstCost } from "./token-cost.ts";

/** What the pool adds: a quarter of the whole cost. */
export type Markup = 0 | 0.25;

/** LLM calls paid by the pool; `usage` is that of all `requests` (1) together. */
export type LlmCharge = { usage: Usage; prices: PriceCard; requests?: number };

export type Charge = {
  planning: { tokens: number; priceMicroPerMillion: MicroPerMillion };
  /** Absent on a caller's own key. A list prices each call by its own size: exact where they differ. */
  llm?: LlmCharge | readonly LlmCharge[];
  markup: Markup;
};

/** Micro-credits to charge. @throws RangeError for a token count or price that is no integer. */
export function chargeMicro({ planning, llm = [], markup }: Charge): number {
  const calls = [llm].flat().map(({ usage, prices, requests = 1 }) => usageCost(usage, prices, requests));
  return roundUp(sumCosts([tokenCost(planning.tokens, planning.priceMicroPerMillion), ...calls]), markup);
}

export type Bounds = {
  planning: { tokenBound: number; priceMicroPerMillion: MicroPerMillion };
  /** Tokens of all `requests` (1) together. */
  llm?: { inputBound: number; outputBound: number; prices: PriceCard; requests?: number };
  markup: Markup;
};

/** Micro-credits to hold: no usage within the bounds is ever charged more, whatever tokens it names. */
export function holdMicro({ planning, llm, markup }: Bounds): number {
  const worst =
    llm === undefined ? 0n : worstCost(llm.inputBound, llm.outputBound, llm.prices, llm.requests ?? 1);
  return roundUp(tokenCost(planning.tokenBound, planning.priceMicroPerMillion) + worst, markup);
}

function roundUp(total: Cost, markup: Markup): number {
  const [numerator, denominator] = markup === 0.25 ? [total * 5n, 4_000_000n] : [total, 1_000_000n];
  return Number((numerator + denominator - 1n) / denominator);
}

/** The same as a header carries it: decimal, never in exponent form. */
export function writeCredits(micro: number): string {
  return (micro / 1_000_000).toFixed(6).replace(/\.?0+$/, "");
}

/** Micro-credits as the number of credits the wire carries, exact to 6 decimals. */
export function credits(micro: number): number {
  return micro / 1_000_000;
}

export type TokenCounts = { input: number; output: number };
export type UsageFlag = "usage_missing" | "usage_invalid" | "usage_out_of_bounds";
export type SettledUsage = { usage: Usage; flag: UsageFlag | null };

/**
 * Which usage a pool request is billed by: the provider's report where it is whole, consistent and within
 * what the hold covers, an explicit zero included; else our own count, cut to the bounds, and flagged.
 */
export function settledUsage(facts: {
  reported?: Usage | undefined;
  counted: TokenCounts;
  bounds: TokenCounts;
}): SettledUsage {
  const { reported, counted, bounds } = facts;
  const flag = doubt(reported, bounds);
  if (flag === null && reported !== undefined) return { usage: reported, flag };
  const input = clamp(counted.input, bounds.input);
  const output = clamp(counted.output, bounds.output);
  return {
    usage: { input, output, total: input + output, cachedInput: 0, cacheWrite: 0, reasoning: 0 },
    flag,
  };
}

function doubt(reported: Usage | undefined, bounds: TokenCounts): UsageFlag | null {
  if (reported === undefined) return "usage_missing";
  if (!isConsistent(reported)) return "usage_invalid";
  const fits = reported.input <= bounds.input && billableOutput(reported) <= bounds.output;
  return fits ? null : "usage_out_of_bounds";
}

/** Reasoning is not compared with output: some providers count it apart, and it is never priced twice. */
function isConsistent(usage: Usage): boolean {
  const { input, output, total, cachedInput, cacheWrite, reasoning } = usage;
  const { cacheWriteLong = 0, audioInput = 0, audioOutput = 0 } = usage;
  const parts = [cachedInput, cacheWrite, cacheWriteLong, audioInput, audioOutput, reasoning];
  return (
    [input, output, total, ...parts].every((count) => Number.isSafeInteger(count) && count >= 0) &&
    cachedInput + cacheWrite <= input &&
    cacheWriteLong <= cacheWrite &&
    audioInput <= input &&
    audioOutput <= billableOutput(usage)
  );
}

function clamp(count: number, bound: number): number {
  return Number.isFinite(count) ? Math.min(Math.max(0, Math.ceil(count)), bound) : bound;
}
