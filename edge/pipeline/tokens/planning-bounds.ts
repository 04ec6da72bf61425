/**
 * Upper bounds of the tokens that the world model reads, for the hold. Pure. No tokenizer of ours makes more tokens than UTF-8 bytes.
 */
import type { PlanRequest } from "../../../shared/planning.ts";
import { byteLength } from "./token-bounds.ts";

/** Most tokens of one plan. */
export function boundPlanningTokens(plan: PlanRequest): number {
  const texts = [
    plan.goal,
    plan.state,
    ...plan.history.flatMap(({ action, observation }) => [action, observation]),
    ...plan.turns.map(({ text }) => text),
    ...plan.tools.flatMap(({ name, description }) => [name, description]),
  ];
  return boundTextTokens(texts);
}

/** Most tokens of plain texts: two special tokens are added for each window of at least a hundred bytes. */
export function boundTextTokens(texts: readonly string[]): number {
  return texts.reduce((bound, text) => {
    const bytes = byteLength(text);
    return bound + bytes + 4 + Math.ceil(bytes / 100) * 2;
  }, 0);
}
