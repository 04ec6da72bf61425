/**
 * The LLM side of a request: a single call, a call for each choice, or the opt-in agent loop, each as one stream of events. Models
 * are tried in order: the next is asked when a provider is busy, down or silent and nothing of the answer has reached the caller.
 * A refusal of the request itself is thrown at once, since another model would refuse it, too.
 */
import type { ChatRequest } from "../../shared/chat.ts";
import { errorTable, GatewayError } from "../../shared/errors.ts";
import { writePlanBlock } from "../../shared/plan-block.ts";
import type { PlanResponse } from "../../shared/planning.ts";
import { hasStandingJob } from "../../shared/standing-job.ts";
import { toFittingName } from "../dialects/provider/fit-tools.ts";
import { readHistory } from "../planning/plan-request.ts";
import { traceSteps } from "../planning/svc-metadata.ts";
import type { CallContext, ProviderAnswer } from "../providers/call.ts";
import { callForChoices } from "../providers/choices.ts";
import { callWithFailover, readUntilContent } from "../providers/failover.ts";
import { failureError } from "../providers/failure.ts";
import { recordCalls } from "../providers/record-calls.ts";
import { Refused } from "../providers/refusal.ts";
import { baseUrlOf, providers } from "../providers/registry.ts";
import type { Route } from "../providers/resolve-route.ts";
import { type ExecutionRun, runAgentLoop, stepOutputCap } from "./agent-loop.ts";
import type { ChatInput } from "./chat-input.ts";
import { applyFormat, type FormattedRequest } from "./format/answer-format.ts";
import { checkInTurn } from "./format/check-in-turn.ts";
import { checkEvents } from "./format/checked-events.ts";
import { claimFreeCalls } from "./money/free-calls.ts";
import { countWrongKey } from "./refuse-wrong-keys.ts";
import type { Candidate, RequestTerms } from "./resolve-terms.ts";
import type { RunningRequest } from "./running-request.ts";
import type { Services } from "./services.ts";
import { countChars } from "./tokens/answer-counts.ts";
import { takesTrailingText, withTrailingText } from "./trailing-text.ts";

type Execution = {
  input: ChatInput;
  terms: RequestTerms;
  /** The model that is asked. */
  candidate: Candidate;
  plan: PlanResponse;
  running: RunningRequest;
  /** Ends every call made for it. */
  signal: AbortSignal;
  /** Whether another model is left. */
  hasNext: boolean;
};

/** Runs the candidates in order, and returns the first that answers. If all fail, throws the last one's error. */
export async function executeFirst(
  execution: Omit<Execution, "candidate" | "signal" | "hasNext">,
  services: Services,
): Promise<ExecutionRun> {
  const { terms, running } = execution;
  const others = [...terms.candidates];
  let candidate: Candidate = others.shift()!;
  for (;;) {
    const next = others.shift();
    const abort = next && new AbortController();
    // Nothing aborts the last candidate alone; a signal of its own would stay in memory as long as the stream is open.
    const signal = abort ? AbortSignal.any([running.signal, abort.signal]) : running.signal;
    try {
      const hasNext = next !== undefined;
      const run = await execute({ ...execution, candidate, signal, hasNext }, services);
      return next === undefined || execution.input.options.maxLlmCalls > 1 ? run : await withContent(run);
    } catch (error) {
      await countWrongKey(error, candidate.route, execution.input.account, services);
      if (next === undefined || running.signal.aborted || !isProviderFailure(error)) throw error;
      // The calls for other choices may still be open.
      abort?.abort();
      candidate.lineItem.meter.dropFailed();
      if (!(await running.turnTo(next))) throw error;
      services.log({
        level: "warn",
        event: "model_fallback",
        request_id: execution.input.requestId,
        model: candidate.route.model,
        next: next.route.model,
        error: error.code,
      });
      candidate = next;
    }
  }
}

/** Whether the next model is asked after it: a failure of the provider's that a retry may help. */
const isProviderFailure = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && error.code.startsWith("upstream_") && errorTable[error.code].retryable;

/** Waits for the answer's first content. Throws a failure that comes before it. */
async function withContent(run: ExecutionRun): Promise<ExecutionRun> {
  const { batches, failure } = await readUntilContent(run.events);
  if (failure !== undefined) {
    await run.events.return();
    throw failureError(failure);
  }
  return { ...run, events: joinEvents(batches, run.events) };
}

async function* joinEvents(
  batches: Awaited<ReturnType<typeof readUntilContent>>["batches"],
  rest: ExecutionRun["events"],
): ExecutionRun["events"] {
  try {
    yield* batches;
    yield* rest;
  } finally {
    // Also when the consumer stops early: the provider must not keep writing.
    await rest.return();
  }
}

/** How the plan reaches the LLM: one call for each step, the plan block in the prompt, or not at all. */
type PlanUse = "steps" | "block" | "nothing";

function choosePlanUse({ input, terms, candidate }: Execution, request: ChatRequest): PlanUse {
  // The system message gives the LLM one job for every message, so a plan made from this message would mislead.
  if (terms.planRequest.tools.length === 0 && hasStandingJob(request)) return "nothing";
  const { planBlock, maxLlmCalls } = input.options;
  const tools = request.tools.length + (request.providerTools?.length ?? 0);
  const mayLoop = maxLlmCalls > 1 && tools === 0 && takesTrailingText(request, candidate.route.model);
  if (mayLoop) return "steps";
  return planBlock ? "block" : "nothing";
}

/** The candidate's request as it is sent, except for the plan; and the check of the answer's format. */
function prepareRequest({ request, route }: Candidate, planBlock: boolean): FormattedRequest {
  const { responseFormat } = request;
  const formatted: FormattedRequest =
    responseFormat === undefined ? { request } : applyFormat(request, responseFormat, route);
  // For a caller who takes plans, whether or not this turn has one: a text that is a string on one turn and a list on the next changes the
  // prompt's first bytes, and its cache is lost.
  return planBlock ? { ...formatted, request: { ...formatted.request, userTextAsParts: true } } : formatted;
}

/** Asks one candidate. Resolves once the provider has answered 2xx; throws GatewayError before. */
async function execute(execution: Execution, services: Services): Promise<ExecutionRun> {
  const { input, terms, candidate, plan, running, signal } = execution;
  const { planBlock, maxLlmCalls } = input.options;
  const { route, lineItem } = candidate;
  const { request, check } = prepareRequest(candidate, planBlock);
  const use = choosePlanUse(execution, request);
  const call = prepareCalls(execution, services);
  const stepCap = Math.min(lineItem.outputCap ?? stepOutputCap, stepOutputCap);
  const run =
    use === "steps"
      ? await runAgentLoop({
          request,
          plan,
          model: route.model,
          maxCalls: maxLlmCalls,
          planBlock,
          call: (asked, purpose) => call(asked, purpose === "step" ? stepCap : lineItem.outputCap),
          replan: (history) => running.plans.make({ ...terms.planRequest, history }, signal),
        })
      : await callOnce(execution, request, use, call);
  if (check === undefined) return run;
  return { ...run, events: checkEvents(run.events, checkInTurn(check, input.account.accountId, services)) };
}

async function callOnce(
  { terms, candidate: { route, lineItem }, plan }: Execution,
  request: ChatRequest,
  use: "block" | "nothing",
  call: Call,
): Promise<ExecutionRun> {
  // Only tools that were planned over are recommended: the others must not be called.
  const toolNames = terms.planRequest.tools.map(({ name }) => name);
  const { dialect } = providers[route.provider];
  const toSent = (name: string) => toFittingName(name, dialect.toolNames);
  const block = use === "block" ? writePlanBlock(plan, toolNames, toSent) : undefined;
  const answer = await call(withTrailingText(request, [block], route.model), lineItem.outputCap);
  const calls = countCalls(request, route);
  return { ...answer, llmCalls: () => calls, trace: () => traceSteps(readHistory(request.messages)) };
}

const saltChars = 16;

type Call = (asked: ChatRequest, cap: number | undefined) => Promise<ProviderAnswer>;

/**
 * Calls on the pool always stream, also for an answer in JSON: usage is known at any moment, and a long answer is not taken for
 * a silent provider. On a caller's own key a JSON answer with sound, or at a model that refuses streams, is asked for whole.
 */
function prepareCalls({ input, candidate, signal, hasNext }: Execution, services: Services): Call {
  const { route, lineItem } = candidate;
  const context: CallContext = {
    fetch: services.fetch,
    now: services.now,
    sleep: services.sleep,
    baseUrl: baseUrlOf(route.provider, services.config.baseUrls),
    limits: services.callLimits,
    hasNext,
    sharedPace: services.sharedPace,
    sizeOf: countChars,
    signal,
    salt: input.holdId.slice(0, saltChars),
    observeCall: recordCalls(services.requestRecord, route, lineItem.meter.open),
  };
  const call = (asked: ChatRequest, cap: number | undefined, stream: boolean) => {
    const make = countCalls(asked, route) > 1 ? callForChoices : callWithFailover;
    return make(route, { ...asked, stream }, cap, context);
  };
  return async (asked, cap) => {
    await claimFreeCalls(route, countCalls(asked, route), input.account.accountId, services);
    if (route.keySource === "pool" || input.request.stream) return call(asked, cap, true);
    if (asksForAudio(asked)) return call(asked, cap, false);
    return call(asked, cap, true).catch((error: unknown) => {
      if (!refusesStream(error)) throw error;
      return call(asked, cap, false);
    });
  };
}

/** The calls that answer a request: one for each choice if the provider gives one at a time. */
const countCalls = ({ choices }: ChatRequest, { provider }: Route): number =>
  providers[provider].dialect.takesChoices ? 1 : choices;

/** A stream gives sound in other formats than a reply in one piece (OpenAI, "Audio and speech"). */
const asksForAudio = ({ extra }: ChatRequest): boolean =>
  Array.isArray(extra.modalities) && extra.modalities.includes("audio");

/** OpenAI streams some models only to organisations it has verified (400, `param: "stream"`). */
const refusesStream = (error: unknown): boolean =>
  error instanceof Refused && error.providerStatus === 400 && /\bstream\b/.test(error.message);
