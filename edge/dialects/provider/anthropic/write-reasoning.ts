/**
 * How much the model is to think: a caller's effort or budget as `thinking` and `output_config.effort`, within the limits of the
 * model and of the rest of the request (…/docs/en/build-with-claude/thinking).
 */
import type { ChatRequest } from "../../../../shared/chat.ts";
import { readWantedThinking, type Thinking, type WantedThinking } from "../../efforts.ts";
import { present, readObject } from "../../json.ts";
import type { Omissions } from "../omissions.ts";
import type { ModelQuirks } from "./model-quirks.ts";
import type { Turn } from "./write-messages.ts";

export type WrittenReasoning = { thinking?: Record<string, unknown>; effort?: string };

/** Thinking tokens for a caller's effort, if the model takes a budget. */
const budgetByEffort: Record<Thinking, number> = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 65_536,
};
const effortNames: Record<Thinking, string> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};

/** The API's own bound: a budget has at least this many tokens, and fewer than `max_tokens`. */
const minBudgetTokens = 1_024;
/** With an effort, a quarter of `max_tokens` is kept for the answer. */
const effortShare = 0.75;

export type ReasoningSetting = { maxTokens: number; forcesTool: boolean; turns: readonly Turn[] };

export function writeReasoning(
  reasoning: ChatRequest["reasoning"],
  quirks: ModelQuirks,
  setting: ReasoningSetting,
  omissions: Omissions,
): WrittenReasoning {
  const wanted = readWantedThinking(reasoning);
  if (wanted === undefined) return {};
  if (wanted === "off") return turnOff(quirks, omissions);
  const written = thinkingRefused(quirks, setting)
    ? undefined
    : takesBudget(quirks, wanted)
      ? writeBudget(wanted, setting, omissions)
      : writeAdaptive(wanted, quirks, omissions);
  if (written === undefined) omissions.add("reasoning");
  return written ?? {};
}

const offForms: Record<ModelQuirks["thinkingOff"], WrittenReasoning> = {
  omit: {},
  disabled: { thinking: { type: "disabled" } },
  between_tools: { thinking: { type: "between_tools" } },
  never: { effort: "low" },
};

function turnOff(quirks: ModelQuirks, omissions: Omissions): WrittenReasoning {
  if (quirks.thinkingOff === "never") omissions.add("reasoning");
  return offForms[quirks.thinkingOff];
}

function thinkingRefused(quirks: ModelQuirks, { forcesTool }: ReasoningSetting): boolean {
  return quirks.thinking === "unsupported" || (forcesTool && quirks.forcedTool === "without-thinking");
}

const takesBudget = (quirks: ModelQuirks, { budgetTokens }: WantedThinking) =>
  quirks.thinking === "budget" || (quirks.thinking === "budget-or-adaptive" && budgetTokens !== undefined);

function writeBudget(wanted: WantedThinking, setting: ReasoningSetting, omissions: Omissions) {
  const { effort, budgetTokens } = wanted;
  const fits =
    budgetTokens === undefined
      ? Math.min(budgetByEffort[effort], Math.floor(setting.maxTokens * effortShare))
      : Math.min(Math.max(budgetTokens, minBudgetTokens), setting.maxTokens - 1);
  if (fits < minBudgetTokens || !historyThinks(setting.turns)) return undefined;
  if (budgetTokens !== undefined && fits !== budgetTokens) omissions.add("reasoning");
  return { thinking: { type: "enabled", budget_tokens: fits } };
}

/**
 * The forms of a caller's own `thinking` that some models refuse, with those that take it. Any other is the
 * model's to judge.
 */
const takenForms: Readonly<Record<string, (quirks: ModelQuirks) => boolean>> = {
  enabled: ({ thinking }) => thinking === "budget" || thinking === "budget-or-adaptive",
  adaptive: ({ thinking }) => thinking === "adaptive" || thinking === "budget-or-adaptive",
  disabled: ({ thinkingOff }) => thinkingOff === "omit" || thinkingOff === "disabled",
  between_tools: ({ thinkingOff }) => thinkingOff === "between_tools",
};

/**
 * Whether the model takes the form of a caller's own `thinking`. The caller may have written it for another
 * model, which an alias or a list of `models` has led away from.
 */
export const takesThinking = (thinking: unknown, quirks: ModelQuirks): boolean =>
  takenForms[String(readObject(thinking)?.type)]?.(quirks) ?? true;

/** How the caller's own `thinking` is to be shown holds for the form that the model takes, too. */
export function keepDisplay(written: WrittenReasoning, own: unknown): WrittenReasoning {
  const { display } = present({ display: readObject(own)?.display });
  if (written.thinking === undefined || display === undefined) return written;
  return { ...written, thinking: { ...written.thinking, display } };
}

/**
 * Fits a caller's own `thinking` below the output limit, which the pool may have lowered. Turns it off if the API's minimum does
 * not fit.
 */
export function fitThinking(
  thinking: unknown,
  maxTokens: number,
  omissions: Omissions,
): Record<string, unknown> | undefined {
  const given = readObject(thinking);
  const budget = given?.budget_tokens;
  if (typeof budget !== "number" || budget < maxTokens) return given;
  omissions.add("reasoning");
  return maxTokens > minBudgetTokens ? { ...given, budget_tokens: maxTokens - 1 } : undefined;
}

function writeAdaptive(
  { effort, budgetTokens }: WantedThinking,
  quirks: ModelQuirks,
  omissions: Omissions,
): WrittenReasoning {
  // This model has no token budget: the nearest effort is sent, and `reasoning` is named as left out.
  if (effort === undefined) omissions.add("reasoning");
  const wanted = effort ?? nearestEffort(budgetTokens);
  const name = wanted === "xhigh" && !quirks.xhighEffort ? "max" : effortNames[wanted];
  // The newest models show no thinking unless a summary is asked for.
  return { thinking: { type: "adaptive", display: "summarized" }, effort: name };
}

function nearestEffort(budgetTokens: number): Thinking {
  if (budgetTokens < budgetByEffort.medium) return "low";
  return budgetTokens < budgetByEffort.high ? "medium" : "high";
}

/** Whether each turn of a running tool loop began with thinking. With a budget the API refuses a history where one did not. */
function historyThinks(turns: readonly Turn[]): boolean {
  for (const turn of turns.toReversed()) {
    const kinds = turn.content.map((block) => block.type);
    if (turn.role === "user" && !kinds.includes("tool_result")) return true;
    if (turn.role === "assistant" && kinds.includes("tool_use") && !/thinking$/.test(kinds[0] ?? ""))
      return false;
  }
  return true;
}
