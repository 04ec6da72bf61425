/** What a route hands to the pipeline: a chat request in the hub's words, and who asks. */
import type { ChatRequest } from "../../shared/chat.ts";
import type { Account } from "../db/api-keys.ts";
import type { ProviderKeys } from "../providers/registry.ts";

export type ChatInput = {
  request: ChatRequest;
  /** As the caller wrote it: `svc-x1ac-{size}-{llm}`. */
  modelName: string;
  /** More such names, for when that model's provider fails. */
  fallbacks: readonly string[];
  options: { planBlock: boolean; maxLlmCalls: number };
  account: Account;
  inlineKeys: ProviderKeys;
  requestId: string;
  /** What this request reserves under: ours, and new for each run. */
  holdId: string;
  /** Aborted when the client leaves. */
  clientSignal: AbortSignal;
};
