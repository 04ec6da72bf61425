/**
 * The money side of one chat request: what to hold before the call and what to charge after it. Pure:
 * prices, bounds and counts in, integers out; edge/billing/ledger.ts does the writing.
 */
import type { ChatRequest, Usage } from "../../shared/chat.ts";
import { chargeMicro, holdMicro, settledUsage } from "../billing/price.ts";
import type { Route } from "../providers/route.ts";
import { loopInputAllowance, stepOutputCap } from "./agent-loop.ts";
import { boundInputTokens, capOutputTokens, countInputTokens } from "./token-bounds.ts";

/** Share added to the whole bill of a request served with the pool's key. */
export const poolMarkup = 0.25;

export type Bill = {
  markup: 0 | 0.25;
  /** Sent to the provider with each call; undefined only on a caller's key. */
  outputCap: number | undefined;
  holdMicro: number;
  /** Integer micro-credits for what was used, never above the hold; and the flag of a report not believed. */
  settle: (used: Used) => Settled;
};

export type Used = {
  planningTokens: number;
  /** False while no provider has been sent the prompt: then only planning is charged. */
  sent: boolean;
  reported: Usage | undefined;
  countedOutput: number;
};

export type Settled = { chargeMicro: number; usage: Usage | undefined; flag: string | null };

export type BillTerms = {
  request: ChatRequest;
  route: Route;
  planningPriceMicro: number;
  planningTokenBound: number;
  /** Plans made for this request: one, and one more after each step of the agent loop. */
  maxLlmCalls: number;
};

/** The terms of one request. On a caller's key only planning is ours to charge. */
export function openBill({
  request,
  route,
  planningPriceMicro,
  planningTokenBound,
  maxLlmCalls,
}: BillTerms): Bill {
  const outputCap = capOutputTokens(request, route);
  const planning = { priceMicroPerMillion: planningPriceMicro };
  const planBound =
    planningTokenBound * maxLlmCalls + (maxLlmCalls > 1 ? loopInputAllowance(maxLlmCalls) : 0);
  const { prices } = route;
  if (prices === undefined) {
    return {
      markup: 0,
      outputCap,
      holdMicro: holdMicro({ planning: { ...planning, tokenBound: planBound }, markup: 0 }),
      settle: ({ planningTokens, reported }) => ({
        chargeMicro: chargeMicro({
          planning: { ...planning, tokens: Math.min(planningTokens, planBound) },
          markup: 0,
        }),
        usage: reported,
        flag: null,
      }),
    };
  }
  const calls = request.choices + maxLlmCalls - 1;
  const inputBound =
    boundInputTokens(request, route) * calls + (maxLlmCalls > 1 ? loopInputAllowance(maxLlmCalls) : 0);
  const outputBound = outputCap! * request.choices + stepOutputCap * (maxLlmCalls - 1);
  const bounds = { input: inputBound, output: outputBound };
  const hold = holdMicro({
    planning: { ...planning, tokenBound: planBound },
    llm: { inputBound, outputBound, prices, requests: calls },
    markup: poolMarkup,
  });
  return {
    markup: poolMarkup,
    outputCap,
    holdMicro: hold,
    settle: ({ planningTokens, sent, reported, countedOutput }) => {
      const planned = { ...planning, tokens: Math.min(planningTokens, planBound) };
      if (!sent)
        return {
          chargeMicro: chargeMicro({ planning: planned, markup: poolMarkup }),
          usage: undefined,
          flag: null,
        };
      const counted = { input: countInputTokens(request, route) * request.choices, output: countedOutput };
      const { usage, flag } = settledUsage({ reported, counted, bounds });
      return {
        chargeMicro: chargeMicro({
          planning: planned,
          llm: { usage, prices, requests: calls },
          markup: poolMarkup,
        }),
        usage,
        flag,
      };
    },
  };
}
