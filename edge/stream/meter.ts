/**
 * What an answer has used so far, read from its events as they pass: the provider's own figures, and our
 * count of what was written, for when it reports none (a client that left, a stream that broke).
 */
import type { ChatEvent, FinishReason, Usage } from "../../shared/chat.ts";

export type Meter = {
  observe(events: readonly ChatEvent[]): void;
  /** The provider's latest report, summed over the calls merged into this answer. */
  reported(): Usage | undefined;
  /** Output tokens by our count; never less than the number of deltas that carried text. */
  countedOutput(): number;
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
  return event.type === "tool-call-start" ? event.name : "";
};

/** A meter for one answer. Later usage reports replace earlier ones: they are cumulative. */
export function createMeter(): Meter {
  let usage: Usage | undefined;
  let output = 0;
  let finish: FinishReason | undefined;
  let failure: Extract<ChatEvent, { type: "error" }> | undefined;
  return {
    observe(events) {
      for (const event of events) {
        if (event.type === "usage") usage = event.usage;
        else if (event.type === "finish") finish ??= event.reason;
        else if (event.type === "error") failure ??= event;
        else output += countTokens(written(event));
      }
    },
    reported: () => usage,
    countedOutput: () => output,
    finishReason: () => finish,
    error: () => failure,
  };
}

/** The sum of two reports: an answer made of several calls (n > 1, the agent loop). */
export function addUsage(left: Usage, right: Usage): Usage {
  const sum = (key: "cacheWriteLong" | "audioInput" | "audioOutput" | "costUsd") => {
    const total = (left[key] ?? 0) + (right[key] ?? 0);
    return left[key] === undefined && right[key] === undefined ? {} : { [key]: total };
  };
  return {
    input: left.input + right.input,
    output: left.output + right.output,
    total: left.total + right.total,
    cachedInput: left.cachedInput + right.cachedInput,
    cacheWrite: left.cacheWrite + right.cacheWrite,
    reasoning: left.reasoning + right.reasoning,
    ...sum("cacheWriteLong"),
    ...sum("audioInput"),
    ...sum("audioOutput"),
    ...sum("costUsd"),
  };
}
