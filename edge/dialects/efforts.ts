/** How much a caller wants the model to think. Each provider's writer converts it into what its models take. */
import type { ChatRequest } from "../../shared/chat.ts";

type Reasoning = ChatRequest["reasoning"];
export type Effort = NonNullable<NonNullable<Reasoning>["effort"]>;
/** An effort with which the model thinks. */
export type Thinking = Exclude<Effort, "none">;

/** Least first. */
export const efforts = [
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
] as const satisfies readonly Effort[];

/** An effort, a number of tokens, or both. */
export type WantedThinking =
  | { effort: Thinking; budgetTokens?: undefined }
  | { effort?: Thinking; budgetTokens: number };

/** Undefined if the caller did not ask: then the model's default applies. */
export function readWantedThinking({
  effort,
  budgetTokens,
}: NonNullable<Reasoning> = {}): WantedThinking | "off" | undefined {
  if (effort === "none") return "off";
  if (budgetTokens === undefined) return effort && { effort };
  if (effort === undefined) return budgetTokens === 0 ? "off" : { budgetTokens };
  return { effort, budgetTokens };
}
