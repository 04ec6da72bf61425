/** A refusal of a request: a row of shared/worker-refusals.ts, with details of this request. */
import type { ModelSize } from "../shared/model-sizes.ts";
import { type WorkerRefusalCode, workerRefusals } from "../shared/worker-refusals.ts";

type RefusalDetails = {
  message?: string;
  /** A tag for the operator's log. */
  reason?: string;
  /** The loaded sizes, with `world_model_not_loaded`. */
  sizes?: ModelSize[];
  /** The index of the text, with `text_too_long`. */
  index?: number;
  /** The allowed methods, with `method_not_allowed`. */
  allow?: string[];
  /** Overrides the table's value. */
  retryAfterSeconds?: number;
};

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: WorkerRefusalCode;
  readonly details: RefusalDetails;

  constructor(code: WorkerRefusalCode, details: RefusalDetails = {}) {
    super(details.message ?? workerRefusals[code].message);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return workerRefusals[this.code].status;
  }

  get retryAfterSeconds(): number | undefined {
    return this.details.retryAfterSeconds ?? workerRefusals[this.code].retryAfterSeconds;
  }

  get headers(): Record<string, string> {
    const { retryAfterSeconds } = this;
    const { allow } = this.details;
    return {
      ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
      ...(allow && { allow: allow.join(", ") }),
    };
  }

  /** What the caller reads. */
  get body() {
    const { code, message } = this;
    const { sizes, index } = this.details;
    return { error: { code, message, ...(sizes && { sizes }), ...(index !== undefined && { index }) } };
  }
}
