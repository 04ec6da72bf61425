/** Gemini's log probabilities in the shape the hub's callers know (OpenAI's `logprobs.content`). */
import { z } from "zod";
import type { ProviderData } from "../../../shared/chat.ts";

const Token = z.looseObject({ token: z.string().nullish(), logProbability: z.number().nullish() });
type Token = z.infer<typeof Token>;

const LogprobsResult = z.looseObject({
  chosenCandidates: z.array(Token),
  topCandidates: z.array(z.looseObject({ candidates: z.array(Token).nullish() })).nullish(),
});

/** Undefined where there are none. */
export function readLogprobs(value: unknown): ProviderData | undefined {
  // Asked of every chunk, and a failed parse is dear.
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
