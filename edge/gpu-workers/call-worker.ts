/**
 * One signed call to one gpu-worker, told as an outcome: never an exception except the caller's own abort.
 * Which refusals are worth a second try, and which are the worker's fault, is the table here.
 */
import { type ModelSize, WorkerError } from "../../shared/planning.ts";
import { type Signer, workerAudience } from "../../shared/signature.ts";
import { type TaskName, type TaskResponse, workerTasks } from "../../shared/worker-tasks.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** `retry`: another try may help. `unwell`: counts against the worker. `reason`: a tag for the operator. */
export type CallFailure = { retry: boolean; unwell: boolean; reason: string; overloaded?: boolean };
export type CallOutcome<Name extends TaskName> =
  | { kind: "done"; answer: TaskResponse<Name> }
  | { kind: "not-loaded"; sizes: ModelSize[] }
  | { kind: "text-too-long"; index: number }
  | ({ kind: "failed" } & CallFailure);

/**
 * What a worker's own refusals mean (gpu-worker/refusal.ts). A full queue is no illness, and a request it
 * cannot read or plan says nothing about the worker: one odd request must not set a worker aside for all.
 */
const failureByCode = new Map<string, Omit<CallFailure, "reason">>([
  ["overloaded", { retry: true, unwell: false, overloaded: true }],
  ["draining", { retry: true, unwell: true }],
  ["world_model_unavailable", { retry: true, unwell: true }],
  ["unauthorized", { retry: true, unwell: true }],
  ["invalid_json", { retry: false, unwell: false }],
  ["invalid_request", { retry: false, unwell: false }],
  ["request_too_large", { retry: false, unwell: false }],
  ["internal_error", { retry: false, unwell: false }],
]);
/** A tunnel or proxy before a worker answers these when the worker itself cannot be reached. */
const unreachableStatuses = new Set([502, 503, 504]);

export type WorkerCall<Name extends TaskName> = {
  task: Name;
  url: string;
  /** The task's request as JSON text. */
  body: string;
  requestId: string;
  signer: Signer;
  fetch: Fetch;
  signal: AbortSignal;
  timeoutMs: number;
  /** Milliseconds since the epoch. */
  now: number;
  nonce: string;
};

/** One task on one worker. Rejects only with `signal.reason`, when the caller left. */
export async function callWorker<Name extends TaskName>(call: WorkerCall<Name>): Promise<CallOutcome<Name>> {
  const { path } = workerTasks[call.task];
  const { body, now, nonce } = call;
  const audience = [workerAudience, call.url];
  const token = await call.signer.sign({ audience, method: "POST", path, body, now, nonce });
  call.signal.throwIfAborted();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), call.timeoutMs);
  try {
    const response = await call.fetch(call.url + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "x-request-id": call.requestId,
      },
      body,
      redirect: "manual",
      signal: AbortSignal.any([call.signal, timeout.signal]),
    });
    return readOutcome(call.task, response.status, await response.text());
  } catch {
    if (call.signal.aborted) throw call.signal.reason;
    if (timeout.signal.aborted) return { kind: "failed", retry: false, unwell: true, reason: "timeout" };
    return { kind: "failed", retry: true, unwell: true, reason: "network" };
  } finally {
    clearTimeout(timer);
  }
}

/** What a worker's answer means. Pure. */
function readOutcome<Name extends TaskName>(task: Name, status: number, text: string): CallOutcome<Name> {
  const body = parseJson(text);
  if (status === 200) {
    const answer = workerTasks[task].response.safeParse(body);
    if (answer.success) return { kind: "done", answer: answer.data as TaskResponse<Name> };
    return { kind: "failed", retry: true, unwell: true, reason: "malformed-answer" };
  }
  const refusal = WorkerError.safeParse(body).data?.error;
  if (refusal?.code === "world_model_not_loaded") return { kind: "not-loaded", sizes: refusal.sizes ?? [] };
  if (refusal?.code === "text_too_long") return { kind: "text-too-long", index: refusal.index ?? 0 };
  const known = refusal && failureByCode.get(refusal.code);
  const failure = known ?? { retry: unreachableStatuses.has(status), unwell: true };
  return { kind: "failed", ...failure, reason: `status-${status}` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
