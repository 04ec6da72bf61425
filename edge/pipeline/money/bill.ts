/**
 * The money side of one chat request: the hold before its first call, and the charge for its calls, to any of its models, at
 * any moment after. No I/O: settlement.ts has it written.
 */
import type { ChatRequest, Usage } from "../../../shared/chat.ts";
import { maxPlanBlockBytes } from "../../../shared/plan-block.ts";
import { type UsageFlag, usageFlags } from "../../../shared/usage-flags.ts";
import {
  chargeMicro,
  costsMore,
  holdMicro,
  type Markup,
  poolMarkup,
  reportedMicro,
} from "../../billing/price.ts";
import { addUsage } from "../../billing/settled-usage.ts";
import type { PriceCard } from "../../catalog/model.ts";
import type { CutCall } from "../../providers/late-usage.ts";
import type { Route } from "../../providers/resolve-route.ts";
import { loopInputAllowance, stepOutputCap } from "../agent-loop.ts";
import { boundOutputTokens, capOutputTokens } from "../tokens/output-bounds.ts";
import { boundInputTokens, countImages, messageOverhead } from "../tokens/token-bounds.ts";
import { type CallUsage, createUsageMeter, type UsageMeter } from "./usage-meter.ts";

/** What one of the models of a request may cost, and what its calls have used. */
export type LineItem = {
  markup: Markup;
  /** Sent to the provider with each call; undefined only on a caller's key. */
  outputCap: number | undefined;
  meter: UsageMeter;
};

export type Bill = {
  /** One for each model, in the order in which they are tried. */
  lineItems: readonly LineItem[];
  /** What the hold is to cover. At first that is the dearest of the models alone. */
  readonly holdMicro: number;
  /** Most tokens that all plans together can read. A worker's higher count is cut to this. */
  planningTokenBound: number;
  /** Whether any call so far may be charged. */
  hasChargeable(): boolean;
  /**
   * Micro-credits that the hold lacks before `next` is asked: it must cover all that `next` may cost, in addition to what the models before
   * it cost. Their calls that were refused, or ended in the provider's error without a report, cost nothing. A call that broke off after
   * the 2xx counts as all that was held for it, since its usage is known only later.
   */
  shortOf(next: LineItem): number;
  /** To be called when so much was added to the hold. */
  raise(byMicro: number): void;
  /** The pool's calls whose usage the aggregator has to be asked for (`UsageMeter.takeUnreported`). */
  takeUnreported(): CutCall[];
  /**
   * The charge for what is used by now, never above the hold, and a flag when a usage report was not accepted as it is. `planningTokens`:
   * within their bound. `ran`: the line item of the model that answers, or is being tried. Computes only: it may be called at any moment,
   * and again.
   */
  sumUp(planningTokens: number, ran: LineItem): Settled;
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

/** `callsHoldMicro`: the part of the hold that is for the pool's calls. */
type OpenLineItem = LineItem & { route: Route; holdMicro: number; callsHoldMicro: number };

/** The bill of one request. On a caller's own key only planning is charged. */
export function openBill(terms: BillTerms): Bill {
  const { planningPriceMicro: priceMicroPerMillion, maxLlmCalls } = terms;
  const planBound =
    terms.planningTokenBound * maxLlmCalls + (maxLlmCalls > 1 ? loopInputAllowance(maxLlmCalls) : 0);
  const lineItems = terms.models.map((priced) => openLineItem(priced, terms, planBound));
  let hold = Math.max(...lineItems.map((lineItem) => lineItem.holdMicro));
  return {
    lineItems,
    get holdMicro() {
      return hold;
    },
    planningTokenBound: planBound,
    hasChargeable: () => lineItems.some(({ meter }) => meter.hasChargeable()),
    shortOf(next) {
      const costs = lineItems.map((lineItem) =>
        lineItem === next ? lineItem.holdMicro : boundEarlier(lineItem),
      );
      return Math.max(0, costs.reduce((sum, cost) => sum + cost, 0) - hold);
    },
    raise(byMicro) {
      hold += byMicro;
    },
    takeUnreported: () =>
      lineItems
        .filter(({ route }) => route.keySource === "pool")
        .flatMap(({ route, meter }) => meter.takeUnreported().map((call) => ({ route, ...call }))),
    sumUp(planningTokens, ran) {
      const pooled = lineItems.flatMap(listPooled);
      const micro = chargeMicro({
        planning: { priceMicroPerMillion, tokens: planningTokens },
        llm: pooled,
        markup: ran.markup,
        llmMarkup: poolMarkup,
      });
      const own = pooled.filter(({ lineItem }) => lineItem === ran);
      return {
        chargeMicro: Math.min(micro, hold),
        usage: ran.markup === 0 ? ran.meter.reported() : sumUsage(own),
        earlier: pooled.flatMap(({ lineItem, usage, prices }) =>
          lineItem === ran ? [] : [{ model: lineItem.route.model, usage, prices }],
        ),
        ...describe(pooled, micro > hold),
      };
    },
  };
}

function openLineItem({ request, route }: Priced, terms: BillTerms, planBound: number): OpenLineItem {
  const outputCap = capOutputTokens(request, route);
  const { prices } = route;
  const planning = { priceMicroPerMillion: terms.planningPriceMicro, tokenBound: planBound };
  const callInput = boundCallInput(request, route, terms);
  const common = { route, outputCap, meter: createUsageMeter(route, callInput) };
  if (prices === undefined)
    return { ...common, markup: 0, holdMicro: holdMicro({ planning, markup: 0 }), callsHoldMicro: 0 };
  const boundOutput = (cap: number) => boundOutputTokens(cap, route);
  const output = { answer: boundOutput(outputCap!), step: boundOutput(stepOutputCap) };
  const llm = { ...boundCalls(request, terms, callInput, output), prices };
  const holdFor = (tokenBound: number) =>
    holdMicro({ planning: { ...planning, tokenBound }, llm, markup: poolMarkup });
  return { ...common, markup: poolMarkup, holdMicro: holdFor(planBound), callsHoldMicro: holdFor(0) };
}

/** What the calls to a model that was replaced can cost; planning is in the hold of the next one. 0 on a caller's own key. */
function boundEarlier(lineItem: OpenLineItem): number {
  const { meter, callsHoldMicro } = lineItem;
  if (meter.isPending()) return callsHoldMicro;
  const planning = { priceMicroPerMillion: 0, tokens: 0 };
  const used = chargeMicro({ planning, llm: listPooled(lineItem), markup: poolMarkup });
  return Math.min(used, callsHoldMicro);
}

type PooledCall = CallUsage & { lineItem: OpenLineItem; prices: PriceCard };

/** The calls that the pool's key pays for. */
function listPooled(lineItem: OpenLineItem): PooledCall[] {
  const { prices } = lineItem.route;
  return prices === undefined ? [] : lineItem.meter.list().map((call) => ({ ...call, lineItem, prices }));
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
