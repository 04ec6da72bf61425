/**
 * What a recording says, read as the provider documents it and with none of the service's code: the yardstick for
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

/** A tool call's arguments: JSON, or the text itself where a limit has cut it off. */
export function parseOrKeep(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Arguments as a provider sends them: none at all are an empty object. */
export const parseArguments = (text: string): unknown => (text === "" ? {} : parseOrKeep(text));
