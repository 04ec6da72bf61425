/** What a route hands to the pipeline: a chat request in the hub's words, and who asks. */
import type { ChatRequest } from "../../shared/chat.ts";
import type { Account } from "../db/api-keys.ts";
import type { ProviderKeys } from "../providers/registry.ts";

/** Whether the caller was read from the database for this request, or is remembered from an earlier one. */
export type Admission = {
  /** For a remembered caller: the database values that the hold's statement must find unchanged. Else undefined. */
  readonly snapshot: string | undefined;
  /** Whether planning may begin before the hold is granted: not for a caller whose last admission is too long ago, or refused lately. */
  readonly mayPlanAhead: boolean;
  /** The hold was granted: what was prepared counts. */
  grant(): void;
  /** It was not. */
  refuse(): void;
};

export type ChatInput = {
  request: ChatRequest;
  /** As the caller wrote it: `svc-x1ac-{size}-{llm}`. */
  modelName: string;
  /** More such names, for when that model's provider fails. */
  fallbacks: readonly string[];
  options: { planBlock: boolean; maxLlmCalls: number };
  account: Account;
  admission: Admission;
  inlineKeys: ProviderKeys;
  requestId: string;
  /** What this request reserves under: ours, and new for each run. */
  holdId: string;
  /** Of the answer's id, before the hold's: `chatcmpl-`. */
  answerIdPrefix: string;
  /** Aborted when the client leaves. */
  clientSignal: AbortSignal;
};
