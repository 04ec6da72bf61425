/**
 * What one request did and when: its stages, its answer, its settlement. Everything an operator sees of a request
 * (Server-Timing, figures, traces) is written from this record. It holds names, counts and times, no texts.
 */
import type { Usage } from "../../shared/chat.ts";
import { type TraceContext, writeTraceparent } from "./trace-context.ts";

export type Stage = "auth" | "plan" | "rollout" | "embed" | "hold" | "provider" | "settle";

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Record<string, AttributeValue | undefined>;

/** Times are Unix milliseconds. */
export type StageRecord = {
  readonly stage: Stage;
  readonly startedAt: number;
  /** When a provider's call gave its first event. */
  firstAt?: number;
  endedAt?: number;
  /** A tag: why it failed. */
  error?: string;
  /** The provider's kind, for a call to one. */
  readonly provider?: string;
  /** Where the request is traced. */
  readonly spanId?: string;
  readonly attributes: Attributes;
};

/** A stage that has begun. Once it has ended nothing changes it. */
export type OpenStage = {
  readonly record: StageRecord;
  first(): void;
  end(error?: string): void;
};

/** How the request was answered. */
export type Answered = { requestId: string; route: string; status: number; code?: string | undefined };

/** What the ledger was told of it; amounts in credits. */
export type Settled = {
  outcome: "completed" | "error" | "client_left";
  keySource?: "user" | "pool" | undefined;
  flag?: string | null;
  charged: number;
  /** What the aggregator took for it. */
  reportedCost?: number | undefined;
  planningTokens: number;
  usage?: Usage | undefined;
};

/** Records of one request: an agent loop with several choices stays below, anything more is not recorded. */
const maxStages = 64;

export type WatchOptions = {
  now: () => number;
  /** Called once, when the answer is sent to its end and settled. */
  onEnd?: (watch: RequestWatch) => void;
  /** Where traces are kept, whether or not of this request. */
  trace?: TraceContext;
};

export class RequestWatch {
  readonly startedAt: number;
  readonly stages: StageRecord[] = [];
  readonly trace: TraceContext | undefined;
  endedAt: number | undefined;
  answered: Answered | undefined;
  settled: Settled | undefined;
  readonly #now: () => number;
  readonly #onEnd: WatchOptions["onEnd"];
  #code: string | undefined;
  #keepers = 0;

  constructor({ now, onEnd, trace }: WatchOptions) {
    this.#now = now;
    this.#onEnd = onEnd;
    this.trace = trace;
    this.startedAt = now();
  }

  begin(stage: Stage, attributes: Attributes = {}, provider?: string): OpenStage {
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

  /** Calls that nobody has ended when the request ends: cut by us, or left by the caller. */
  endOpen(stage: Stage, error: string | undefined): void {
    for (const record of this.stages) if (record.stage === stage) this.#endStage(record, error);
  }

  /** The code of a failure after the head was sent. */
  fail(code: string): void {
    this.#code ??= code;
  }

  /** Keeps the request from ending until the returned function is called, once. */
  keep(): () => void {
    this.#keepers += 1;
    let kept = true;
    return () => {
      if (!kept) return;
      kept = false;
      this.#keepers -= 1;
      if (this.#keepers === 0) this.#end();
    };
  }

  /** The first answer counts: who has left is sent none. */
  answer(answered: Answered): void {
    this.answered ??= answered;
  }

  /** What went wrong, if something did. */
  get code(): string | undefined {
    return this.answered?.code ?? this.#code;
  }

  /** For a call made in this stage; undefined where traces are not kept. */
  traceparent({ spanId }: StageRecord): string | undefined {
    return this.trace && writeTraceparent(this.trace, spanId ?? this.trace.spanId);
  }

  /** Milliseconds since the request came. */
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
    this.#onEnd?.(this);
  }
}

/** The code of an error of ours, else its class: never its message, which may quote a request. */
function nameFailure(error: unknown): string {
  if (typeof error !== "object" || error === null) return "unknown";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.name : "unknown";
}
