/**
 * The `svc` object of an answer: what was planned, who wrote the answer, how it was paid. Pure; the wire
 * shape is the interface's SvcMetadata.
 */
import type { ModelSize } from "../../shared/model-sizes.ts";
import type { Abstention, PlanHistoryStep, PlanResponse } from "../../shared/planning.ts";
import type { KeySource } from "../../shared/providers.ts";
import { cutText } from "./plan-text.ts";

export type SvcMetadata = {
  svc_model: string;
  execution_llm: string;
  action_sequence: string[];
  predicted_state_changes: number[];
  confidence_labels: string[];
  overall_confidence: number;
  steps_to_goal: number;
  planning_time_ms: number;
  execution_time_ms?: number;
  total_steps_executed?: number;
  execution_trace: TraceStep[];
  brain_signal: {
    action_type: string;
    confidence: number;
    /** Why no tool is recommended, or that the recommended tool is a guess. */
    abstention?: Abstention;
    /** The few tools of which one is probably next if another call is needed, likeliest first. */
    likely_tools?: string[];
    plan_ahead: string[];
    simulation_confirmed: boolean;
    goal_proximity: number;
  };
  confidence: number;
  key_source: KeySource;
  pool_markup_applied: number | null;
  /** Credits that the request cost its caller: known when it has ended. */
  credits_charged?: number;
};

export type TraceStep = { step: number; action: string; response_summary: string };

/** The facts of a run that are known only at its end. */
export type Execution = { executionMs: number; llmCalls: number; trace: TraceStep[] };

const maxSummaryChars = 200;

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** Steps taken, numbered from 1, each with the beginning of its result. */
export function traceSteps(history: readonly PlanHistoryStep[]): TraceStep[] {
  return history.map(({ action, observation }, index) => ({
    step: index + 1,
    action,
    response_summary:
      observation.length > maxSummaryChars ? `${cutText(observation, maxSummaryChars - 1)}…` : observation,
  }));
}

/** Which LLM writes the answer, and who pays its provider. */
export type Service = { executionLlm: string; keySource: KeySource; markup: number };

export const describeService = ({ executionLlm, keySource, markup }: Service) => ({
  execution_llm: executionLlm,
  key_source: keySource,
  pool_markup_applied: keySource === "pool" ? markup : null,
});

/** The plan of an answer for which none could be made. */
export const noPlan: PlanResponse = {
  steps: [],
  overallConfidence: 0,
  brainSignal: {
    actionType: "none",
    confidence: 0,
    abstention: "unsure",
    planAhead: [],
    simulationConfirmed: false,
    goalProximity: 0,
  },
  goalReached: 0,
  tokens: 0,
  timings: { queueMs: 0, modelMs: 0 },
};

/** Metadata as known when planning is done: what the first chunk of a stream carries. */
export function describePlan(
  plan: PlanResponse,
  facts: Service & { size: ModelSize; history: readonly PlanHistoryStep[] },
): SvcMetadata {
  const { brainSignal } = plan;
  const { execution_llm, ...payment } = describeService(facts);
  return {
    svc_model: `x1ac-${facts.size}`,
    execution_llm,
    action_sequence: plan.steps.map(({ actionName }) => actionName),
    predicted_state_changes: plan.steps.map(({ stateChange }) => rounded(stateChange, 4)),
    confidence_labels: plan.steps.map(({ confidence }) => confidence),
    overall_confidence: rounded(plan.overallConfidence, 4),
    steps_to_goal: plan.steps.length,
    planning_time_ms: rounded(plan.timings.queueMs + plan.timings.modelMs, 2),
    execution_trace: traceSteps(facts.history),
    brain_signal: {
      action_type: brainSignal.actionType,
      confidence: rounded(brainSignal.confidence, 4),
      ...(brainSignal.abstention !== undefined && { abstention: brainSignal.abstention }),
      ...(brainSignal.likelyTools !== undefined && { likely_tools: brainSignal.likelyTools }),
      plan_ahead: brainSignal.planAhead,
      simulation_confirmed: brainSignal.simulationConfirmed,
      goal_proximity: rounded(brainSignal.goalProximity, 4),
    },
    confidence: rounded(plan.overallConfidence, 4),
    ...payment,
  };
}

/** The same, complete: what a JSON answer and the last chunk of a stream carry. */
export function completeMetadata(
  metadata: SvcMetadata,
  { executionMs, llmCalls, trace }: Execution,
): SvcMetadata {
  return {
    ...metadata,
    execution_time_ms: rounded(executionMs, 2),
    total_steps_executed: llmCalls,
    ...(trace.length > 0 && { execution_trace: trace }),
  };
}
