/** A caller's reasoning effort or budget as `thinkingConfig` (ai.google.dev/gemini-api/docs/thinking). */
import type { ChatRequest } from "../../../../shared/chat.ts";
import { readWantedThinking, type Thinking, type WantedThinking } from "../../efforts.ts";
import type { Omissions } from "../omissions.ts";
import type { ModelQuirks, ThinkingLevel } from "./model-quirks.ts";

/** Thinking tokens for a caller's effort, if the model takes a budget. */
const budgetByEffort: Record<Thinking, number> = {
  minimal: 512,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
};

const levelOrder: readonly ThinkingLevel[] = ["minimal", "low", "medium", "high"];

/** Thoughts count as output: with an effort, at most this share of the output limit goes to them. */
const effortShare = 0.75;

/** The largest budget below an output limit: all but one token for an exact budget, `effortShare` for an effort. */
function fitBudget(wanted: number, exact: boolean, maxOutputTokens: number | undefined): number {
  if (maxOutputTokens === undefined) return wanted;
  const limit = exact ? maxOutputTokens - 1 : Math.floor(maxOutputTokens * effortShare);
  return Math.min(wanted, Math.max(limit, 0));
}

export function writeReasoning(
  reasoning: ChatRequest["reasoning"],
  quirks: ModelQuirks,
  maxOutputTokens: number | undefined,
  omissions: Omissions,
): Record<string, unknown> | undefined {
  const wanted = readWantedThinking(reasoning);
  if (wanted === undefined) return undefined;
  if (quirks.thinking === "unsupported") {
    if (wanted !== "off") omissions.add("reasoning");
    return undefined;
  }
  if (wanted === "off") return turnOff(quirks, omissions);
  return quirks.thinking === "budget" || wanted.effort === undefined
    ? writeBudget(wanted, quirks, maxOutputTokens, omissions)
    : { includeThoughts: true, thinkingLevel: nearestLevel(wanted.effort, quirks.levels) };
}

function writeBudget(
  { effort, budgetTokens }: WantedThinking,
  quirks: ModelQuirks,
  maxOutputTokens: number | undefined,
  omissions: Omissions,
) {
  const asked = budgetTokens ?? budgetByEffort[effort];
  const fitted = fitBudget(asked, budgetTokens !== undefined, maxOutputTokens);
  const { min, max } = quirks.thinking === "budget" ? quirks.budget : { min: 1, max: Math.max(fitted, 1) };
  // The model's minimum does not fit below the output limit: thinking is turned off, if the model allows that.
  const tooSmall = min >= (maxOutputTokens ?? Number.POSITIVE_INFINITY) && quirks.budget.off;
  const thinkingBudget = tooSmall ? 0 : Math.min(Math.max(fitted, min), max);
  if (budgetTokens !== undefined && thinkingBudget !== budgetTokens) omissions.add("reasoning");
  return { includeThoughts: true, thinkingBudget };
}

/** If thinking cannot be turned off, the least is asked for, and `reasoning` is named as left out. */
function turnOff(quirks: ModelQuirks, omissions: Omissions): Record<string, unknown> {
  if (quirks.thinking === "budget" && quirks.budget.off) return { thinkingBudget: 0 };
  omissions.add("reasoning");
  return quirks.thinking === "budget"
    ? { thinkingBudget: quirks.budget.min }
    : { thinkingLevel: quirks.levels[0] ?? "low" };
}

function nearestLevel(effort: Thinking, levels: readonly ThinkingLevel[]): ThinkingLevel {
  const wanted = effort === "xhigh" || effort === "max" ? "high" : effort;
  return levels.find((level) => levelOrder.indexOf(level) >= levelOrder.indexOf(wanted)) ?? "high";
}
