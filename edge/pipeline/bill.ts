/**
 * The money side of one chat request: the hold before its first call, and the charge for its calls, to any of its models, at
 * any moment after. No I/O: edge/billing/ledger.ts does the writing.
 */
import type { ChatRequest, Usage } from "../../shared/chat.ts";
import { maxPlanBlockBytes } from "../../shared/plan-block.ts";
import { type UsageFlag, usageFlags } from "../../shared/usage-flags.ts";
import {
  chargeMicro,
  costsMore,
  holdMicro,
  type Markup,
  poolMarkup,
  reportedMicro,
} from "../billing/price.ts";
import type { PriceCard } from "../catalog/model.ts";
import type { CutCall } from "../providers/ask-generation.ts";
import type { Route } from "../providers/registry.ts";
import { loopInputAllowance, stepOutputCap } from "./agent-loop.ts";
import { addUsage, type CallBooks, type CallUsage, createCallBooks } from "./call-books.ts";
import {
  boundInputTokens,
  boundOutputTokens,
  capOutputTokens,
  countImages,
  messageOverhead,
} from "./token-bounds.ts";

/** One of the request's models on the bill. */
export type Tab = {
  markup: Markup;
  /** Sent to the provider with each call; undefined only on a caller's key. */
  outputCap: number | undefined;
  calls: CallBooks;
};

export type Bill = {
  /** One for each model, in the order in which they are tried. */
  tabs: readonly Tab[];
  /** Enough for the dearest of the models. */
  holdMicro: number;
  /** Most tokens that all plans together can read. A worker's higher count is cut to this. */
  planningTokenBound: number;
  /** Whether any call so far may be charged. */
  any(): boolean;
  /** The pool's calls whose usage the aggregator has to be asked for (`CallBooks.takeUnreported`). */
  takeUnreported(): CutCall[];
  /**
   * The charge for what is used by now, never above the hold, and a flag when a usage report was not accepted as it is.
   * `planningTokens`: within their bound.
   * `ran`: the tab of the model that answers, or is being tried.
   */
  settle(planningTokens: number, ran: Tab): Settled;
};

/** A model that failed before another answered, and its usage, which is charged too. */
export type EarlierCall = { model: string; usage: Usage; prices: PriceCard };

export type Settled = {
  chargeMicro: number;
  /** Usage of the model that ran. */
  usage: Usage | undefined;
  earlier: readonly EarlierCall[];
  flag: UsageFlag | null;
  reportedCostMicro: number | undefined;
};

/** The settlement of a request that no provider took. */
export const nothingUsed: Settled = {
  chargeMicro: 0,
  usage: undefined,
  earlier: [],
  flag: null,
  reportedCostMicro: undefined,
};

type Priced = { request: ChatRequest; route: Route };

export type BillTerms = {
  /** In the order in which they are tried. */
  models: readonly Priced[];
  planningPriceMicro: number;
  planningTokenBound: number;
  /** LLM calls at most, and plans: the agent loop plans once before each of its calls. */
  maxLlmCalls: number;
  /** Whether a plan block may be added to the prompt. */
  planBlock: boolean;
};

type OpenTab = Tab & { route: Route; holdMicro: number };

/** The bill of one request. On a caller's own key only planning is charged. */
export function openBill(terms: BillTerms): Bill {
  const { planningPriceMicro: priceMicroPerMillion, maxLlmCalls } = terms;
  const planBound =
    terms.planningTokenBound * maxLlmCalls + (maxLlmCalls > 1 ? loopInputAllowance(maxLlmCalls) : 0);
  const tabs = terms.models.map((priced) => openTab(priced, terms, planBound));
  const hold = Math.max(...tabs.map((tab) => tab.holdMicro));
  return {
    tabs,
    holdMicro: hold,
    planningTokenBound: planBound,
    any: () => tabs.some(({ calls }) => calls.any()),
    takeUnreported: () =>
      tabs
        .filter(({ route }) => route.keySource === "pool")
        .flatMap(({ route, calls }) => calls.takeUnreported().map((call) => ({ route, ...call }))),
    settle(planningTokens, ran) {
      const pooled = tabs.flatMap(listPooled);
      const micro = chargeMicro({
        planning: { priceMicroPerMillion, tokens: planningTokens },
        llm: pooled,
        markup: ran.markup,
        llmMarkup: poolMarkup,
      });
      const own = pooled.filter(({ tab }) => tab === ran);
      return {
        chargeMicro: Math.min(micro, hold),
        usage: ran.markup === 0 ? ran.calls.reported() : sumUsage(own),
        earlier: pooled.flatMap(({ tab, usage, prices }) =>
          tab === ran ? [] : [{ model: tab.route.model, usage, prices }],
        ),
        ...describe(pooled, micro > hold),
      };
    },
  };
}

function openTab({ request, route }: Priced, terms: BillTerms, planBound: number): OpenTab {
  const outputCap = capOutputTokens(request, route);
  const { prices } = route;
  const planning = { priceMicroPerMillion: terms.planningPriceMicro, tokenBound: planBound };
  const callInput = boundCallInput(request, route, terms);
  const common = { route, outputCap, calls: createCallBooks(route, callInput) };
  if (prices === undefined) return { ...common, markup: 0, holdMicro: holdMicro({ planning, markup: 0 }) };
  const boundOutput = (cap: number) => boundOutputTokens(cap, prices);
  const output = { answer: boundOutput(outputCap!), step: boundOutput(stepOutputCap) };
  const llm = { ...boundCalls(request, terms, callInput, output), prices };
  return { ...common, markup: poolMarkup, holdMicro: holdMicro({ planning, llm, markup: poolMarkup }) };
}

type PooledCall = CallUsage & { tab: OpenTab; prices: PriceCard };

/** The calls that the pool's key pays for. */
function listPooled(tab: OpenTab): PooledCall[] {
  const { prices } = tab.route;
  return prices === undefined ? [] : tab.calls.list().map((call) => ({ ...call, tab, prices }));
}

/** Most input tokens of one call, a plan block counted where one may be sent. */
function boundCallInput(request: ChatRequest, route: Route, { planBlock }: BillTerms): number {
  const block = planBlock ? maxPlanBlockBytes + messageOverhead : 0;
  return boundInputTokens(request, route) + block;
}

/** Tokens of all the calls one request may make. */
function boundCalls(
  request: ChatRequest,
  { maxLlmCalls }: BillTerms,
  callInput: number,
  output: { answer: number; step: number },
) {
  const requests = request.choices + maxLlmCalls - 1;
  const inputBound =
    callInput * requests + (maxLlmCalls > 1 ? loopInputAllowance(maxLlmCalls) * request.choices : 0);
  const outputBound = output.answer * request.choices + output.step * (maxLlmCalls - 1);
  return { inputBound, outputBound, requests, images: countImages(request) * requests };
}

function describe(calls: readonly PooledCall[], capped: boolean) {
  const found = new Set<UsageFlag | null>(calls.map(({ flag }) => flag));
  if (calls.some(costsMore)) found.add("cost_above_price");
  if (capped) found.add("capped_at_hold");
  const costs = calls.flatMap(({ reportedCostUsd }) => reportedMicro(reportedCostUsd) ?? []);
  return {
    flag: usageFlags.find((flag) => found.has(flag)) ?? null,
    reportedCostMicro: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

function sumUsage(calls: readonly CallUsage[]): Usage | undefined {
  const usages = calls.map(({ usage }) => usage);
  return usages.length < 2 ? usages[0] : usages.reduce(addUsage);
}
