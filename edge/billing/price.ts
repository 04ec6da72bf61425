/**
 * What a request is charged, and what is held for it, in integer micro-credits (shared/credits.ts). Costs are exact
 * integers of a smaller unit, rounded up once, at the end. Pure.
 */
import { billableOutput, type Usage } from "../../shared/chat.ts";
import { GatewayError } from "../../shared/errors.ts";
import { type ModelSize, sizes } from "../../shared/model-sizes.ts";
import { priceScale, readDecimalPrice } from "../catalog/decimal-price.ts";
import type { MicroPerMillion, PiecePrices, PriceCard, TokenPrices } from "../catalog/model.ts";

/** Share of the whole cost that is added where the pool's key pays. */
export const poolMarkup = 0.25;
export type Markup = 0 | typeof poolMarkup;

/**
 * What planning and embedding cost, micro-dollars per 1M tokens. A size nobody has priced cannot be billed, so it is not served: throws
 * world_model_not_loaded.
 */
export function priceOfSize(size: ModelSize): number {
  const price = sizes[size].priceMicroPerMillion;
  if (price === undefined) {
    throw new GatewayError(
      "world_model_not_loaded",
      `The size ${size} has no price on this service yet; use another size.`,
    );
  }
  return price;
}

/**
 * What tokens cost, unrounded: integers in units of 1e-6 micro-dollars (tokens times the price of a million of them), as BigInt
 * because such products pass 2^53.
 */
type Cost = bigint;
const costPerMicro = 1_000_000n;

/** LLM calls paid by the pool. `requests`: how many calls `usage` is the sum of; absent: one. */
export type LlmCharge = {
  usage: Usage;
  prices: PriceCard;
  requests?: number;
  /** The cost that the aggregator reports, US dollars: charged if it is more than our own price. */
  reportedCostUsd?: number | undefined;
};

export type Charge = {
  planning: { tokens: number; priceMicroPerMillion: MicroPerMillion };
  /** Absent on a caller's own key. In a list each call is priced by its own size, which decides its long-context price. */
  llm?: LlmCharge | readonly LlmCharge[];
  markup: Markup;
  /** Markup of the calls, when it differs: the pool paid for calls before a fallback model ran on the caller's own key. */
  llmMarkup?: Markup;
};

/** Micro-credits to charge. @throws RangeError for a token count or price that is not an integer. */
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

/** Whether the aggregator's cost is above our price of the same usage: then something was bought that we do not price. */
export function costsMore(call: LlmCharge): boolean {
  const own = usageCost(call.usage, call.prices, call.requests ?? 1);
  // The aggregator may have rounded its figure up to the next micro-dollar.
  return readReportedCost(call.reportedCostUsd) > own + costPerMicro;
}

/** 0 for a value that is not a positive amount; the largest safe integer for a value that is too large. */
function readReportedCost(usd: number | undefined): Cost {
  if (usd === undefined || !(usd > 0)) return 0n;
  return BigInt(readDecimalPrice(usd, priceScale.usdPerToken) ?? Number.MAX_SAFE_INTEGER);
}

/** Micro-dollars of a reported cost, rounded up; undefined where none was reported. */
export function reportedMicro(usd: number | undefined): number | undefined {
  return usd === undefined ? undefined : Number((readReportedCost(usd) + costPerMicro - 1n) / costPerMicro);
}

export type Bounds = {
  planning: { tokenBound: number; priceMicroPerMillion: MicroPerMillion };
  llm?: CallBounds & { prices: PriceCard };
  markup: Markup;
};

/** Micro-credits to hold: no usage within the bounds is ever charged more, whatever kinds of token it names. */
export function holdMicro({ planning, llm, markup }: Bounds): number {
  const worst = llm === undefined ? 0n : worstCost(llm, llm.prices);
  const plan = tokenCost(planning.tokenBound, planning.priceMicroPerMillion);
  return roundUp(inHundredths(plan + worst, markup));
}

/** A cost with its markup, in hundredths, so that it stays an integer. */
const inHundredths = (cost: Cost, markup: Markup): Cost => cost * BigInt(100 + markup * 100);

const hundredthsPerMicro = 100n * costPerMicro;
const roundUp = (hundredths: Cost): number =>
  Number((hundredths + hundredthsPerMicro - 1n) / hundredthsPerMicro);

/** @throws RangeError for a count or a price that is not an integer: a fraction must never pass silently. */
function tokenCost(tokens: number, priceMicroPerMillion: MicroPerMillion): Cost {
  return BigInt(tokens) * BigInt(priceMicroPerMillion);
}

type Price = keyof TokenPrices;

/** The tokens that each price is for. A hold assumes that each of them costs the dearest of its direction. */
const directions: Readonly<Record<Price, "input" | "output">> = {
  input: "input",
  cachedInput: "input",
  cacheWrite: "input",
  cacheWriteLong: "input",
  audioInput: "input",
  output: "output",
  audioOutput: "output",
  imageOutput: "output",
  reasoningOutput: "output",
};
const priceNames = Object.keys(directions) as Price[];

/**
 * How many tokens each price is charged for. Each token is priced once: input as cached, written, audio or plain, output as
 * reasoning, audio, image or plain, in this order where a report overlaps.
 */
function splitUsage(usage: Usage): Record<Price, number> {
  const longWrite = Math.min(usage.cacheWriteLong ?? 0, usage.cacheWrite);
  const uncached = usage.input - usage.cachedInput - usage.cacheWrite;
  const audioInput = Math.min(usage.audioInput ?? 0, uncached);
  const output = billableOutput(usage);
  const reasoning = Math.min(usage.reasoning, output);
  const audioOutput = Math.min(usage.audioOutput ?? 0, output - reasoning);
  const imageOutput = Math.min(usage.imageOutput ?? 0, output - reasoning - audioOutput);
  return {
    cachedInput: usage.cachedInput,
    cacheWrite: usage.cacheWrite - longWrite,
    cacheWriteLong: longWrite,
    audioInput,
    input: uncached - audioInput,
    reasoningOutput: reasoning,
    audioOutput,
    imageOutput,
    output: output - reasoning - audioOutput - imageOutput,
  };
}

/** The cost of `requests` calls that used `usage` together. The long-context price is that of the calls' mean size. */
function usageCost(usage: Usage, card: PriceCard, requests: number): Cost {
  const prices = allPrices(tierPrices(card, Math.ceil(usage.input / requests)));
  const tokens = splitUsage(usage);
  return sumCosts([
    ...priceNames.map((name) => tokenCost(tokens[name], prices[name])),
    pieceCost(card, (piece) => pieces[piece].charged(requests)),
  ]);
}

/** Most tokens of each kind that `requests` calls may use together, and the pictures in all their prompts. */
type CallBounds = { inputBound: number; outputBound: number; requests?: number; images?: number };
type PieceBounds = Required<Pick<CallBounds, "requests" | "images">>;

/** How many of each piece a hold covers, and how many are charged: at most as many. */
const pieces: Readonly<
  Record<keyof PiecePrices, { held: (bounds: PieceBounds) => number; charged: (requests: number) => number }>
> = {
  perRequest: { held: ({ requests }) => requests, charged: (requests) => requests },
  // Charged only as part of the cost that the aggregator reports.
  perImage: { held: ({ images }) => images, charged: () => 0 },
};
const pieceNames = Object.keys(pieces) as (keyof PiecePrices)[];

/** Upper bound of the cost, however the tokens are split over the calls: the dearest price of each kind. */
function worstCost({ inputBound, outputBound, requests = 1, images = 0 }: CallBounds, card: PriceCard): Cost {
  const reachable = [card, ...reachedTiers(card, inputBound)].map(allPrices);
  const findDearest = (direction: "input" | "output"): MicroPerMillion => {
    const names = priceNames.filter((name) => directions[name] === direction);
    const given = reachable.flatMap((prices) => names.map((name) => prices[name]));
    return Math.max(card.unknown?.perToken ?? 0, ...given);
  };
  return sumCosts([
    tokenCost(inputBound, findDearest("input")),
    tokenCost(outputBound, findDearest("output")),
    pieceCost(card, (piece) => pieces[piece].held({ requests, images })),
    microCost(card.unknown?.perRequest ?? 0, requests),
  ]);
}

function sumCosts(costs: readonly Cost[]): Cost {
  return costs.reduce((total, cost) => total + cost, 0n);
}

function pieceCost(card: PriceCard, count: (piece: keyof PiecePrices) => number): Cost {
  return sumCosts(pieceNames.map((piece) => microCost(card[piece] ?? 0, count(piece))));
}

const microCost = (priceMicro: number, count: number): Cost =>
  BigInt(priceMicro) * BigInt(count) * costPerMicro;

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
