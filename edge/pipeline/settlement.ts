/**
 * What is written down of a chat request: its progress while it runs, one ledger row when it ends (with notes for GET
 * /v1/generation), and the receipt for its caller.
 */
import type { ChatEvent, FinishReason, ProviderData, Usage } from "../../shared/chat.ts";
import { GatewayError } from "../../shared/errors.ts";
import { type Settlement, settle } from "../billing/ledger.ts";
import { credits } from "../billing/price.ts";
import { noteProgress } from "../billing/sweep.ts";
import type { GenerationNotes } from "../db/generation-notes.ts";
import { isMessageId } from "../dialects/caller/anthropic/write-end.ts";
import { present, readObject } from "../dialects/json.ts";
import type { SvcMetadata } from "../planning/svc-metadata.ts";
import { saysNothing } from "../providers/failover.ts";
import type { Settled as WatchedSettlement } from "../telemetry/request-watch.ts";
import { nothingUsed, type Settled } from "./bill.ts";
import type { ChatInput } from "./chat-input.ts";
import type { Candidate } from "./resolve-terms.ts";
import type { Services } from "./services.ts";

export type Receipt = {
  chargedMicro: number;
  /** What was used, as the caller may read it: on the pool the figures that were billed, and the caller's price for them. */
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

export type Books = {
  /** Writes the one row, and tells the request's watch. */
  close(end: End, settled: Settled, run: Run): Promise<Omit<Receipt, "metadata">>;
  /** Records that the request is still running and what it would be charged by now, for the sweep. Never throws. */
  note(chargeMicro: number, candidate: Candidate): Promise<void>;
};

type Run = { candidate: Candidate; planningTokens: number; notes: GenerationNotes };

export function openBooks(
  input: ChatInput,
  planningPriceMicro: number,
  { database, now, watch }: Services,
): Books {
  const known = ({ route, tab }: Candidate) => ({
    holdId: input.holdId,
    accountId: input.account.accountId,
    requestId: input.requestId,
    model: input.modelName,
    executionLlm: route.model,
    keySource: route.keySource,
    markup: tab.markup,
  });
  const writeRow = (end: End, settled: Settled, run: Run): Promise<void> => {
    const { usage, earlier, ...amounts } = settled;
    return settle(database, {
      ...known(run.candidate),
      ...amounts,
      ...end,
      apiKeyId: input.account.keyId,
      provider: run.candidate.route.provider,
      planningTokens: run.planningTokens,
      // A plan that is not charged is not told: else a provider key that is refused would buy plans for nothing.
      generation: settled === nothingUsed ? { ...run.notes, actionSequence: [] } : run.notes,
      ...(usage !== undefined && { usage }),
      prices: {
        planningMicroPerMillion: planningPriceMicro,
        ...(run.candidate.route.prices !== undefined && { llm: run.candidate.route.prices }),
        ...(earlier.length > 0 && { earlier }),
      },
      now: now(),
    });
  };
  return {
    async close(end, settled, run) {
      const { keySource } = run.candidate.route;
      const { chargeMicro: chargedMicro, usage } = settled;
      await watch.time("settle", () => writeRow(end, settled, run));
      watch.settled = describeSettlement(end, settled, run);
      return { chargedMicro, usage: writeCost(usage, chargedMicro, keySource) };
    },
    note: (chargeMicro, candidate) =>
      noteProgress(database, { ...known(candidate), chargeMicro, now: now() }).catch(() => {}),
  };
}

/** The settlement as the operator's figures have it. */
const describeSettlement = (
  { outcome }: End,
  { chargeMicro, reportedCostMicro, flag, usage }: Settled,
  { planningTokens, candidate }: Run,
): WatchedSettlement => ({
  outcome,
  keySource: candidate.route.keySource,
  flag,
  charged: credits(chargeMicro),
  reportedCost: reportedCostMicro === undefined ? undefined : credits(reportedCostMicro),
  planningTokens,
  usage,
});

/**
 * `usage.cost` is what this service charged, whoever paid the provider. On a caller's own key the aggregator's figure is the
 * caller's bill there: it moves to where the aggregator itself writes what was paid elsewhere, unless that is taken.
 */
function writeCost(
  usage: Usage | undefined,
  chargedMicro: number,
  keySource: "user" | "pool",
): Usage | undefined {
  if (usage === undefined) return undefined;
  const costUsd = credits(chargedMicro);
  if (keySource === "pool" || usage.costUsd === undefined) return { ...usage, costUsd };
  const details = present(readObject(usage.raw?.cost_details) ?? {});
  const cost_details = { upstream_inference_cost: usage.costUsd, ...details } as ProviderData;
  return { ...usage, costUsd, raw: { ...usage.raw, cost_details } };
}

type RecordedInput = Pick<ChatInput, "modelName" | "request" | "answerIdPrefix">;

/** The notes of one request. */
export class GenerationRecord {
  readonly #input: RecordedInput;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #modelsTried: string[];
  #plannedAt: number | undefined;
  #firstWordAt: number | undefined;
  #answerId: string | undefined;
  #finishReason: FinishReason | null = null;
  #toolsCalled = false;
  #actionSequence: string[] = [];

  constructor(input: RecordedInput, now: () => number) {
    this.#input = input;
    this.#modelsTried = [input.modelName];
    this.#now = now;
    this.#startedAt = now();
  }

  turnedTo(model: string): void {
    this.#modelsTried.push(model);
    this.#answerId = undefined;
  }

  planned(actions: readonly string[]): void {
    this.#plannedAt ??= this.#now();
    this.#actionSequence = [...actions];
  }

  observe(events: readonly ChatEvent[]): void {
    for (const event of events) {
      if (event.type === "error") continue;
      if (!saysNothing(event)) this.#firstWordAt ??= this.#now();
      if (event.type === "start") this.#answerId ??= this.#readAnswerId(event.id);
      if (event.type === "tool-call-start") this.#toolsCalled = true;
      if (event.type === "finish") this.#finishReason = event.reason;
    }
  }

  /** In Anthropic's dialect a message of Claude's goes out under its own id. */
  #readAnswerId(id: string | undefined): string | undefined {
    const isShown = this.#input.request.callerDialect === "anthropic" && id !== undefined;
    return isShown && isMessageId(id) ? id : undefined;
  }

  /** As it stands now: called once, at settlement. */
  read(): GenerationNotes {
    const since = (at: number | undefined) => (at === undefined ? null : at - this.#startedAt);
    return {
      ...(this.#answerId !== undefined && { answerId: this.#answerId }),
      idPrefix: this.#input.answerIdPrefix,
      modelsTried: [...this.#modelsTried],
      streamed: this.#input.request.stream,
      finishReason: this.#finishReason,
      toolsCalled: this.#toolsCalled,
      planningMs: since(this.#plannedAt),
      firstByteMs: since(this.#firstWordAt),
      totalMs: this.#now() - this.#startedAt,
      actionSequence: this.#actionSequence,
    };
  }
}
