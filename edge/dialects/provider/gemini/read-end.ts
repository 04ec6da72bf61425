/** The end of an answer in the hub's form: the finish reason, the token counts and log probabilities. */
import { z } from "zod";
import type { ChatEvent, FinishReason, ProviderData, Usage } from "../../../../shared/chat.ts";
import { createTable } from "../../../../shared/lookup-table.ts";
import type { UsageMetadata } from "./schema.ts";

const finishReasons = createTable<FinishReason>({
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content-filter",
  RECITATION: "content-filter",
  BLOCKLIST: "content-filter",
  PROHIBITED_CONTENT: "content-filter",
  SPII: "content-filter",
  MODEL_ARMOR: "content-filter",
  IMAGE_SAFETY: "content-filter",
  IMAGE_PROHIBITED_CONTENT: "content-filter",
  IMAGE_RECITATION: "content-filter",
  LANGUAGE: "other",
  OTHER: "other",
});

/**
 * Finish reasons of an answer that lacks what the model wrote, or wanted to write. No caller's dialect has a word for them, and an agent
 * takes an answer that ended well for the end of its work. So they become errors (ai.google.dev/api/generate-content, FinishReason).
 */
const failures = createTable<string>({
  MALFORMED_RESPONSE: "The model wrote an answer that cannot be read",
  MISSING_THOUGHT_SIGNATURE: "The model was not given the thought signature of an earlier turn",
  MALFORMED_FUNCTION_CALL: "The model wrote a tool call that cannot be read",
  UNEXPECTED_TOOL_CALL: "The model called a tool where it has none to call",
  TOO_MANY_TOOL_CALLS: "The model called too many tools in a row",
});

/**
 * The error for such a finish reason, and for an empty answer with a reason that no caller's dialect can express (OTHER, NO_IMAGE);
 * undefined for any other. `said`: the provider's own words.
 */
export function readFailure(finishReason: string, said: unknown, empty: boolean): ChatEvent | undefined {
  const unknown = (finishReasons[finishReason] ?? "other") === "other";
  const what = failures[finishReason] ?? (empty && unknown ? "The model answered nothing" : undefined);
  if (what === undefined) return undefined;
  const words = typeof said === "string" && said !== "" ? `: ${said}` : "";
  return { type: "error", code: "upstream_error", message: `${what} (${finishReason})${words}` };
}

/** Gemini reports STOP also for an answer that ends in function calls. */
export function readFinishReason(finishReason: string, calledTools: boolean): FinishReason {
  const reason = finishReasons[finishReason] ?? "other";
  return reason === "stop" && calledTools ? "tool-calls" : reason;
}

/** Undefined if the object holds no counts (Vertex may send only the traffic type). */
export function readUsage(wire: UsageMetadata): Usage | undefined {
  const { promptTokenCount, candidatesTokenCount, totalTokenCount, thoughtsTokenCount } = wire;
  if ((promptTokenCount ?? candidatesTokenCount ?? totalTokenCount ?? thoughtsTokenCount ?? null) === null)
    return undefined;
  const input = (promptTokenCount ?? 0) + (wire.toolUsePromptTokenCount ?? 0);
  const reasoning = thoughtsTokenCount ?? 0;
  // The last chunk may lack its own count of the answer, and have the total nevertheless. Without a count of the prompt the total says
  // nothing of the answer: the prompt's tokens would be charged as output.
  const answers = promptTokenCount == null ? 0 : (totalTokenCount ?? 0) - input - reasoning;
  const answered = candidatesTokenCount ?? Math.max(answers, 0);
  const output = answered + reasoning;
  const usage: Usage = {
    input,
    output,
    total: totalTokenCount ?? input + output,
    cachedInput: wire.cachedContentTokenCount ?? 0,
    cacheWrite: 0,
    reasoning,
  };
  // Every chunk brings counts, so only fields that are present are built.
  const audioInput = audioTokens(wire.promptTokensDetails);
  const audioOutput = audioTokens(wire.candidatesTokensDetails);
  if (audioInput !== undefined) usage.audioInput = audioInput;
  if (audioOutput !== undefined) usage.audioOutput = audioOutput;
  return usage;
}

function audioTokens(details: UsageMetadata["promptTokensDetails"]): number | undefined {
  for (const { modality, tokenCount } of details ?? [])
    if (modality === "AUDIO") return tokenCount ?? undefined;
  return undefined;
}

const Token = z.looseObject({ token: z.string().nullish(), logProbability: z.number().nullish() });
type Token = z.infer<typeof Token>;

const LogprobsResult = z.looseObject({
  chosenCandidates: z.array(Token),
  topCandidates: z.array(z.looseObject({ candidates: z.array(Token).nullish() })).nullish(),
});

/** Undefined if there are no log probabilities. */
export function readLogprobs(value: unknown): ProviderData | undefined {
  // Called for every chunk, and a failed parse is expensive.
  if (value === undefined || value === null) return undefined;
  const parsed = LogprobsResult.safeParse(value);
  if (!parsed.success) return undefined;
  const { chosenCandidates, topCandidates } = parsed.data;
  return {
    content: chosenCandidates.map((chosen, position) => ({
      ...toEntry(chosen),
      top_logprobs: (topCandidates?.[position]?.candidates ?? []).map(toEntry),
    })),
  };
}

function toEntry({ token, logProbability }: Token) {
  const text = token ?? "";
  return { token: text, logprob: logProbability ?? 0, bytes: [...new TextEncoder().encode(text)] };
}
