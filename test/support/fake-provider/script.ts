/** What a test tells the fake provider to do, and what every wire format must be able to write of it. */
import type { ProviderKind } from "../../../shared/providers.ts";

type FakeUsage = {
  /** Everything read, cached and cache-written tokens included. */
  input: number;
  /** Everything written, reasoning included. */
  output: number;
  cachedInput?: number;
  cacheWrite?: number;
  reasoning?: number;
  /** Dollars, as the aggregator reports them. */
  costUsd?: number;
};

export type FakeToolCall = {
  id?: string;
  name: string;
  arguments: string | Readonly<Record<string, unknown>>;
};

/** An answer before it is written in a provider's wire format. */
export type FakeAnswer = {
  text?: string;
  reasoning?: string;
  toolCalls?: FakeToolCall[];
  usage?: FakeUsage;
  finish?: "stop" | "length" | "tool-calls" | "content-filter";
  model?: string;
  /** The answer's own id at Anthropic and Gemini, where no two answers have the same. */
  responseId?: string;
};

export type FakeScript = FakeAnswer & {
  status?: number;
  headers?: Record<string, string>;
  /** The whole JSON body instead of the answer; with an error status the provider's own error body is the default. */
  json?: unknown;
  /** Raw frames instead of the answer: sent whatever the request asked for. */
  frames?: string[];
  /** How the body is cut into writes: per frame (default), per byte, per so many bytes, or all at once. */
  chunking?: "frame" | "byte" | "whole" | number;
  /** Before the headers. */
  delayMs?: number;
  /** The headers wait for this, too: a promise that the test resolves. */
  until?: Promise<unknown>;
  /** Before each frame but the first. */
  frameDelayMs?: number;
  /** Goes silent after so many frames, keeping the connection open. */
  hangAfter?: number;
  /** With `hangAfter`: the rest is sent when this resolves. */
  goOn?: Promise<unknown>;
  /** Breaks the connection after so many frames. */
  cutAfter?: number;
  /** Told of each frame that has been written. */
  onFrame?: (index: number) => void;
  /** Takes the request and never answers. */
  neverAnswer?: boolean;
};

/** A complete answer, nothing left to default. */
export type FullAnswer = Required<Pick<FakeAnswer, "text" | "reasoning" | "toolCalls" | "model">> & {
  usage: Required<FakeUsage>;
  finish: NonNullable<FakeAnswer["finish"]>;
  responseId?: string | undefined;
};

const defaultText = "The fake provider answers in one short sentence.";

/** Fills in what a script leaves open: a short text, counted usage, the finish that fits. */
export function completeAnswer(answer: FakeAnswer, model: string): FullAnswer {
  const toolCalls = answer.toolCalls ?? [];
  const text = answer.text ?? (toolCalls.length > 0 ? "" : defaultText);
  return {
    text,
    reasoning: answer.reasoning ?? "",
    toolCalls,
    model: answer.model ?? model,
    responseId: answer.responseId,
    finish: answer.finish ?? (toolCalls.length > 0 ? "tool-calls" : "stop"),
    usage: {
      input: 20,
      output: 10,
      cachedInput: 0,
      cacheWrite: 0,
      reasoning: 0,
      costUsd: 0,
      ...answer.usage,
    },
  };
}

/** One provider's way of writing things. */
export type FakeWire = {
  defaultModel: string;
  writeReply(answer: FullAnswer): unknown;
  writeFrames(answer: FullAnswer, options: { includeUsage: boolean }): string[];
  writeError(status: number, message: string): unknown;
  writeModels(): unknown;
  /** Recorded JSON events as this provider's SSE. */
  writeReplay(jsonLines: readonly string[]): string[];
};

export type FakeWires = Readonly<Record<ProviderKind, FakeWire>>;

/** Cuts a text into words, each with the space before it: what the deltas of a stream carry. */
export function cutWords(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

/** Cuts JSON text where no token of JSON would end, as models do. */
export function cutJson(text: string): string[] {
  return text.match(/.{1,7}/gsu) ?? [];
}

export function writeArguments({ arguments: value }: FakeToolCall): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
