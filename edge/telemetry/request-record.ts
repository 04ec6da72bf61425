/**
 * What one request did and when: its stages, its answer, its settlement. Everything an operator sees of a request
 * (Server-Timing, metrics, traces) is written from this record. It holds names, counts and times, no texts.
 */
import type { Usage } from "../../shared/chat.ts";
import type { KeySource, ProviderKind } from "../../shared/providers.ts";
import type { UsageFlag } from "../../shared/usage-flags.ts";
import { type TraceContext, writeTraceparent } from "./trace-context.ts";

/** In the order in which Server-Timing lists them. */
export const stageNames = ["auth", "plan", "rollout", "embed", "hold", "provider", "settle"] as const;
export type Stage = (typeof stageNames)[number];

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Record<string, AttributeValue | undefined>;

/** One recorded stage. Times are Unix milliseconds. */
export type StageRecord = {
  readonly stage: Stage;
  readonly startedAt: number;
  /** Time of a provider call's first event. */
  firstAt?: number;
  endedAt?: number;
  /** A tag that says why it failed. */
  error?: string;
  /** The provider's kind, for a provider call. */
  readonly provider?: ProviderKind;
  /** Set if the request is traced. */
  readonly spanId?: string;
  readonly attributes: Attributes;
};

/** Why a provider's call did not end complete: a limit by which we cut it, no connection, another host instead, nothing billed. */
export const callFailures = [
  "first-byte",
  "idle",
  "total",
  "unreachable",
  "failed_over",
  "unbilled",
] as const;
/** One of these, or the status of a refusal. */
export type CallFailure = (typeof callFailures)[number] | `${number}`;

/** A stage that has begun. After its end nothing changes it. */
export type OpenStage = {
  readonly record: StageRecord;
  first(): void;
  end(error?: string): void;
};

/** How the request was answered. */
export type Answered = { requestId: string; route: string; status: number; code?: string | undefined };

/** What the ledger's row says; amounts in credits. */
export type SettlementRecord = {
  outcome: "completed" | "error" | "client_left";
  keySource?: KeySource | undefined;
  flag?: UsageFlag | null;
  charged: number;
  /** The cost that the aggregator reports. */
  reportedCost?: number | undefined;
  planningTokens: number;
  usage?: Usage | undefined;
};

/** Most stages recorded of one request. Further ones are dropped: calls for the choices of an `n` above 60, at a provider without `n`. */
const maxStages = 64;

export type RequestRecordOptions = {
  now: () => number;
  /** Called once, when the answer has been sent and settled. */
  onEnd?: (requestRecord: RequestRecord) => void;
  /** Set if traces are exported, whether or not this request is sampled. */
  trace?: TraceContext;
};

export class RequestRecord {
  readonly startedAt: number;
  readonly stages: StageRecord[] = [];
  readonly trace: TraceContext | undefined;
  endedAt: number | undefined;
  answered: Answered | undefined;
  settled: SettlementRecord | undefined;
  readonly #now: () => number;
  readonly #endListeners: (() => void)[] = [];
  #code: string | undefined;
  #keepers = 0;

  constructor({ now, onEnd, trace }: RequestRecordOptions) {
    this.#now = now;
    if (onEnd !== undefined) this.#endListeners.push(() => onEnd(this));
    this.trace = trace;
    this.startedAt = now();
  }

  begin(stage: Stage, attributes: Attributes = {}, provider?: ProviderKind): OpenStage {
    const record: StageRecord = {
      stage,
      startedAt: this.#now(),
      attributes,
      ...(provider !== undefined && { provider }),
      ...(this.trace?.sampled && { spanId: this.trace.newSpanId() }),
    };
    if (this.stages.length < maxStages) this.stages.push(record);
    return {
      record,
      first: () => {
        record.firstAt ??= this.#now();
      },
      end: (error) => this.#endStage(record, error),
    };
  }

  /** The stage lasts as long as the work does. */
  async time<Result>(stage: Stage, work: (open: OpenStage) => Promise<Result>): Promise<Result> {
    const open = this.begin(stage);
    try {
      const result = await work(open);
      open.end();
      return result;
    } catch (error) {
      open.end(nameFailure(error));
      throw error;
    }
  }

  /** Ends the calls still open at the end of the request: cut by us, or left by the caller. */
  endOpen(stage: Stage, error: string | undefined): void {
    for (const record of this.stages) if (record.stage === stage) this.#endStage(record, error);
  }

  /** Records the code of a failure after the head was sent. */
  fail(code: string): void {
    this.#code ??= code;
  }

  /** Keeps the request open until the returned function is called, once. */
  keepOpen(): () => void {
    this.#keepers += 1;
    let kept = true;
    return () => {
      if (!kept) return;
      kept = false;
      this.#keepers -= 1;
      if (this.#keepers === 0) this.#end();
    };
  }

  /** Calls the listener once nothing keeps the request open: its answer is sent and it is settled. */
  whenEnded(listener: () => void): void {
    if (this.endedAt === undefined) this.#endListeners.push(listener);
    else listener();
  }

  /** Only the first call counts: a caller who has left gets no second answer. */
  answer(answered: Answered): void {
    this.answered ??= answered;
  }

  /** The error code, if the request failed. */
  get code(): string | undefined {
    return this.answered?.code ?? this.#code;
  }

  /** Time of the first event of any provider's call. */
  get firstAt(): number | undefined {
    return this.stages.find(({ firstAt }) => firstAt !== undefined)?.firstAt;
  }

  /** The `traceparent` for a call made in this stage; undefined if traces are not exported. */
  traceparent({ spanId }: StageRecord): string | undefined {
    return this.trace && writeTraceparent(this.trace, spanId ?? this.trace.spanId);
  }

  /** Milliseconds since the request arrived. */
  elapsed(): number {
    return this.#now() - this.startedAt;
  }

  #endStage(record: StageRecord, error: string | undefined): void {
    if (record.endedAt !== undefined) return;
    record.endedAt = this.#now();
    if (error !== undefined) record.error = error;
  }

  #end(): void {
    if (this.endedAt !== undefined) return;
    this.endedAt = this.#now();
    for (const listener of this.#endListeners.splice(0)) listener();
  }
}

/** Our error's code, else the error's class: never its message, which may quote a request. */
function nameFailure(error: unknown): string {
  if (typeof error !== "object" || error === null) return "unknown";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.name : "unknown";
}
