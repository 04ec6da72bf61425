/**
 * The LLM side of a request: one call, several choices, or the opt-in agent loop, all as one stream of
 * events with the plan already in the prompt.
 */
import type { ChatRequest } from "../../shared/chat.ts";
import { writePlanBlock } from "../../shared/plan-block.ts";
import type { PlanHistoryStep, PlanRequest, PlanResponse } from "../../shared/planning.ts";
import { type TraceStep, traceSteps } from "../planning/svc-metadata.ts";
import type { ProviderAnswer } from "../providers/call.ts";
import { callForChoices } from "../providers/choices.ts";
import { providers } from "../providers/registry.ts";
import type { Route } from "../providers/route.ts";
import { runAgentLoop, stepOutputCap } from "./agent-loop.ts";
import type { Bill } from "./bill.ts";
import type { Services } from "./services.ts";
import { takesTrailingText, withTrailingText } from "./trailing-text.ts";

export type ExecutionInput = {
  request: ChatRequest;
  plan: PlanResponse;
  planRequest: PlanRequest;
  route: Route;
  bill: Bill;
  options: { planBlock: boolean; maxLlmCalls: number };
  requestId: string;
  signal: AbortSignal;
  /** Tokens of every further plan the loop asks for. */
  onReplan: (tokens: number) => void;
};

export type ExecutionRun = ProviderAnswer & { llmCalls: () => number; trace: () => TraceStep[] };

const saltChars = 16;

/** Resolves once the provider has answered 2xx; throws GatewayError before. */
export async function execute(input: ExecutionInput, services: Services): Promise<ExecutionRun> {
  const { plan, route, bill, options, signal } = input;
  // In every turn of a conversation that plans are written into, whether or not this one has a block.
  const request: ChatRequest = options.planBlock
    ? { ...input.request, userTextAsParts: true }
    : input.request;
  const context = {
    fetch: services.fetch,
    now: services.now,
    sleep: services.sleep,
    baseUrl: services.config.baseUrls[route.provider] ?? providers[route.provider].defaultBaseUrl,
    limits: services.limits,
    signal,
    salt: services.randomId().slice(0, saltChars),
  };
  // The pool's calls always stream: what a caller who leaves has used is then known, and billing stops with it.
  const streamed = (asked: ChatRequest): ChatRequest =>
    route.keySource === "pool" ? { ...asked, stream: true } : asked;
  const call = (asked: ChatRequest, cap: number | undefined) =>
    callForChoices(route, streamed(asked), cap, context);

  const tools = request.tools.length + (request.providerTools?.length ?? 0);
  if (options.maxLlmCalls > 1 && tools === 0 && takesTrailingText(request, route.model)) {
    const replan = async (history: PlanHistoryStep[]) => {
      const next = await services.gpuWorkers.run(
        "plan",
        { ...input.planRequest, history },
        { signal, requestId: input.requestId },
      );
      input.onReplan(next.tokens);
      return next;
    };
    const capStep = Math.min(bill.outputCap ?? stepOutputCap, stepOutputCap);
    return runAgentLoop({
      request,
      plan,
      model: route.model,
      maxCalls: options.maxLlmCalls,
      planBlock: options.planBlock,
      call: (asked, purpose) => call(asked, purpose === "step" ? capStep : bill.outputCap),
      replan,
    });
  }
  const toolNames = request.tools.map(({ name }) => name);
  const block = options.planBlock ? writePlanBlock(plan, toolNames) : undefined;
  const prompted = withTrailingText(request, [block], route.model);
  const answer = await call(prompted, bill.outputCap);
  const calls = providers[route.provider].dialect.takesChoices ? 1 : request.choices;
  return { ...answer, llmCalls: () => calls, trace: () => traceSteps(input.planRequest.history) };
}
