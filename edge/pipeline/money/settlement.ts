/**
 * A chat request in the database: its hold, its progress while it runs, one ledger row when it ends. Makes the receipt for its caller.
 */
import type { ProviderData, Usage } from "../../../shared/chat.ts";
import { toCredits } from "../../../shared/credits.ts";
import { GatewayError } from "../../../shared/errors.ts";
import type { KeySource } from "../../../shared/providers.ts";
import { raise, refuseReservation, takeHold } from "../../billing/hold.ts";
import { type Settlement, settle } from "../../billing/ledger.ts";
import { noteProgress } from "../../billing/sweep.ts";
import { DatabaseError } from "../../db/connection.ts";
import type { GenerationNotes } from "../../db/generation-notes.ts";
import { present, readObject } from "../../dialects/json.ts";
import type { SvcMetadata } from "../../planning/svc-metadata.ts";
import type { SettlementRecord } from "../../telemetry/request-record.ts";
import type { ChatInput } from "../chat-input.ts";
import type { Candidate } from "../resolve-terms.ts";
import type { LogEntry, Services } from "../services.ts";
import { boundThinkingApart } from "../tokens/output-bounds.ts";
import { boundInputTokens } from "../tokens/token-bounds.ts";
import { nothingUsed, type Settled } from "./bill.ts";

export type Receipt = {
  chargedMicro: number;
  /** The usage shown to the caller. On the pool these are the charged counts, and their cost at the caller's price. */
  usage: Usage | undefined;
  metadata: SvcMetadata;
};

export type End = { outcome: Settlement["outcome"]; reason?: string };

/** The error of a request that has reached its deadline. */
export const deadlineError = (deadlineMs: number): GatewayError =>
  new GatewayError(
    "upstream_timeout",
    `The request reached the limit of ${deadlineMs / 60_000} minutes; what was written is charged. Choose fewer or shorter answers, or retry.`,
    {},
    "deadline",
  );

/** The ledger's side of one request. */
type RequestLedger = {
  /** Takes the hold for a request to these models. Throws insufficient_credits or DatabaseError. */
  hold(amountMicro: number, candidates: readonly Candidate[]): Promise<void>;
  /** Adds to the hold, for a further model. False without that credit, and (with a line in the log) if the database fails. */
  raiseHold(byMicro: number): Promise<boolean>;
  /** Writes the row, and adds the settlement to the request's record. */
  settle(end: End, settled: Settled, run: Run): Promise<Omit<Receipt, "metadata">>;
  /** Records, for the sweep, that the request still runs and what it would be charged by now. Never throws. */
  noteProgress(chargeMicro: number, candidate: Candidate): Promise<void>;
};

/**
 * What the caller of a refused hold can do besides adding credits. On the caller's own keys only planning is paid for. Where most of the
 * hold is for thinking that no cap limits, or for a prompt that only the model's window bounds, fewer output tokens hardly lower it.
 */
function adviseRefused(candidates: readonly Candidate[]): string[] {
  const pooled = candidates.filter(({ route }) => route.keySource === "pool");
  if (pooled.length === 0) return ["send less text"];
  const thinksMost = pooled.some(
    ({ route, lineItem: { outputCap = 0 } }) => boundThinkingApart(outputCap, route) > outputCap,
  );
  const fillsWindow = pooled.some(
    ({ route, request }) => boundInputTokens(request, route) >= route.contextWindow,
  );
  const advice = fillsWindow ? lowerings.window : thinksMost ? lowerings.thinking : lowerings.output;
  return [advice, "send your own provider key"];
}

const lowerings = {
  window:
    "send less or choose a model that reads less (a PDF, unlike its text, may fill this model's whole context window)",
  thinking:
    "choose a model that does not think (this one may bill thinking in addition to its output tokens)",
  output: "ask for fewer output tokens",
};

type Run = { candidate: Candidate; planningTokens: number; notes: GenerationNotes };

/** `planningPriceMicro`: micro-dollars per 1M planning tokens. */
export function openLedger(input: ChatInput, planningPriceMicro: number, services: Services): RequestLedger {
  const { database, log, now, requestRecord } = services;
  const { account, admission, holdId, requestId } = input;
  const { accountId, keyId: apiKeyId, tokenId } = account;
  const reservationOf = (amountMicro: number) => ({
    holdId,
    accountId,
    apiKeyId,
    tokenId,
    amountMicro,
    now: now(),
  });
  return {
    async hold(amountMicro, candidates) {
      const { snapshot } = admission;
      const reservation = await requestRecord.time("hold", () =>
        takeHold({ ...reservationOf(amountMicro), snapshot }, services),
      );
      if (!reservation.granted) {
        admission.refuse();
        throw refuseReservation(amountMicro, reservation, adviseRefused(candidates));
      }
      admission.grant();
    },
    raiseHold: (byMicro) =>
      requestRecord
        .time("hold", () => raise(database, reservationOf(byMicro)))
        .catch((error: Error) => {
          log(describeUnraised(requestId, error));
          return false;
        }),
    async settle(end, settled, run) {
      const { keySource } = run.candidate.route;
      const { chargeMicro: chargedMicro, usage } = settled;
      const row = { ...buildRow(input, { end, settled, run, planningPriceMicro }), now: now() };
      await requestRecord.time("settle", () => settle(database, row));
      requestRecord.settled = describeSettlement(end, settled, run);
      return { chargedMicro, usage: writeCost(usage, chargedMicro, keySource) };
    },
    noteProgress: (chargeMicro, candidate) =>
      noteProgress(database, { ...describeRequest(input, candidate), chargeMicro, now: now() }).catch(
        () => {},
      ),
  };
}

/** The request, and the model that has answered or is being tried, as both the progress and the ledger row name them. */
const describeRequest = (
  { holdId, account, requestId, modelName }: ChatInput,
  { route, lineItem }: Candidate,
) => ({
  holdId,
  accountId: account.accountId,
  requestId,
  model: modelName,
  executionLlm: route.model,
  keySource: route.keySource,
  markup: lineItem.markup,
});

type Ending = { end: End; settled: Settled; run: Run; planningPriceMicro: number };

/** The ledger row of a request that has ended. */
function buildRow(
  input: ChatInput,
  { end, settled, run: { candidate, planningTokens, notes }, planningPriceMicro }: Ending,
): Omit<Settlement, "now"> {
  const { usage, earlier, ...amounts } = settled;
  const { provider, prices } = candidate.route;
  return {
    ...describeRequest(input, candidate),
    ...amounts,
    ...end,
    apiKeyId: input.account.keyId,
    provider,
    planningTokens,
    // A request that costs nothing shows no plan: else a wrong provider key would be a way to free plans.
    generation: settled === nothingUsed ? { ...notes, actionSequence: [] } : notes,
    ...(usage !== undefined && { usage }),
    prices: {
      planningMicroPerMillion: planningPriceMicro,
      ...(prices !== undefined && { llm: prices }),
      ...(earlier.length > 0 && { earlier }),
    },
  };
}

/** A database without migration 0017 refuses every raise. This line is the only sign of it: requests then end without a fallback. */
const describeUnraised = (requestId: string, error: Error): LogEntry => ({
  level: "error",
  event: "hold_not_raised",
  request_id: requestId,
  error_class: error.name,
  code: error instanceof DatabaseError ? error.code : undefined,
});

/** The settlement as the operator's metrics and traces record it. */
const describeSettlement = (
  { outcome }: End,
  { chargeMicro, reportedCostMicro, flag, usage }: Settled,
  { planningTokens, candidate }: Run,
): SettlementRecord => ({
  outcome,
  keySource: candidate.route.keySource,
  flag,
  charged: toCredits(chargeMicro),
  reportedCost: reportedCostMicro === undefined ? undefined : toCredits(reportedCostMicro),
  planningTokens,
  usage,
});

/**
 * Sets `usage.cost` to what this service charged. On a caller's own key, what the aggregator charged the caller moves to
 * `cost_details.upstream_inference_cost`, the field in which the aggregator itself shows costs at other companies, unless it is set.
 */
function writeCost(usage: Usage | undefined, chargedMicro: number, keySource: KeySource): Usage | undefined {
  if (usage === undefined) return undefined;
  const costUsd = toCredits(chargedMicro);
  if (keySource === "pool" || usage.costUsd === undefined) return { ...usage, costUsd };
  const details = present(readObject(usage.raw?.cost_details) ?? {});
  const cost_details = { upstream_inference_cost: usage.costUsd, ...details } as ProviderData;
  return { ...usage, costUsd, raw: { ...usage.raw, cost_details } };
}
