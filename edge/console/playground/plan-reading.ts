/** What the plan's numbers mean in words: bands of the interface, and whether the LLM is told. Pure. */
import { changeBands, wordOf } from "../../../shared/bands.ts";
import { idleActions, leastPlanConfidence } from "../../../shared/plan-block.ts";
import type { Svc } from "../api/chat-wire.ts";

export type PlanStep = {
  action: string;
  /** High, Medium or Low. */
  confidence: string;
  change: number;
  changeWord: string;
};

/** The interface's word for a predicted change of state. */
export const describeChange = (change: number): string => wordOf(changeBands, change).toLowerCase();

/** Steps up to the first that does nothing. */
export function readSteps(svc: Svc): PlanStep[] {
  const actions = svc.action_sequence ?? [];
  const idle = actions.findIndex((action) => idleActions.has(action));
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

/** The tool the model recommends; undefined where it recommends none of them. */
export function readChosenTool(svc: Svc, toolNames: readonly string[]): string | undefined {
  const chosen = svc.brain_signal?.action_type;
  return toolNames.find((name) => name === chosen);
}

/** Whether the LLM reads the plan, and if not why. */
export function describeTelling(svc: Svc, plan: "on" | "off"): string {
  const steps = readSteps(svc);
  if (plan === "off") return "Kept from the LLM: this side answers without it.";
  if (steps.length === 0 || idleActions.has(svc.brain_signal?.action_type ?? "none"))
    return "Nothing to tell the LLM: the world model sees no step worth taking, so the answer comes straight from the LLM.";
  const certainty = Math.min(svc.brain_signal?.confidence ?? 0, svc.overall_confidence ?? 0);
  const doubtful = steps.some(({ confidence }, index) => index > 0 && confidence === "Low");
  if (certainty >= leastPlanConfidence)
    return `Told to the LLM after your message${doubtful ? ", up to the first step of low confidence" : ""}.`;
  const likely = svc.brain_signal?.likely_tools ?? [];
  return likely.length > 0
    ? `Too unsure to tell the LLM what to do. It is told which tools are likely: ${likely.join(", ")}.`
    : "Too unsure to tell the LLM: below 50% a hint costs more than it helps.";
}

/** One sentence for a screen reader, said when the plan arrives. */
export function announcePlan(svc: Svc): string {
  const steps = readSteps(svc);
  if (steps.length === 0) return "Plan: no step needed.";
  const names = steps.map(({ action }) => action.replaceAll("_", " ")).join(", then ");
  return `Plan of ${steps.length} ${steps.length === 1 ? "step" : "steps"}: ${names}. Confidence ${steps[0]!.confidence}.`;
}
