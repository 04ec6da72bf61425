/**
 * What one request did and when: its stages as they begin and end. Everything an operator sees of a request
 * (Server-Timing, figures, traces) is written from this record. It holds names, counts and times, no texts.
 */

export type Stage = "auth" | "plan" | "rollout" | "embed" | "hold" | "provider" | "settle";

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Record<string, AttributeValue | undefined>;

/** Times are Unix milliseconds. */
export type StageRecord = {
  readonly stage: Stage;
  readonly startedAt: number;
  /** Of a provider's call: its first event. */
  firstAt?: number;
  endedAt?: number;
  /** A tag: why it failed. */
  error?: string;
  readonly attributes: Attributes;
};

/** A stage that has begun. Once it has ended nothing changes it. */
export type OpenStage = {
  readonly record: StageRecord;
  first(): void;
  end(error?: string): void;
};

/** Records of one request: an agent loop with several choices stays below, anything more is not recorded. */
const mostStages = 64;

export class RequestWatch {
  readonly startedAt: number;
  readonly stages: StageRecord[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
    this.startedAt = now();
  }

  begin(stage: Stage, attributes: Attributes = {}): OpenStage {
    const record: StageRecord = { stage, startedAt: this.#now(), attributes };
    if (this.stages.length < mostStages) this.stages.push(record);
    return {
      record,
      first: () => {
        record.firstAt ??= this.#now();
      },
      end: (error) => {
        if (record.endedAt !== undefined) return;
        record.endedAt = this.#now();
        if (error !== undefined) record.error = error;
      },
    };
  }

  /** The stage lasts as long as the work does. */
  async time<Result>(stage: Stage, work: () => Promise<Result>): Promise<Result> {
    const { end } = this.begin(stage);
    try {
      const result = await work();
      end();
      return result;
    } catch (error) {
      end(nameFailure(error));
      throw error;
    }
  }

  /** Calls that nobody has ended when the request ends: cut by us, or left by the caller. */
  endOpen(stage: Stage, error: string | undefined): void {
    for (const record of this.stages) {
      if (record.stage !== stage || record.endedAt !== undefined) continue;
      record.endedAt = this.#now();
      if (error !== undefined) record.error = error;
    }
  }

  /** Milliseconds since the request came. */
  elapsed(): number {
    return this.#now() - this.startedAt;
  }
}

/** The code of an error of ours, else its class: never its message, which may quote a request. */
export function nameFailure(error: unknown): string {
  if (typeof error !== "object" || error === null) return "unknown";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.name : "unknown";
}
