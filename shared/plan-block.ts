/**
 * The plan as the LLM reads it: one short text after the caller's last content. Written by the edge, read back
 * by the offline responder; the caller's words are never in it. Owns when a plan is worth saying at all.
 */
import type { PlanResponse } from "./planning.ts";

/** Calibrated probability below which a plan is kept from the LLM: a wrong hint costs more than none. */
export const leastPlanConfidence = 0.5;

/** Longest block, in UTF-8 bytes: what a hold sets aside for it. A longer one is left out. */
export const mostPlanBlockBytes = 768;

/** Names by which the world model says that nothing is left to do, or nothing at all. */
export const idleActions: ReadonlySet<string> = new Set(["end", "none", "pad", "unk", "start"]);

const mark = "[svc plan]";
const heading = `${mark} A world model suggests these next steps toward the goal. Use them where they help.`;
const toolLine = "Recommended tool: ";

/** What the block says: action names in order, and the tool to prefer where the caller has tools. */
export type PlanBlock = { actions: string[]; tool?: string };

/** The planned actions up to the first that does nothing: what is left to do. */
export function listActions({ steps }: Pick<PlanResponse, "steps">): string[] {
  const names = steps.map(({ actionName }) => actionName);
  const idle = names.findIndex((name) => idleActions.has(name));
  return idle === -1 ? names : names.slice(0, idle);
}

/** The block of a plan; undefined where it has nothing to suggest, or is not sure enough of it. */
export function writePlanBlock(plan: PlanResponse, toolNames: readonly string[]): string | undefined {
  const { actionType, confidence } = plan.brainSignal;
  const actions = listActions(plan);
  const certainty = Math.min(confidence, plan.steps[0]?.probability ?? 0);
  if (actions.length === 0 || idleActions.has(actionType) || !(certainty >= leastPlanConfidence))
    return undefined;
  const lines = actions.map((action, index) => `${index + 1}. ${action}`);
  if (toolNames.includes(actionType)) lines.push(`${toolLine}${actionType}`);
  const block = [heading, ...lines].join("\n");
  return new TextEncoder().encode(block).length <= mostPlanBlockBytes ? block : undefined;
}

/** Reads a block back out of a text that is one; undefined for any other. */
export function readPlanBlock(text: string): PlanBlock | undefined {
  if (!text.startsWith(mark)) return undefined;
  const lines = text.split("\n").slice(1);
  const actions = lines.flatMap((line) => /^\d+\. (\S+)$/.exec(line)?.[1] ?? []);
  const tool = lines.find((line) => line.startsWith(toolLine))?.slice(toolLine.length);
  return { actions, ...(tool !== undefined && { tool }) };
}
