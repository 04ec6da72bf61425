/**
 * The plan as the LLM reads it: one short text after the caller's last content. The edge writes it, and the offline responder
 * reads it back. Of the caller's words it holds only the names of tools. This file also decides when a plan is worth showing at all.
 */
import type { PlanResponse } from "./planning.ts";

/** Calibrated probability of the first step below which the LLM does not get the steps: a wrong hint costs more than none. */
export const minPlanConfidence = 0.5;

/**
 * The same for a text that begins with a later step, because the first one is doubted. On 260 authored requests outside the training data
 * this adds 59 steps, 46 of them right; 0.5 would add 79, 56 of them right.
 */
const minLaterConfidence = 0.75;

/** Longest block, in UTF-8 bytes, for which a hold reserves credit. A longer block is left out. */
export const maxPlanBlockBytes = 768;

/**
 * Actions that mean "nothing is left to do", or nothing at all. `finish_task` is among them: it ticks off an entry of a list, but
 * an LLM reads it as the instruction to stop.
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

/** The block's content: action names in order, the recommended tool, and the tools of which one is probably next. */
export type PlanBlock = { actions: string[]; tool?: string; likelyTools: string[] };

/** The planned actions up to the first idle one. */
export function listActions({ steps }: Pick<PlanResponse, "steps">): string[] {
  const names = steps.map(({ actionName }) => actionName);
  const idle = names.findIndex((name) => idleActions.has(name));
  return idle === -1 ? names : names.slice(0, idle);
}

/** The same for a plan over tools: a tool of the caller's counts even if it has an idle action's name. */
function listSteps({ steps, brainSignal }: PlanResponse, toolNames: readonly string[]): string[] {
  const { abstention, actionType } = brainSignal;
  if (abstention !== undefined && abstention !== "unsure") return [];
  if (toolNames.includes(actionType)) return steps.map(({ actionName }) => actionName);
  return idleActions.has(actionType) ? [] : listActions({ steps });
}

/** Whether the first step is likely enough to be suggested, and the model does not call it a guess. */
export const isSureOfFirst = ({ brainSignal, steps }: PlanResponse): boolean =>
  brainSignal.abstention === undefined &&
  Math.min(brainSignal.confidence, steps[0]?.probability ?? 0) >= minPlanConfidence;

/**
 * The actions that the LLM is told. Steps that are doubted or of low confidence are left out. After such a gap the list goes on only with a
 * step of high confidence, and begins only with one of `minLaterConfidence`. A less likely step ends the list. It is not skipped: else the
 * LLM would be told "delete_file" alone where the files are to be moved first. None are told if the first step is unlikely without being
 * doubted. On 260 authored requests outside the training data, going on after a gap adds 25 steps, 19 of them right.
 */
function likelyActions(plan: PlanResponse, actions: readonly string[]): string[] {
  if (!isSureOfFirst(plan) && !plan.steps[0]?.isDoubted) return [];
  const told: string[] = [];
  let isBehindGap = false;
  for (const [at, action] of actions.entries()) {
    const { confidence, isDoubted, probability } = plan.steps[at]!;
    const isLeftOut = isDoubted || confidence === "Low";
    const isLikely = told.length > 0 ? confidence === "High" : probability >= minLaterConfidence;
    if (!isLeftOut && isBehindGap && !isLikely) break;
    if (!isLeftOut) told.push(action);
    isBehindGap = isLeftOut;
  }
  return told;
}

/**
 * The text of a plan: the steps that are likely enough, then the likely tools, which the checkpoint's tunables select. Undefined if there
 * is nothing to suggest. `toolNames`: the tools that were planned over. `toSent`: the name under which the LLM is given a tool.
 */
export function writePlanBlock(
  plan: PlanResponse,
  toolNames: readonly string[],
  toSent: (name: string) => string = (name) => name,
): string | undefined {
  const { actionType, likelyTools = [] } = plan.brainSignal;
  const actions = listSteps(plan, toolNames);
  if (actions.length === 0) return undefined;
  const told = likelyActions(plan, actions);
  const isSure = told.length > 0;
  const steps = told.map((action, index) => `${index + 1}. ${toSent(action)}`);
  if (isSure && toolNames.includes(actionType)) steps.push(`${toolLine}${toSent(actionType)}`);
  const likely = likelyTools.filter((name) => toolNames.includes(name));
  // A list of one tool only repeats the recommendation.
  const listed = isSure && likely.length === 1 ? [] : likely;
  const lines = listed.length > 0 ? [...steps, likelyLine + listed.map(toSent).join(", ")] : steps;
  if (lines.length === 0) return undefined;
  const block = [isSure ? headings.steps : headings.tools, ...lines].join("\n");
  return new TextEncoder().encode(block).length <= maxPlanBlockBytes ? block : undefined;
}

/** Reads the plan from a text that is a block; undefined for any other text. */
export function readPlanBlock(text: string): PlanBlock | undefined {
  if (!text.startsWith(mark)) return undefined;
  const lines = text.split("\n").slice(1);
  const actions = lines.flatMap((line) => /^\d+\. (\S+)$/.exec(line)?.[1] ?? []);
  const after = (start: string) => lines.find((line) => line.startsWith(start))?.slice(start.length);
  const tool = after(toolLine);
  return { actions, ...(tool !== undefined && { tool }), likelyTools: after(likelyLine)?.split(", ") ?? [] };
}
