/**
 * The gpu-workers as the rest of the edge sees them. `run` chooses a worker, calls it, retries once on another worker where that
 * may help (tasks are pure), and turns a failure into one error. Also reports which sizes are loaded.
 */
import { textTooLong } from "../../shared/embedding.ts";
import { GatewayError } from "../../shared/errors.ts";
import type { ModelSize } from "../../shared/model-sizes.ts";
import { createSigner, type Signer, type SigningJwk } from "../../shared/signature.ts";
import {
  type TaskName,
  type TaskRequest,
  type TaskResponse,
  workerTasks,
} from "../../shared/worker-tasks.ts";
import {
  type CallFailure,
  type CallOutcome,
  callWorker,
  type Fetch,
  longestTaskMs,
  nameShare,
  type WorkerCall,
} from "./call-worker.ts";
import { askHealth, createFleetHealth, type FleetHealth } from "./fleet-health.ts";
import {
  beginCall,
  chooseAnyWorker,
  chooseWorker,
  createWorkerState,
  endCall,
  isRecent,
  lacksSize,
  listUsable,
  recordAnswer,
  recordFailure,
  recordSizes,
  type WorkerState,
} from "./worker-state.ts";

/** `accountId`: the account whose share of the worker is used. `onProgress`: called with the tokens of a long task read so far. */
export type TaskContext = {
  signal: AbortSignal;
  requestId: string;
  accountId: string;
  /** Continues the request's trace, if it is traced. */
  traceparent?: string | undefined;
  onProgress?: (tokens: number) => void;
};

export type GpuWorkers = {
  /**
   * Runs one task, usually in one round trip. Throws GatewayError `world_model_not_loaded`, `world_model_unavailable`,
   * `rate_limit_exceeded` (the account has too much waiting) or `request_too_large` (a text past the encoder's limit, with its
   * index), or `signal.reason` when the caller left.
   */
  run<Name extends TaskName>(
    task: Name,
    request: TaskRequest<Name>,
    context: TaskContext,
  ): Promise<TaskResponse<Name>>;
  /** Whether a plan of this size was made within the last minute, so that another can be expected. */
  serves(size: ModelSize): boolean;
  /** Never rejects; at most 5 s old. */
  health(): Promise<FleetHealth>;
};

export type GpuWorkersOptions = {
  /** Base URLs without a last slash. */
  urls: readonly string[];
  signingKey: SigningJwk;
  fetch: Fetch;
  /** In [0, 1). */
  random: () => number;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Overrides each task's own timeout. */
  timeoutMs?: number;
  createNonce?: () => string;
};

/** For this long after a plan of a size the workers are expected to make another. */
const servesForMs = 60_000;

/**
 * Made once per isolate. It keeps only caches: the imported key, the state of each worker, the last health. They hold values,
 * never a promise or a response, since the runtime forbids sharing those between requests.
 */
export function createGpuWorkers(options: GpuWorkersOptions): GpuWorkers {
  const { urls, fetch, random, now, timeoutMs, createNonce = () => crypto.randomUUID() } = options;
  const workers = new Map(urls.map((url) => [url, createWorkerState(url)]));
  let signer: Signer | undefined;
  const plannedAt = new Map<ModelSize, number>();

  const update = (url: string, change: (state: WorkerState) => WorkerState) => {
    const state = workers.get(url);
    if (state) workers.set(url, change(state));
  };
  const explainNow = (size: ModelSize, failure: CallFailure | undefined) =>
    explain(size, failure, [...workers.values()], now());

  const callOne = async <Name extends TaskName>(
    asked: Pick<WorkerCall<Name>, "task" | "request" | "body" | "endsAt">,
    { url }: WorkerState,
    { accountId, ...caller }: TaskContext,
  ) => {
    signer ??= await createSigner({ privateJwk: options.signingKey });
    const share = await nameShare(accountId);
    const { size } = asked.request;
    const begunAt = now();
    update(url, (state) => beginCall(state, begunAt));
    try {
      const call = { ...asked, ...caller, share, url, signer, fetch, now: begunAt, nonce: createNonce() };
      const limit = timeoutMs ?? workerTasks[asked.task].timeoutMs;
      const outcome = await callWorker({ ...call, timeoutMs: limit });
      const at = now();
      const isUnsure = outcome.kind === "failed" && !outcome.unwell && outcome.unsure === true;
      const isSilent = isUnsure && !(await askHealth(url, fetch));
      update(url, (state) => recordOutcome(state, outcome, { size, begunAt, at, isSilent }));
      // Neither the call nor /health answers (a frozen machine, a dead network): as after a refused connection, another worker is
      // asked.
      return isSilent ? { ...outcome, retry: true } : outcome;
    } finally {
      update(url, (state) => endCall(state, begunAt));
    }
  };

  return {
    async run(task, request, context) {
      const { size } = request;
      const asked = { task, request, body: JSON.stringify(request), endsAt: now() + longestTaskMs };
      const tried = new Set<string>();
      let failure: (CallFailure & { url: string }) | undefined;
      while (true) {
        const at = now();
        const mayRepeat = failure !== undefined && !failure.busy && !failure.unsure;
        const usable = listUsable([...workers.values()], { size, tried, mayRepeat }, at);
        const worker = (failure?.doubtful ? chooseAnyWorker : chooseWorker)(usable, random, at);
        if (!worker) throw explainNow(size, failure);
        tried.add(worker.url);
        const outcome = await callOne(asked, worker, context);
        if (outcome.kind === "done") {
          if (failure?.doubtful && failure.url !== worker.url)
            update(failure.url, (state) => recordFailure(state, now()));
          if (task === "plan") plannedAt.set(size, now());
          return outcome.answer;
        }
        if (outcome.kind === "text-too-long") throw textTooLong(outcome.index);
        // A worker without the size does not count as a try: another may have it.
        if (outcome.kind === "not-loaded") continue;
        if (failure || !outcome.retry) throw explainNow(size, outcome);
        failure = { ...outcome, url: worker.url };
      }
    },
    serves: (size) => isRecent(plannedAt.get(size) ?? Number.NEGATIVE_INFINITY, servesForMs, now()),
    health: createFleetHealth(urls, fetch, now, (url, sizes, at) =>
      update(url, (state) => recordSizes(state, sizes, at)),
    ),
  };
}

/** How the outcome of a call changes what is known of its worker. Pure. */
function recordOutcome(
  state: WorkerState,
  outcome: CallOutcome<TaskName>,
  { size, begunAt, at, isSilent }: { size: ModelSize; begunAt: number; at: number; isSilent: boolean },
): WorkerState {
  if (outcome.kind === "done") return recordAnswer(state, at - begunAt, at);
  if (outcome.kind === "not-loaded") {
    // The list may be wrong: the worker has just refused this size, so it is not asked for it again.
    const sizes = outcome.sizes.filter((loaded) => loaded !== size);
    return recordSizes(state, sizes, at);
  }
  const isIll = outcome.kind === "failed" && (outcome.unwell || isSilent);
  return isIll ? recordFailure(state, at) : state;
}

/** The error when too much work waits at a worker. */
const busyError = (busy: NonNullable<CallFailure["busy"]>, reason: string): GatewayError => {
  const { who, retryAfterSeconds } = busy;
  const again = `Send the request again in ${retryAfterSeconds} s.`;
  return who === "account"
    ? new GatewayError(
        "rate_limit_exceeded",
        `This account has as much work waiting at the world model as may wait. ${again}`,
        { retryAfterSeconds },
        reason,
      )
    : new GatewayError(
        "world_model_unavailable",
        `The world model is busy. ${again}`,
        { retryAfterSeconds },
        reason,
      );
};

/** The error when no worker served a request. `failure` is undefined if none could be asked. Pure. */
function explain(
  size: ModelSize,
  failure: CallFailure | undefined,
  workers: readonly WorkerState[],
  now: number,
): GatewayError {
  if (!failure && workers.length > 0 && workers.every((worker) => lacksSize(worker, size, now))) {
    const loaded = [...new Set(workers.flatMap((worker) => worker.sizes?.loaded ?? []))];
    const advice =
      loaded.length > 0
        ? `Use one that is: ${loaded.join(", ")}.`
        : "No size is: the operator must load one.";
    return new GatewayError(
      "world_model_not_loaded",
      `The world model size ${size} is not loaded. ${advice}`,
    );
  }
  if (failure?.busy) return busyError(failure.busy, failure.reason);
  return new GatewayError(
    "world_model_unavailable",
    "The world model cannot be reached at the moment. Send the request again in a few seconds.",
    { retryAfterSeconds: 5 },
    failure?.reason ?? "all-skipped",
  );
}
