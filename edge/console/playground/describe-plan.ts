/** The plan's numbers in words (shared/bands.ts), and whether the LLM gets the plan. Pure. */
import { changeBands, wordOf } from "../../../shared/bands.ts";
import { idleActions, minPlanConfidence, writePlanBlock } from "../../../shared/plan-block.ts";
import type {
  Abstention,
  BrainSignal,
  ConfidenceLabel,
  PlannedStep,
  PlanResponse,
} from "../../../shared/planning.ts";
import { givesStandingJob } from "../../../shared/standing-job.ts";
import type { Svc } from "../api/chat-wire.ts";
import { readable } from "../components/format.ts";
import type { PlanSwitch } from "./conversation.ts";
import type { WireMessage } from "./draft.ts";

export type PlanStep = {
  action: string;
  /** High, Medium or Low. */
  confidence: string;
  change: number;
  changeWord: string;
};

/** The word for a predicted change of state. */
export const describeChange = (change: number): string => wordOf(changeBands, change).toLowerCase();

/** Steps up to the first idle action. A tool of the request is never idle, even if it has the name of an idle action. */
export function readSteps(svc: Svc, toolNames: readonly string[]): PlanStep[] {
  const actions = svc.action_sequence ?? [];
  const idle = actions.findIndex((action) => idleActions.has(action) && !toolNames.includes(action));
  return (idle === -1 ? actions : actions.slice(0, idle)).map((action, index) => {
    const change = svc.predicted_state_changes?.[index] ?? 0;
    return {
      action,
      confidence: svc.confidence_labels?.[index] ?? "Low",
      change,
      changeWord: describeChange(change),
    };
  });
}

/** What is shown if the plan has no next tool, by the answer's `abstention`. `unsure` is left out: it does name a tool. */
const verdicts: Readonly<Record<string, { words: string; why: string }>> = {
  done: { words: "The work is done", why: "Only the answer is left. The LLM is told nothing." },
  ask_user: {
    words: "The user has to be asked first",
    why: "Something only the user knows is missing. The LLM is told nothing: expect a question.",
  },
  no_tool: {
    words: "No tool is needed, or none fits",
    why: "The LLM is told nothing and answers by itself.",
  },
};

const readVerdict = (svc: Svc) => {
  const { abstention = "" } = svc.brain_signal ?? {};
  return Object.hasOwn(verdicts, abstention) ? verdicts[abstention] : undefined;
};

/** Why nothing is planned over tools, in a few words; undefined if something is. */
export const describeStop = (svc: Svc): string | undefined => readVerdict(svc)?.words;

/** Whether the model marks the first step as a guess, however likely it is by itself. */
export const isGuess = (svc: Svc): boolean => svc.brain_signal?.abstention === "unsure";

/** What stands above the plan if its steps do not speak for themselves: there is none, or the first is a guess. */
export function describeVerdict(svc: Svc, toolNames: readonly string[]): string | undefined {
  if (readSteps(svc, toolNames).length === 0) return describeStop(svc) ?? "No step is needed";
  return describeStop(svc) ?? (isGuess(svc) ? "Unsure of the first step" : undefined);
}

/** The tool that the model recommends; undefined if it recommends none, or marks it as a guess. */
export function readChosenTool(svc: Svc, toolNames: readonly string[]): string | undefined {
  if (isGuess(svc)) return undefined;
  const chosen = svc.brain_signal?.action_type;
  return toolNames.find((name) => name === chosen);
}

/** What becomes of the plan. `left-out`: the LLM has one job for every message, and no tools. */
export type PlanUse = PlanSwitch | "left-out";

export const readPlanUse = (plan: PlanSwitch, messages: readonly WireMessage[], tools: number): PlanUse => {
  const instructions = messages.filter(({ role }) => role === "system").map(({ content }) => content);
  return plan === "on" && tools === 0 && givesStandingJob(instructions.join("\n")) ? "left-out" : plan;
};

/** Why the LLM does not get the plan, whatever the plan is. */
const kept: Readonly<Partial<Record<PlanUse, string>>> = {
  off: "Kept from the LLM: this side answers without it.",
  "left-out":
    "Kept from the LLM: the system message gives it one job for every message, so a plan made from the message would mislead.",
};

/** Whether the LLM gets the plan, and if not, why. */
export function describeTelling(svc: Svc, plan: PlanUse, toolNames: readonly string[]): string {
  const steps = readSteps(svc, toolNames);
  const reason = kept[plan];
  if (reason !== undefined) return reason;
  const verdict = readVerdict(svc);
  if (verdict !== undefined) return verdict.why;
  const next = svc.brain_signal?.action_type ?? "none";
  if (steps.length === 0 || (idleActions.has(next) && !toolNames.includes(next)))
    return "The LLM is told nothing and answers by itself.";
  const certainty = Math.min(svc.brain_signal?.confidence ?? 0, svc.overall_confidence ?? 0);
  const doubtful = steps.some(({ confidence }, index) => index > 0 && confidence === "Low");
  if (certainty >= minPlanConfidence && !isGuess(svc))
    return `Told to the LLM after your message${doubtful ? ", without the steps of low confidence" : ""}.`;
  const likely = svc.brain_signal?.likely_tools ?? [];
  if (likely.length > 0)
    return `Too unsure to tell the LLM what to do. It is told which tools are likely: ${likely.join(", ")}.`;
  if (certainty >= minPlanConfidence)
    return `The world model's two readers disagree on it. The LLM is told ${steps.length === 1 ? "nothing" : "later steps alone, if both are sure of one"}.`;
  return "Too unsure to tell the LLM: below 50% a hint costs more than it helps.";
}

/**
 * What the LLM reads of the plan, in the edge's own words; undefined if it reads nothing. A plan without tools whose first step is doubted
 * counts as nothing: the answer does not say which later steps are doubted too.
 */
export function readTold(svc: Svc, toolNames: readonly string[], plan: PlanUse): string | undefined {
  const { action_type: actionType, confidence, abstention, likely_tools: likely } = svc.brain_signal ?? {};
  if (plan !== "on" || actionType === undefined || confidence === undefined) return undefined;
  if (abstention === "unsure" && toolNames.length === 0) return undefined;
  const steps = (svc.action_sequence ?? []).map((actionName, index) => ({
    actionName,
    probability: index === 0 ? (svc.overall_confidence ?? 0) : 0,
    confidence: (svc.confidence_labels?.[index] ?? "Low") as ConfidenceLabel,
    ...unread.step,
  }));
  const brainSignal = {
    actionType,
    confidence,
    ...(abstention !== undefined && { abstention: abstention as Abstention }),
    ...(likely !== undefined && { likelyTools: likely }),
    ...unread.signal,
  };
  return writePlanBlock({ steps, brainSignal, ...unread.plan }, toolNames);
}

/** Fields of a plan that its text does not depend on. */
const unread = {
  step: { actionId: 0, category: "system", stateChange: 0 },
  signal: { planAhead: [], simulationConfirmed: false, goalProximity: 0 },
  plan: { overallConfidence: 0, goalReached: 0, tokens: 0, timings: { queueMs: 0, modelMs: 0 } },
} satisfies { step: Partial<PlannedStep>; signal: Partial<BrainSignal>; plan: Partial<PlanResponse> };

/** One sentence for a screen reader, said when the plan arrives. */
export function announcePlan(svc: Svc, toolNames: readonly string[]): string {
  const stop = describeStop(svc);
  if (stop !== undefined) return `Plan: ${stop[0]!.toLowerCase()}${stop.slice(1)}.`;
  const steps = readSteps(svc, toolNames);
  if (steps.length === 0) return "Plan: no step needed.";
  const names = steps.map(({ action }) => readable(action)).join(", then ");
  const sureness = isGuess(svc) ? "Unsure of the first step" : `Confidence ${steps[0]!.confidence}`;
  return `Plan of ${steps.length} ${steps.length === 1 ? "step" : "steps"}: ${names}. ${sureness}.`;
}
