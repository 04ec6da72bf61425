/** A refusal on its way to the caller: a row of shared/worker-refusals.ts with what this request adds to it. */
import type { ModelSize } from "../shared/model-sizes.ts";
import { type WorkerRefusalCode, workerRefusals } from "../shared/worker-refusals.ts";

type RefusalDetails = {
  message?: string;
  /** A tag for the operator's log. */
  reason?: string;
  /** With `world_model_not_loaded`: the sizes that are. */
  sizes?: ModelSize[];
  /** With `text_too_long`: which text. */
  index?: number;
  /** With `method_not_allowed`: those that are. */
  allow?: string[];
  /** Where it is known better than the table does. */
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
