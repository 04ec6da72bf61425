/**
 * What a recording says, read by the provider's documentation and by nothing of ours: the yardstick for
 * what the service makes of it. One small reader per provider; each also writes the same answer as the
 * provider's JSON reply.
 */

export type ExpectedCall = { name: string; arguments: unknown };

export type ExpectedUsage = {
  prompt: number;
  completion: number;
  total: number;
  cached: number;
  reasoning: number;
};

export type ExpectedAnswer = {
  text: string;
  reasoning: string;
  refusal: string;
  calls: ExpectedCall[];
  finish: "stop" | "length" | "tool_calls" | "content_filter";
  /** Undefined where the recording holds no counts. */
  usage: ExpectedUsage | undefined;
  /** The recording ends in a provider's error: its message, which the caller must see. */
  failure: string | undefined;
  /** The answer as the same provider sends it when no stream is asked for. */
  reply: unknown;
};

export type Line = Record<string, unknown>;

/** Narrow reads: what is not there reads as empty. */
export const record = (value: unknown): Line =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Line) : {};
export const list = (value: unknown): Line[] => (Array.isArray(value) ? value.map(record) : []);
export const string = (value: unknown): string => (typeof value === "string" ? value : "");
export const count = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Arguments a model wrote: none at all are an empty object; those cut off by a limit stay text. */
export function parseArguments(text: string): unknown {
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
