/**
 * What tokens cost, unrounded: integers in units of 1e-6 micro-dollars (tokens times the price of a million
 * of them), as BigInt because such products pass 2^53.
 */
import { billableOutput, type Usage } from "../../shared/chat.ts";
import type { MicroPerMillion, PriceCard, TokenPrices } from "../catalog/model.ts";

export type Cost = bigint;

/** @throws RangeError for a count or a price that is no integer: a fraction must never pass silently. */
export function tokenCost(tokens: number, priceMicroPerMillion: MicroPerMillion): Cost {
  return BigInt(tokens) * BigInt(priceMicroPerMillion);
}

/**
 * The cost of `requests` calls that used `usage` together. Each token is priced once: input as cached,
 * written, audio or plain, output as reasoning, audio, image or plain, in this order where a report overlaps.
 * The long-context price is that of the calls' mean size.
 */
export function usageCost(usage: Usage, card: PriceCard, requests: number): Cost {
  const prices = allPrices(tierPrices(card, Math.ceil(usage.input / requests)));
  const longWrite = Math.min(usage.cacheWriteLong ?? 0, usage.cacheWrite);
  const uncached = usage.input - usage.cachedInput - usage.cacheWrite;
  const audioInput = Math.min(usage.audioInput ?? 0, uncached);
  const output = billableOutput(usage);
  const reasoning = Math.min(usage.reasoning, output);
  const audioOutput = Math.min(usage.audioOutput ?? 0, output - reasoning);
  const imageOutput = Math.min(usage.imageOutput ?? 0, output - reasoning - audioOutput);
  return sumCosts([
    tokenCost(usage.cachedInput, prices.cachedInput),
    tokenCost(usage.cacheWrite - longWrite, prices.cacheWrite),
    tokenCost(longWrite, prices.cacheWriteLong),
    tokenCost(audioInput, prices.audioInput),
    tokenCost(uncached - audioInput, prices.input),
    tokenCost(reasoning, prices.reasoningOutput),
    tokenCost(audioOutput, prices.audioOutput),
    tokenCost(imageOutput, prices.imageOutput),
    tokenCost(output - reasoning - audioOutput - imageOutput, prices.output),
    requestCost(card, requests),
  ]);
}

/** All that `requests` calls together may use. */
export type CallBounds = { inputBound: number; outputBound: number; requests?: number; images?: number };

/** The dearest cost that any split of the tokens over the calls can have, by the dearest price of each kind. */
export function worstCost(
  { inputBound, outputBound, requests = 1, images = 0 }: CallBounds,
  card: PriceCard,
): Cost {
  const reachable = [card, ...reachedTiers(card, inputBound)].map(allPrices);
  const unknown = card.unknown?.perToken ?? 0;
  const inputPrices = reachable.flatMap((prices) => [
    prices.input,
    prices.cachedInput,
    prices.cacheWrite,
    prices.cacheWriteLong,
    prices.audioInput,
  ]);
  const outputPrices = reachable.flatMap((prices) => [
    prices.output,
    prices.audioOutput,
    prices.imageOutput,
    prices.reasoningOutput,
  ]);
  const units = (card.perImage ?? 0) * images + (card.unknown?.perRequest ?? 0) * requests;
  return sumCosts([
    tokenCost(inputBound, Math.max(unknown, ...inputPrices)),
    tokenCost(outputBound, Math.max(unknown, ...outputPrices)),
    BigInt(units) * 1_000_000n,
    requestCost(card, requests),
  ]);
}

export function sumCosts(costs: readonly Cost[]): Cost {
  return costs.reduce((total, cost) => total + cost, 0n);
}

function requestCost(card: PriceCard, requests: number): Cost {
  return BigInt(card.perRequest ?? 0) * BigInt(requests) * 1_000_000n;
}

function tierPrices(card: PriceCard, inputTokens: number): TokenPrices {
  return reachedTiers(card, inputTokens).at(-1) ?? card;
}

function reachedTiers(card: PriceCard, inputTokens: number): TokenPrices[] {
  const tiers = (card.longContext ?? []).filter((tier) => inputTokens > tier.aboveInputTokens);
  return tiers.sort((a, b) => a.aboveInputTokens - b.aboveInputTokens).map((tier) => tier.prices);
}

function allPrices(prices: TokenPrices): Required<TokenPrices> {
  const { input, output, cacheWrite = input } = prices;
  const ofInput = { cachedInput: input, cacheWrite, cacheWriteLong: cacheWrite, audioInput: input };
  return { ...ofInput, audioOutput: output, imageOutput: output, reasoningOutput: output, ...prices };
}
