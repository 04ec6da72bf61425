/**
 * A chat request while it runs: its hold, its clock, its one settlement. Whoever ends it (the answer's last event,
 * a caller who leaves, the deadline) settles what its calls have used by then, whether or not anybody reads.
 */
import type { ChatEvent } from "../../shared/chat.ts";
import { toCredits } from "../../shared/credits.ts";
import type { GatewayError } from "../../shared/errors.ts";
import type { PlanResponse } from "../../shared/planning.ts";
import { accountHolder } from "../admission/in-flight.ts";
import { readHistory } from "../planning/plan-request.ts";
import {
  completeMetadata,
  describePlan,
  describeService,
  noPlan,
  type Service,
  type SvcMetadata,
} from "../planning/svc-metadata.ts";
import { askLateUsage } from "../providers/late-usage.ts";
import type { ExecutionRun } from "./agent-loop.ts";
import type { ChatInput } from "./chat-input.ts";
import { GenerationNotesBuilder } from "./generation-notes.ts";
import { createMeteredPlans, type MeteredPlans } from "./metered-plans.ts";
import { nothingUsed, type Settled } from "./money/bill.ts";
import { deadlineError, type End, openLedger, type Receipt } from "./money/settlement.ts";
import type { Candidate, RequestTerms } from "./resolve-terms.ts";
import type { Services } from "./services.ts";

export class RunningRequest {
  /** Aborts every call made for the request, when it ends in whatever way. */
  readonly signal: AbortSignal;
  readonly plans: MeteredPlans;
  /** Set if a time limit ended the request. */
  expired: GatewayError | undefined;
  /** Called when the deadline passes, to tell the reader. */
  onExpire: (error: GatewayError) => void = () => {};
  /** Resolves when the first plan is made, or has failed. */
  planned: Promise<void> = Promise.resolve();
  /** Number of LLM calls and the trace, once the run has begun. */
  execution: Pick<ExecutionRun, "llmCalls" | "trace"> | undefined;

  readonly #input: ChatInput;
  readonly #terms: RequestTerms;
  #candidate: Candidate;
  readonly #services: Services;
  readonly #ledger: ReturnType<typeof openLedger>;
  readonly #notes: GenerationNotesBuilder;
  readonly #abort = new AbortController();
  readonly #startedAt: number;
  #metadata: SvcMetadata | undefined;
  #sawEnd = false;
  #sawError = false;
  #receipt: Promise<Receipt> | undefined;
  /** Pending reports on the calls of models that failed and were replaced. */
  #lateReports: Promise<void> | undefined;
  /** A call's usage is being asked for, which takes seconds. */
  #asksLate = false;
  #stopClock = () => {};
  #closeRecord = () => {};

  constructor(input: ChatInput, terms: RequestTerms, services: Services) {
    this.#input = input;
    this.#terms = terms;
    this.#candidate = terms.candidates[0];
    this.#services = services;
    this.#ledger = openLedger(input, terms.planningPriceMicro, services);
    this.#notes = new GenerationNotesBuilder(input, services.now);
    this.#startedAt = services.now();
    this.signal = AbortSignal.any([input.clientSignal, this.#abort.signal]);
    this.plans = createMeteredPlans(input, this.signal, services);
  }

  /** The model that answers, or is being tried. */
  get candidate(): Candidate {
    return this.#candidate;
  }

  /**
   * Goes on with the next model. The failed model's unreported usage is asked for in the background. False, and nothing is done, if
   * there is not enough credit for both: the sum would be cut to the hold, and the rest of the next answer would be free. Also false
   * if the request ended while the hold was raised: its row must not name a model that was never called.
   */
  async turnTo(candidate: Candidate): Promise<boolean> {
    const { bill } = this.#terms;
    const short = bill.shortOf(candidate.lineItem);
    if (short > 0 && !(await this.#ledger.raiseHold(short))) return false;
    bill.raise(short);
    if (this.#receipt !== undefined) return false;
    const calls = bill.takeUnreported();
    this.#asksLate ||= calls.length > 0;
    this.#lateReports = Promise.all([this.#lateReports, askLateUsage(calls, this.#services)]).then(() => {});
    this.#candidate = candidate;
    this.#notes.turnedTo(candidate.name);
    return true;
  }

  /** Takes the hold and starts the clock. Throws insufficient_credits or DatabaseError. */
  async reserve(): Promise<void> {
    const { requestLimits, waitUntil } = this.#services;
    const { bill, candidates } = this.#terms;
    await this.#ledger.hold(bill.holdMicro, candidates).catch((error: unknown) => {
      this.#abort.abort();
      throw error;
    });
    this.#closeRecord = this.#services.requestRecord.keepOpen();
    const settleInTime = () => waitUntil(this.finish().catch(() => {}));
    const expire = () => {
      this.expired = deadlineError(requestLimits.deadlineMs);
      this.#services.requestRecord.fail(this.expired.code);
      settleInTime();
      this.onExpire(this.expired);
    };
    const note = () => waitUntil(this.#ledger.noteProgress(this.#sumUp().chargeMicro, this.#candidate));
    const deadline = setTimeout(expire, requestLimits.deadlineMs);
    const progress = setInterval(note, requestLimits.progressMs);
    this.#stopClock = () => {
      clearTimeout(deadline);
      clearInterval(progress);
    };
    // When the client leaves, `signal` aborts the provider's call, and what was written by then is settled.
    this.#input.clientSignal.addEventListener("abort", settleInTime, { once: true });
  }

  /** Only a caller who leaves pays for a plan that was not finished: a failed provider is not the caller's doing. */
  #planningTokens(end?: End): number {
    const cut = end?.outcome === "client_left" ? this.plans.tokensOfCutPlan() : 0;
    return Math.min(this.plans.tokens() + cut, this.#terms.bill.planningTokenBound);
  }

  /** The first plan. Without `waits` that is `noPlan` at once, and the real plan joins the metadata when it is made. */
  async takePlan(planning: Promise<PlanResponse>, waits: boolean): Promise<PlanResponse> {
    if (waits) return this.#take(await planning);
    // The prompt does not hold the plan, so a failed plan is no reason to fail the request.
    this.planned = planning.catch(() => noPlan).then((plan) => void this.#take(plan));
    return noPlan;
  }

  #take(plan: PlanResponse): PlanResponse {
    this.#metadata = this.#describePlan(plan);
    this.#notes.planned(this.#metadata.action_sequence);
    return plan;
  }

  #describePlan(plan: PlanResponse): SvcMetadata {
    const history = readHistory(this.#input.request.messages);
    return describePlan(plan, { size: this.#terms.size, history, ...this.service });
  }

  /** The metadata of the first plan, with the model that has answered; undefined while it is being made. */
  describe(): SvcMetadata | undefined {
    return this.#metadata && { ...this.#metadata, ...describeService(this.service) };
  }

  get service(): Service {
    const { route, lineItem } = this.#candidate;
    return { executionLlm: route.model, keySource: route.keySource, markup: lineItem.markup };
  }

  observe(events: readonly ChatEvent[]): void {
    this.#notes.observe(events);
    for (const event of events) {
      this.#sawEnd ||= event.type === "finish";
      if (event.type !== "error") continue;
      this.#sawError = true;
      this.#services.requestRecord.fail(event.code);
    }
  }

  /** Settles the usage so far. Every further call returns the same receipt. */
  finish(): Promise<Receipt> {
    this.#receipt ??= this.#finish(this.#nameEnd());
    return this.#receipt;
  }

  /** As `finish`, for an answer that ends in an error: its caller does not wait for late usage reports, nor learns the charge then. */
  async finishFailed(): Promise<Receipt | undefined> {
    const settled = this.finish();
    if (!this.#asksLate) return settled;
    this.#services.waitUntil(settled.catch(() => {}));
    return undefined;
  }

  async #finish(end: End): Promise<Receipt> {
    // A complete answer shows its plan, so it waits for it. A cut one does not.
    if (end.outcome === "completed") await this.planned;
    await Promise.all([this.#lateReports, this.#askLateUsage()]);
    return this.#settle(end, this.#sumUp(end));
  }

  /** Ends the calls that have no report yet, and asks the aggregator for their usage. */
  async #askLateUsage(): Promise<void> {
    const calls = this.#terms.bill.takeUnreported();
    if (calls.length === 0) return;
    this.#asksLate = true;
    this.#stopClock();
    this.#abort.abort();
    const { inFlight, now } = this.#services;
    // Its body stays in memory meanwhile, so it counts as running: else an account could have any number of such requests.
    const lease = inFlight.occupy(accountHolder(this.#input.account.accountId), now());
    // If this isolate ends while we ask, the sweep charges what is known by now.
    await this.#ledger.noteProgress(this.#sumUp().chargeMicro, this.#candidate);
    await askLateUsage(calls, this.#services).finally(lease.end);
  }

  #sumUp(end?: End): Settled {
    return this.#terms.bill.sumUp(this.#planningTokens(end), this.#candidate.lineItem);
  }

  /** Settles a request that got no answer. It is free if no provider took it, unless its client left. */
  async fail(): Promise<void> {
    this.#sawError = true;
    if (!this.#input.clientSignal.aborted && !this.#terms.bill.hasChargeable()) {
      this.#receipt ??= this.#settle({ outcome: "error" }, nothingUsed);
    }
    await this.finishFailed();
  }

  #nameEnd(): End {
    if (this.expired !== undefined) return { outcome: "error", reason: "deadline" };
    // The response body may be cancelled before the client's signal fires: no finish and no error means that the client left.
    const cut = !this.#sawError || this.#input.clientSignal.aborted;
    if (!this.#sawEnd && cut) return { outcome: "client_left" };
    return { outcome: this.#sawError ? "error" : "completed" };
  }

  async #settle(end: End, settled: Settled): Promise<Receipt> {
    this.#stopClock();
    this.#abort.abort();
    const { requestRecord } = this.#services;
    requestRecord.endOpen("provider", end.outcome === "completed" ? undefined : (end.reason ?? end.outcome));
    const run = {
      candidate: this.#candidate,
      planningTokens: this.#planningTokens(end),
      notes: this.#notes.read(),
    };
    const paid = await this.#ledger.settle(end, settled, run).finally(() => this.#closeRecord());
    return { ...paid, metadata: { ...this.#describeEnd(), credits_charged: toCredits(paid.chargedMicro) } };
  }

  #describeEnd(): SvcMetadata {
    const { execution } = this;
    const metadata = this.describe() ?? this.#describePlan(noPlan);
    if (execution === undefined) return metadata;
    return completeMetadata(metadata, {
      executionMs: this.#services.now() - this.#startedAt,
      llmCalls: execution.llmCalls(),
      trace: execution.trace(),
    });
  }
}
