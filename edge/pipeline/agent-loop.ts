/**
 * plan -> call -> observe -> re-plan, for callers who opt in with `svc.max_llm_calls`. Each step is one LLM call for the
 * plan's first action; the last call writes the answer, and only its events reach the caller.
 */
import type { ChatEvent, ChatRequest, EventOf } from "../../shared/chat.ts";
import { GatewayError } from "../../shared/errors.ts";
import { isSureOfFirst, listActions, writePlanBlock } from "../../shared/plan-block.ts";
import type { PlanHistoryStep, PlanResponse } from "../../shared/planning.ts";
import { type TraceStep, traceSteps } from "../planning/svc-metadata.ts";
import type { ProviderAnswer } from "../providers/call.ts";
import { withTrailingText } from "./trailing-text.ts";

/** Output cap of a step that only feeds the next one, in tokens. */
export const stepOutputCap = 1_024;
/** Limits in bytes: of a step's result as it is kept, of its note in a later prompt, and of a call's task. */
const maxObservationBytes = 4_096;
const maxNoteBytes = maxObservationBytes + 256;
const maxTaskBytes = 768;
/** Probability at which the goal counts as reached and the answer is written. */
const reachedAt = 0.9;

export type LoopContext = {
  request: ChatRequest;
  plan: PlanResponse;
  /** The model's id at its provider. */
  model: string;
  /** LLM calls in all, the last one included; at least 2. */
  maxCalls: number;
  planBlock: boolean;
  call: (request: ChatRequest, purpose: "step" | "answer") => Promise<ProviderAnswer>;
  replan: (history: PlanHistoryStep[]) => Promise<PlanResponse>;
};

/** An answer while it is written, with the LLM calls and the steps that have been made for it by now. */
export type ExecutionRun = ProviderAnswer & { llmCalls: () => number; trace: () => TraceStep[] };

const stepText = (action: string): string =>
  `[svc step] Carry out only this step toward the user's goal and give its result, briefly: ${action}`;

/** One text for each step, so that a later call repeats an earlier one's bytes and adds to them. */
const listNotes = (history: readonly PlanHistoryStep[]): string[] =>
  history.map(({ action, observation }, index) => `[svc result ${index + 1}] ${action}: ${observation}`);

/** What the provider said of a step that failed: too long, busy, refused. */
class StepFailed extends Error {
  readonly event: EventOf<"error">;

  constructor(event: EventOf<"error">) {
    super(event.message);
    this.event = event;
  }
}

/** A step's text, cut to what later calls are told of it. */
async function collect(answer: ProviderAnswer): Promise<string> {
  let text = "";
  for await (const events of answer.events) {
    for (const event of events) {
      if (event.type === "text-delta") text += event.text;
      if (event.type === "error") throw new StepFailed(event);
    }
  }
  return cutBytes(text, maxObservationBytes);
}

/** The longest beginning of a text that has at most `limit` bytes of UTF-8, without half a character. */
function cutBytes(text: string, limit: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(limit));
  return text.slice(0, read);
}

function lateError(error: unknown): ChatEvent {
  if (error instanceof StepFailed) return error.event;
  const isKnown = error instanceof GatewayError;
  const message = isKnown ? error.message : "A later step of the loop failed; retry the request.";
  return { type: "error", code: "upstream_error", message };
}

/**
 * Whether the next call carries out the plan's first step; else it writes the answer. A step too unsure to be suggested is no task
 * either: "hey, how's it going" would be worked through as `ask_name`, `query`.
 */
const goesOn = (plan: PlanResponse, callsLeft: number): boolean =>
  callsLeft > 1 && listActions(plan).length > 0 && isSureOfFirst(plan) && plan.goalReached < reachedAt;

/**
 * Runs the loop. Resolves once the first step's provider has answered 2xx (so a refusal is still an HTTP
 * error); later steps run while the events are read. Stops when the goal is predicted reached, the plan
 * is done or unsure of its next step, or one call is left, which writes the answer.
 */
export async function runAgentLoop(context: LoopContext): Promise<ExecutionRun> {
  const { request, model, maxCalls, planBlock, call, replan } = context;
  const history: PlanHistoryStep[] = [];
  let { plan } = context;
  let calls = 0;
  /** The caller's own request, followed by the results of the steps so far and by the task of this call. */
  const ask = (task: string | undefined) => withTrailingText(request, [...listNotes(history), task], model);
  const begin = async () => {
    const isStep = goesOn(plan, maxCalls - calls);
    calls += 1;
    const answer = await (isStep
      ? call({ ...ask(stepText(listActions(plan)[0]!)), stream: false, choices: 1 }, "step")
      : call(ask(planBlock ? writePlanBlock(plan, []) : undefined), "answer"));
    return { answer, isStep };
  };
  const first = await begin();

  async function* events(): ProviderAnswer["events"] {
    let { answer, isStep } = first;
    try {
      while (isStep) {
        history.push({ action: plan.steps[0]!.actionName, observation: await collect(answer) });
        plan = await replan(history);
        ({ answer, isStep } = await begin());
      }
    } catch (error) {
      yield [lateError(error)];
      return;
    }
    yield* answer.events;
  }
  return {
    events: events(),
    unsupported: first.answer.unsupported,
    llmCalls: () => calls,
    trace: () => traceSteps(history),
  };
}

/** Bound of the input tokens that a loop adds to the caller's own: each call's task, and the notes of all steps before it. */
export const loopInputAllowance = (maxCalls: number): number =>
  maxTaskBytes * maxCalls + (maxNoteBytes * maxCalls * (maxCalls - 1)) / 2;
