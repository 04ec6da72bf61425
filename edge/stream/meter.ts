/**
 * What one provider call has used so far, read from its events as they pass: the provider's own figures, and our
 * count of what was written, for when it reports none (a client that left, a stream that broke).
 */
import type { ChatEvent, FinishReason, Usage } from "../../shared/chat.ts";

export type Meter = {
  observe(events: readonly ChatEvent[]): void;
  /** The provider's latest report. */
  reported(): Usage | undefined;
  /** Output tokens by our count; never less than the number of deltas that carried text. */
  countedOutput(): number;
  /** Of these, what came after the latest report. */
  countedSinceReport(): number;
  /** The provider's own id of the answer. */
  id(): string | undefined;
  finishReason(): FinishReason | undefined;
  error(): Extract<ChatEvent, { type: "error" }> | undefined;
};

/** Rough tokens of a text: four UTF-16 units each, at least one. Only for what no provider reported. */
export const countTokens = (text: string): number =>
  text === "" ? 0 : Math.max(1, Math.ceil(text.length / 4));

const written = (event: ChatEvent): string => {
  if (event.type === "text-delta" || event.type === "reasoning-delta" || event.type === "refusal-delta")
    return event.text;
  if (event.type === "tool-call-delta") return event.arguments;
  if (event.type === "redacted-reasoning") return event.data;
  return event.type === "tool-call-start" ? event.name : "";
};

/** What a picture of an answer counts as where nobody reported it: Gemini's, the most common, are 1,290 tokens. */
const pictureTokens = 1_290;

const countOutput = (event: ChatEvent): number =>
  event.type === "opaque" && event.image !== undefined ? pictureTokens : countTokens(written(event));

/** A meter for one call. Later usage reports replace earlier ones: they are cumulative. */
export function createMeter(): Meter {
  let usage: Usage | undefined;
  let output = 0;
  let sinceReport = 0;
  let id: string | undefined;
  let finish: FinishReason | undefined;
  let failure: Extract<ChatEvent, { type: "error" }> | undefined;
  return {
    observe(events) {
      for (const event of events) {
        if (event.type === "usage") {
          usage = event.usage;
          sinceReport = 0;
        } else if (event.type === "start") id ??= event.id;
        else if (event.type === "finish") finish ??= event.reason;
        else if (event.type === "error") failure ??= event;
        else {
          const tokens = countOutput(event);
          output += tokens;
          sinceReport += tokens;
        }
      }
    },
    reported: () => usage,
    countedOutput: () => output,
    countedSinceReport: () => sinceReport,
    id: () => id,
    finishReason: () => finish,
    error: () => failure,
  };
}

/** Numbers that a report may leave out. */
type OptionalCount = {
  [Key in keyof Usage]-?: Exclude<Usage[Key], undefined> extends number
    ? undefined extends Usage[Key]
      ? Key
      : never
    : never;
}[keyof Usage];
/** A record, so that the compiler asks for a new one: a count that is missing here would be lost where reports are summed. */
const summed: Record<OptionalCount, true> = {
  cacheWriteLong: true,
  audioInput: true,
  audioOutput: true,
  imageOutput: true,
  costUsd: true,
};
const optionalCounts = Object.keys(summed) as OptionalCount[];

/** The sum of two reports: an answer made of several calls (n > 1, the agent loop). */
export function addUsage(left: Usage, right: Usage): Usage {
  const sum: Usage = {
    input: left.input + right.input,
    output: left.output + right.output,
    total: left.total + right.total,
    cachedInput: left.cachedInput + right.cachedInput,
    cacheWrite: left.cacheWrite + right.cacheWrite,
    reasoning: left.reasoning + right.reasoning,
  };
  for (const key of optionalCounts) {
    if (left[key] !== undefined || right[key] !== undefined) sum[key] = (left[key] ?? 0) + (right[key] ?? 0);
  }
  return sum;
}
