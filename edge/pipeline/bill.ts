/**
 * The money side of one chat request: what to hold before its first call, and what its calls come to at any
 * moment after. No I/O: edge/billing/ledger.ts does the writing.
 */
import type { ChatRequest, Usage } from "../../shared/chat.ts";
import { mostPlanBlockBytes } from "../../shared/plan-block.ts";
import {
  chargeMicro,
  costsMore,
  holdMicro,
  type LlmCharge,
  type Markup,
  poolMarkup,
  reportedMicro,
} from "../billing/price.ts";
import type { PriceCard } from "../catalog/model.ts";
import type { Route } from "../providers/route.ts";
import { addUsage } from "../stream/meter.ts";
import { loopInputAllowance, stepOutputCap } from "./agent-loop.ts";
import { type CallBooks, type CallUsage, createCallBooks } from "./call-books.ts";
import { boundInputTokens, capOutputTokens, countImages, messageOverhead } from "./token-bounds.ts";

export type Bill = {
  markup: Markup;
  /** Sent to the provider with each call; undefined only on a caller's key. */
  outputCap: number | undefined;
  holdMicro: number;
  calls: CallBooks;
  /** Integer micro-credits for what is used by now, never above the hold; and the flag of a report not believed. */
  settle: (planningTokens: number) => Settled;
};

export type Settled = {
  chargeMicro: number;
  usage: Usage | undefined;
  flag: string | null;
  reportedCostMicro: number | undefined;
};

export type BillTerms = {
  request: ChatRequest;
  route: Route;
  planningPriceMicro: number;
  planningTokenBound: number;
  /** Plans made for this request: one, and one more after each step of the agent loop. */
  maxLlmCalls: number;
  /** A block of ours may be added to the prompt. */
  planBlock: boolean;
};

/** The terms of one request. On a caller's key only planning is ours to charge. */
export function openBill(terms: BillTerms): Bill {
  const { request, route, maxLlmCalls } = terms;
  const planBound =
    terms.planningTokenBound * maxLlmCalls + (maxLlmCalls > 1 ? loopInputAllowance(maxLlmCalls) : 0);
  const planning = { priceMicroPerMillion: terms.planningPriceMicro };
  const callInput = boundCallInput(terms);
  const common = { outputCap: capOutputTokens(request, route), calls: createCallBooks(route, callInput) };
  const planned = (tokens: number) => ({ ...planning, tokens: Math.min(tokens, planBound) });
  if (route.prices === undefined) {
    return {
      ...common,
      markup: 0,
      holdMicro: holdMicro({ planning: { ...planning, tokenBound: planBound }, markup: 0 }),
      settle: (tokens) => ({
        chargeMicro: chargeMicro({ planning: planned(tokens), markup: 0 }),
        usage: common.calls.reported(),
        flag: null,
        reportedCostMicro: undefined,
      }),
    };
  }
  const { prices } = route;
  const bounds = boundCalls(terms, callInput, common.outputCap!);
  const hold = holdMicro({
    planning: { ...planning, tokenBound: planBound },
    llm: { ...bounds, prices },
    markup: poolMarkup,
  });
  return {
    ...common,
    markup: poolMarkup,
    holdMicro: hold,
    settle: (tokens) => {
      const calls = common.calls.list();
      const llm = calls.map((call): LlmCharge => ({ ...call, prices }));
      const micro = chargeMicro({ planning: planned(tokens), llm, markup: poolMarkup });
      return { chargeMicro: Math.min(micro, hold), ...describe(calls, prices, micro > hold) };
    },
  };
}

/** Most input tokens of one call, a plan block counted where one may be sent. */
function boundCallInput({ request, route, planBlock }: BillTerms): number {
  const block = planBlock ? mostPlanBlockBytes + messageOverhead : 0;
  return boundInputTokens(request, route) + block;
}

/** Tokens of all the calls one request may make. */
function boundCalls({ request, maxLlmCalls }: BillTerms, callInput: number, outputCap: number) {
  const requests = request.choices + maxLlmCalls - 1;
  const inputBound =
    callInput * requests + (maxLlmCalls > 1 ? loopInputAllowance(maxLlmCalls) * request.choices : 0);
  const outputBound = outputCap * request.choices + stepOutputCap * (maxLlmCalls - 1);
  return { inputBound, outputBound, requests, images: countImages(request) * requests };
}

/** Worst first: what the row of a request with several calls says. */
const flags = ["usage_invalid", "usage_out_of_bounds", "cost_above_price", "usage_missing"] as const;

function describe(calls: readonly CallUsage[], prices: PriceCard, capped: boolean) {
  const found = new Set<string | null>(calls.map(({ flag }) => flag));
  if (calls.some((call) => costsMore({ ...call, prices }))) found.add("cost_above_price");
  const usages = calls.map(({ usage }) => usage);
  const costs = calls.flatMap(({ reportedCostUsd }) => reportedMicro(reportedCostUsd) ?? []);
  return {
    usage: usages.length < 2 ? usages[0] : usages.reduce(addUsage),
    flag: flags.find((flag) => found.has(flag)) ?? (capped ? "capped_at_hold" : null),
    reportedCostMicro: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
  };
}
