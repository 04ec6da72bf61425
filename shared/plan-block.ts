/**
 * The plan as the LLM reads it: one short text after the caller's last content. Written by the edge, read back
 * by the offline responder; the caller's words are never in it. Owns when a plan is worth saying at all.
 */
import type { PlanResponse } from "./planning.ts";

/** Calibrated probability below which a plan is kept from the LLM: a wrong hint costs more than none. */
export const minPlanConfidence = 0.5;

/** Longest block, in UTF-8 bytes: what a hold sets aside for it. A longer one is left out. */
export const maxPlanBlockBytes = 768;

/**
 * Actions that mean "nothing is left to do" or nothing at all. `finish_task` is among them: it ticks off an entry of a list, but an LLM
 * reads it as the instruction to stop.
 */
export const idleActions: ReadonlySet<string> = new Set([
  "end",
  "none",
  "pad",
  "unk",
  "start",
  "finish_task",
]);

const mark = "[svc plan]";
const headings = {
  steps: `${mark} A world model suggests these next steps toward the goal. Use them where they help.`,
  tools: `${mark} A world model is not sure of the next step.`,
};
const toolLine = "Recommended tool: ";
const likelyLine = "Likely tools, if another is needed: ";

/** What the block says: action names in order, the tool to prefer, and those of which one is likely next. */
export type PlanBlock = { actions: string[]; tool?: string; likelyTools: string[] };

/** The planned actions up to the first that does nothing: what is left to do. */
export function listActions({ steps }: Pick<PlanResponse, "steps">): string[] {
  const names = steps.map(({ actionName }) => actionName);
  const idle = names.findIndex((name) => idleActions.has(name));
  return idle === -1 ? names : names.slice(0, idle);
}

/** What is left to do with the caller's tools, any of which may have the name of an idle action. */
function listSteps({ steps, brainSignal }: PlanResponse, toolNames: readonly string[]): string[] {
  const { abstention, actionType } = brainSignal;
  if (abstention !== undefined && abstention !== "unsure") return [];
  if (toolNames.includes(actionType)) return steps.map(({ actionName }) => actionName);
  return idleActions.has(actionType) ? [] : listActions({ steps });
}

/**
 * The text of a plan. Its steps, if the first is at least `minPlanConfidence`, up to the first step of low confidence: in 476 plans for
 * sessions with tools, later steps before that one were right in .72, that one and those after it in .37. Then the likely tools, which
 * the checkpoint's tunables select. Undefined if there is nothing to suggest. `toolNames`: the tools that were planned over.
 */
export function writePlanBlock(plan: PlanResponse, toolNames: readonly string[]): string | undefined {
  const { actionType, confidence, likelyTools = [] } = plan.brainSignal;
  const actions = listSteps(plan, toolNames);
  if (actions.length === 0) return undefined;
  const isSure = Math.min(confidence, plan.steps[0]?.probability ?? 0) >= minPlanConfidence;
  const low = plan.steps.findIndex(({ confidence }, at) => at > 0 && confidence === "Low");
  const sure = low === -1 ? actions : actions.slice(0, low);
  const steps = isSure ? sure.map((action, index) => `${index + 1}. ${action}`) : [];
  if (isSure && toolNames.includes(actionType)) steps.push(`${toolLine}${actionType}`);
  const likely = likelyTools.filter((name) => toolNames.includes(name));
  // A list of one tool only repeats the recommendation.
  const told = isSure && likely.length === 1 ? [] : likely;
  const lines = told.length > 0 ? [...steps, likelyLine + told.join(", ")] : steps;
  if (lines.length === 0) return undefined;
  const block = [isSure ? headings.steps : headings.tools, ...lines].join("\n");
  return new TextEncoder().encode(block).length <= maxPlanBlockBytes ? block : undefined;
}

/** Reads a block back out of a text that is one; undefined for any other. */
export function readPlanBlock(text: string): PlanBlock | undefined {
  if (!text.startsWith(mark)) return undefined;
  const lines = text.split("\n").slice(1);
  const actions = lines.flatMap((line) => /^\d+\. (\S+)$/.exec(line)?.[1] ?? []);
  const after = (start: string) => lines.find((line) => line.startsWith(start))?.slice(start.length);
  const tool = after(toolLine);
  return { actions, ...(tool !== undefined && { tool }), likelyTools: after(likelyLine)?.split(", ") ?? [] };
}
