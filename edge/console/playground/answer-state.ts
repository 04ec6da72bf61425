/** All that is known of one answer while it streams and after. */
import type { Svc } from "../api/chat-wire.ts";
import { AnswerText } from "./answer-text.ts";
import type { WireToolCall } from "./draft.ts";

export type Usage = {
  promptTokens?: number;
  completionTokens?: number;
  planningTokens?: number;
  cost?: number;
};

export type AnswerState = {
  phase: "waiting" | "streaming" | "done" | "stopped" | "failed";
  text: AnswerText;
  reasoning: AnswerText;
  /** Kinds of text that have begun: the page leaves room for these only. */
  hasText: boolean;
  hasReasoning: boolean;
  svc?: Svc;
  toolCalls: readonly WireToolCall[];
  usage?: Usage;
  finishReason?: string;
  error?: string;
  requestId?: string;
  /** The gateway's list of request fields that the provider has no equal for. */
  unsupported?: string;
  /** Milliseconds since the request was sent. */
  planMs?: number;
  firstByteMs?: number;
  totalMs?: number;
};

/** Nothing has come yet. */
export const waitingAnswer = (): AnswerState => ({
  phase: "waiting",
  text: new AnswerText(),
  reasoning: new AnswerText(),
  hasText: false,
  hasReasoning: false,
  toolCalls: [],
});
