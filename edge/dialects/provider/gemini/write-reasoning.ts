/** A caller's reasoning effort or budget as `thinkingConfig` (ai.google.dev/gemini-api/docs/thinking). */
import type { ChatRequest } from "../../../../shared/chat.ts";
import type { Omissions } from "../../omissions.ts";
import type { ModelQuirks, ThinkingLevel } from "./model-quirks.ts";

type Effort = NonNullable<NonNullable<ChatRequest["reasoning"]>["effort"]>;
type Thinking = Exclude<Effort, "none">;

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

/** Undefined if the caller did not ask: then the model's default applies. */
export function encodeReasoning(
  reasoning: ChatRequest["reasoning"],
  quirks: ModelQuirks,
  maxOutputTokens: number | undefined,
  omissions: Omissions,
): Record<string, unknown> | undefined {
  if (reasoning === undefined || (reasoning.effort === undefined && reasoning.budgetTokens === undefined)) {
    return undefined;
  }
  const { effort, budgetTokens } = reasoning;
  const off = effort === "none" || (effort === undefined && budgetTokens === 0);
  if (quirks.thinking === "unsupported") {
    if (!off) omissions.add("reasoning");
    return undefined;
  }
  if (off) return turnOff(quirks, omissions);
  if (quirks.thinking === "budget" || effort === undefined) {
    const asked = budgetTokens ?? budgetByEffort[effort ?? "medium"];
    const wanted = fitBudget(asked, budgetTokens !== undefined, maxOutputTokens);
    const { min, max } = quirks.thinking === "budget" ? quirks.budget : { min: 1, max: Math.max(wanted, 1) };
    // The model's minimum does not fit below the output limit: thinking is turned off, if the model allows that.
    const tooSmall = min >= (maxOutputTokens ?? Number.POSITIVE_INFINITY) && quirks.budget.off;
    const thinkingBudget = tooSmall ? 0 : Math.min(Math.max(wanted, min), max);
    if (budgetTokens !== undefined && thinkingBudget !== budgetTokens) omissions.add("reasoning");
    return { includeThoughts: true, thinkingBudget };
  }
  return { includeThoughts: true, thinkingLevel: nearestLevel(effort ?? "medium", quirks.levels) };
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
