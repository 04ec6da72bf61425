/**
 * The plan as the LLM reads it: one short system block after the caller's own system text. Written by
 * the edge, read back by the offline responder; the caller's words are never in it.
 */
import type { PlanResponse } from "./planning.ts";

const heading =
  "[svc plan] A world model suggests these next steps toward the goal. Use them where they help.";
const toolLine = "Recommended tool: ";

/** What the block says: action names in order, and the tool to prefer where the caller has tools. */
export type PlanBlock = { actions: string[]; tool?: string };

/** The block of a plan; undefined when there is nothing to suggest. */
export function writePlanBlock(plan: PlanResponse, toolNames: readonly string[]): string | undefined {
  const lines = plan.steps.map((step, index) => `${index + 1}. ${step.actionName}`);
  const tool = plan.brainSignal.actionType;
  if (toolNames.includes(tool)) lines.push(`${toolLine}${tool}`);
  return lines.length === 0 ? undefined : [heading, ...lines].join("\n");
}

/** Reads a block back out of a system text; undefined when the text is not a plan block. */
export function readPlanBlock(text: string): PlanBlock | undefined {
  if (!text.startsWith("[svc plan]")) return undefined;
  const lines = text.split("\n").slice(1);
  const actions = lines.flatMap((line) => /^\d+\. (\S+)$/.exec(line)?.[1] ?? []);
  const tool = lines.find((line) => line.startsWith(toolLine))?.slice(toolLine.length);
  return { actions, ...(tool !== undefined && { tool }) };
}
