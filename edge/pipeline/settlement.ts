/** What is written when a chat request ends, once, and what its caller is told of it. */
import type { Usage } from "../../shared/chat.ts";
import { type Settlement, settle } from "../billing/ledger.ts";
import { credits } from "../billing/price.ts";
import { noteProgress } from "../billing/sweep.ts";
import type { GenerationNotes } from "../db/generation-notes.ts";
import type { SvcMetadata } from "../planning/svc-metadata.ts";
import type { Settled as WatchedSettlement } from "../telemetry/request-watch.ts";
import type { Settled } from "./bill.ts";
import type { ChatInput } from "./chat-input.ts";
import type { Candidate } from "./resolve-terms.ts";
import type { Services } from "./services.ts";

export type Receipt = {
  chargedMicro: number;
  /** What was used, as the caller may read it: on the pool the figures that were billed, and their price to him. */
  usage: Usage | undefined;
  metadata: SvcMetadata;
};

export type End = { outcome: Settlement["outcome"]; reason?: string };

export type Books = {
  /** Writes the one row. */
  close(end: End, settled: Settled, run: Run): Promise<void>;
  /** Leaves word of a request that goes on, and of what it would be charged by now. Never throws. */
  note(chargeMicro: number, candidate: Candidate): Promise<void>;
};

type Run = { candidate: Candidate; planningTokens: number; notes: GenerationNotes };

export function openBooks(input: ChatInput, planningPriceMicro: number, { database, now }: Services): Books {
  const known = ({ route, tab }: Candidate) => ({
    holdId: input.holdId,
    accountId: input.account.accountId,
    requestId: input.requestId,
    model: input.modelName,
    executionLlm: route.model,
    keySource: route.keySource,
    markup: tab.markup,
  });
  return {
    close: (end, { usage, earlier, ...settled }, { candidate, planningTokens, notes }) =>
      settle(database, {
        ...known(candidate),
        ...settled,
        ...end,
        apiKeyId: input.account.keyId,
        provider: candidate.route.provider,
        planningTokens,
        generation: notes,
        ...(usage !== undefined && { usage }),
        prices: {
          planningMicroPerMillion: planningPriceMicro,
          ...(candidate.route.prices !== undefined && { llm: candidate.route.prices }),
          ...(earlier.length > 0 && { earlier }),
        },
        now: now(),
      }),
    note: (chargeMicro, candidate) =>
      noteProgress(database, { ...known(candidate), chargeMicro, now: now() }).catch(() => {}),
  };
}

/** The settlement as the operator's figures have it. */
export const describeSettlement = (
  { outcome }: End,
  { chargeMicro, reportedCostMicro, flag, usage }: Settled,
  { planningTokens, keySource }: { planningTokens: number; keySource: "user" | "pool" },
): WatchedSettlement => ({
  outcome,
  keySource,
  flag,
  charged: credits(chargeMicro),
  reportedCost: reportedCostMicro === undefined ? undefined : credits(reportedCostMicro),
  planningTokens,
  usage,
});

/** `usage.cost` is what this service charged; a provider's own figure stays where the caller pays that provider. */
export function writeCost(
  usage: Usage | undefined,
  chargedMicro: number,
  keySource: "user" | "pool",
): Usage | undefined {
  if (usage === undefined || (keySource === "user" && usage.costUsd !== undefined)) return usage;
  return { ...usage, costUsd: credits(chargedMicro) };
}
