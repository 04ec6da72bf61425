/**
 * Gemini's token counts in the hub's terms. `candidatesTokenCount` leaves out thoughts, and
 * `promptTokenCount` the tokens of tool results; cached tokens are inside the prompt
 * (ai.google.dev/api/generate-content#UsageMetadata).
 */
import type { Usage } from "../../../shared/chat.ts";
import type { UsageMetadata } from "./wire.ts";

/** Undefined where the object holds no counts (Vertex sends the traffic type alone). */
export function readUsage(wire: UsageMetadata): Usage | undefined {
  const { promptTokenCount, candidatesTokenCount, totalTokenCount, thoughtsTokenCount } = wire;
  const counts = [promptTokenCount, candidatesTokenCount, totalTokenCount, thoughtsTokenCount];
  if (counts.every((count) => typeof count !== "number")) return undefined;
  const input = (promptTokenCount ?? 0) + (wire.toolUsePromptTokenCount ?? 0);
  const reasoning = thoughtsTokenCount ?? 0;
  const output = (candidatesTokenCount ?? 0) + reasoning;
  const audioInput = audioTokens(wire.promptTokensDetails);
  const audioOutput = audioTokens(wire.candidatesTokensDetails);
  return {
    input,
    output,
    total: totalTokenCount ?? input + output,
    cachedInput: wire.cachedContentTokenCount ?? 0,
    cacheWrite: 0,
    reasoning,
    ...(audioInput === undefined ? {} : { audioInput }),
    ...(audioOutput === undefined ? {} : { audioOutput }),
    raw: wire,
  };
}

function audioTokens(details: UsageMetadata["promptTokensDetails"]): number | undefined {
  return details?.find(({ modality }) => modality === "AUDIO")?.tokenCount ?? undefined;
}
