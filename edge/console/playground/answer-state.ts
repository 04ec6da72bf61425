/** All that is known of one answer while it streams and after. */
import type { Svc } from "../api/chat-wire.ts";
import { AnswerText } from "./answer-text.ts";
import type { WireToolCall } from "./draft.ts";

export type Usage = {
  promptTokens?: number;
  completionTokens?: number;
  cost?: number;
};

export type AnswerState = {
  phase: "waiting" | "streaming" | "done" | "stopped" | "failed";
  text: AnswerText;
  reasoning: AnswerText;
  /** Whether text of this kind has begun: the page reserves room only then. */
  hasText: boolean;
  hasReasoning: boolean;
  svc?: Svc;
  toolCalls: readonly WireToolCall[];
  usage?: Usage;
  finishReason?: string;
  error?: string;
  /** The HTTP status of a refusal. */
  status?: number;
  requestId?: string;
  /** `x-svc-unsupported`: request fields that the provider does not support. */
  unsupported?: string;
  /** Milliseconds since the request was sent. */
  planMs?: number;
  firstByteMs?: number;
  totalMs?: number;
};

/** An answer of which nothing has arrived. */
export const waitingAnswer = (): AnswerState => ({
  phase: "waiting",
  text: new AnswerText(),
  reasoning: new AnswerText(),
  hasText: false,
  hasReasoning: false,
  toolCalls: [],
});
