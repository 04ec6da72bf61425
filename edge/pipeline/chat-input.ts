/** What a route hands to the pipeline: a chat request in the hub's form, and who asks. */
import type { ChatRequest } from "../../shared/chat.ts";
import type { Account } from "../db/api-keys.ts";
import type { ProviderKeys } from "../providers/resolve-route.ts";

/** Whether the caller was read from the database for this request, or is remembered from an earlier one. */
export type Admission = {
  /** For a remembered caller: the values that must be unchanged in the database when the hold is taken. Else undefined. */
  readonly snapshot: string | undefined;
  /** Whether planning may begin before the hold is granted: not if the key's last hold is too long ago, or one was refused lately. */
  readonly mayPlanAhead: boolean;
  /** To be called when the hold was granted, which confirms the remembered account. */
  grant(): void;
  /** To be called when it was not. */
  refuse(): void;
};

export type ChatInput = {
  request: ChatRequest;
  /** As the caller wrote it: `svc-x1ac-{size}-{llm}`. */
  modelName: string;
  /** Models to try next, in order, each when the provider of the one before it fails. */
  fallbacks: readonly string[];
  options: { planBlock: boolean; maxLlmCalls: number };
  account: Account;
  admission: Admission;
  inlineKeys: ProviderKeys;
  requestId: string;
  /** The same object for all the memory that this request claims (admission/memory-budget.ts). */
  claimant: object;
  /** Id of the hold: made by us, new for each run of a request. */
  holdId: string;
  /** The answer's id is this prefix (`chatcmpl-`), followed by the hold's id. */
  answerIdPrefix: string;
  /** Aborted when the client leaves. */
  clientSignal: AbortSignal;
};
