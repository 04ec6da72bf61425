/**
 * One signed call to one gpu-worker. Returns its outcome, and throws only if the caller aborts it.
 * What each refusal means, whether it is worth a second try and whether it is the worker's fault: shared/worker-refusals.ts.
 */
import { base64url } from "jose";
import { EmbedProgress, progressType } from "../../shared/embedding.ts";
import type { ModelSize } from "../../shared/model-sizes.ts";
import { type Signer, workerAudience } from "../../shared/signature.ts";
import { findWorkerRefusal, maxRetryAfterSeconds, WorkerError } from "../../shared/worker-refusals.ts";
import {
  type TaskName,
  type TaskRequest,
  type TaskResponse,
  workerTasks,
} from "../../shared/worker-tasks.ts";
import { parseJson } from "../dialects/json.ts";
import { boundBody } from "../stream/bounded-body.ts";
import { boundAnswerBytes, isAnswerTo } from "./validate-answer.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * `retry`: another try may help. `unwell`: counts against the worker; `unsure`: counts only if its /health does not answer
 * either; `doubtful`: counts only if another worker then serves the request, which may itself be at fault. `reason`: a tag for the
 * operator. `busy`: whose work is too much, and when to retry.
 */
export type CallFailure = {
  retry: boolean;
  unwell: boolean;
  unsure?: boolean;
  doubtful?: boolean;
  reason: string;
  busy?: { who: "account" | "worker"; retryAfterSeconds: number };
};
export type CallOutcome<Name extends TaskName> =
  | { kind: "done"; answer: TaskResponse<Name> }
  | { kind: "not-loaded"; sizes: ModelSize[] }
  | { kind: "text-too-long"; index: number }
  | ({ kind: "failed" } & CallFailure);

const encoder = new TextEncoder();
const shareLength = 16;

/**
 * The name under which a gpu-worker knows an account, to give each its share: 96 bits of SHA-256. A worker can tell accounts
 * apart and learns nothing else of them: account ids are random and cannot be guessed.
 */
export async function nameShare(accountId: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", encoder.encode(`share:${accountId}`));
  return base64url.encode(new Uint8Array(digest)).slice(0, shareLength);
}

export type WorkerCall<Name extends TaskName> = {
  task: Name;
  url: string;
  request: TaskRequest<Name>;
  /** The same as JSON text. */
  body: string;
  requestId: string;
  traceparent?: string | undefined;
  /** The account's pseudonym (`nameShare`), by which a worker gives each account its share. */
  share: string;
  signer: Signer;
  fetch: Fetch;
  signal: AbortSignal;
  /** Called during a long task with the tokens that the worker has read so far. */
  onProgress?: ((tokens: number) => void) | undefined;
  /** Of a bulk task: without progress. A hundred long texts take longer on a CPU, and a call that is given up is free. */
  timeoutMs: number;
  /** When the task is given up, whatever its progress; `longestTaskMs` after its first call began. Milliseconds since the epoch, as `now`. */
  endsAt: number;
  now: number;
  nonce: string;
};

/** Of a task on all workers together: below the age at which the sweep takes the hold of a silent request for dead (billing/sweep.ts). */
export const longestTaskMs = 600_000;

/** One task on one worker. Rejects only with `signal.reason`, when the caller left. */
export async function callWorker<Name extends TaskName>(call: WorkerCall<Name>): Promise<CallOutcome<Name>> {
  const { path } = workerTasks[call.task];
  const { body, now, nonce, share } = call;
  const audience = [workerAudience, call.url];
  const token = await call.signer.sign({ audience, method: "POST", path, body, now, nonce, share });
  call.signal.throwIfAborted();
  const timeout = new AbortController();
  const expire = () => timeout.abort();
  const deadline = setTimeout(expire, call.endsAt - now);
  let timer = setTimeout(expire, call.timeoutMs);
  const onProgress = (tokens: number) => {
    call.onProgress?.(tokens);
    if (workerTasks[call.task].urgency !== "bulk") return;
    clearTimeout(timer);
    timer = setTimeout(expire, call.timeoutMs);
  };
  try {
    const response = await call.fetch(call.url + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "x-request-id": call.requestId,
        ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
        ...(call.onProgress && { accept: progressType }),
      },
      body,
      redirect: "manual",
      signal: AbortSignal.any([call.signal, timeout.signal]),
    });
    const bounded = boundBody(response, boundAnswerBytes(call.request, body));
    return readOutcome(call, response, await readLastLine(bounded, onProgress));
  } catch (error) {
    if (call.signal.aborted) throw call.signal.reason;
    // A timeout does not tell a broken worker from an overloaded one.
    if (timeout.signal.aborted)
      return { kind: "failed", retry: false, unwell: false, unsure: true, reason: "timeout" };
    const reason = error instanceof RangeError ? "answer-too-large" : "network";
    return { kind: "failed", retry: true, unwell: true, reason };
  } finally {
    clearTimeout(timer);
    clearTimeout(deadline);
  }
}

/** The answer itself: the whole body, or its last line if progress lines come before it. */
async function readLastLine(response: Response, onProgress: (tokens: number) => void) {
  const told = response.headers.get("content-type") === progressType;
  if (!told || response.body === null) return response.text();
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    rest += text;
    // Waits for a line's end, so that the text is split once per line and not once per chunk.
    if (!text.includes("\n")) continue;
    const lines = rest.split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const progress = EmbedProgress.safeParse(parseJson(line));
      if (progress.success) onProgress(progress.data.done);
    }
  }
  return rest;
}

/** What a worker's answer means. Pure. */
function readOutcome<Name extends TaskName>(
  { task, request }: Pick<WorkerCall<Name>, "task" | "request">,
  { status, headers }: Response,
  text: string,
): CallOutcome<Name> {
  const body = parseJson(text);
  const refusal = WorkerError.safeParse(body).data?.error;
  if (status === 200 && refusal === undefined) {
    const answer = workerTasks[task].response.safeParse(body);
    const data = answer.data as TaskResponse<Name> | undefined;
    if (data !== undefined && isAnswerTo(task, request, data)) return { kind: "done", answer: data };
    return { kind: "failed", retry: true, unwell: true, reason: "malformed-answer" };
  }
  const row = refusal && findWorkerRefusal(refusal.code);
  // With progress lines the status is 200, even if the last line is a refusal.
  const reason = `status-${status === 200 && row ? row.status : status}`;
  // Not an answer of ours: a tunnel or proxy in front of the worker cannot reach it, or does not let the request pass, and each has
  // a status of its own for that.
  if (!row) return { kind: "failed", retry: true, unwell: false, doubtful: true, reason };
  const { retry, unwell, retryAfterSeconds = 1 } = row;
  const asked = Math.ceil(Number(headers.get("retry-after") ?? retryAfterSeconds));
  const waitSeconds = asked > 0 ? Math.min(asked, maxRetryAfterSeconds) : retryAfterSeconds;
  const failed = { kind: "failed", retry, unwell, reason } as const;
  switch (row.outcome) {
    case "not-loaded":
      return { kind: "not-loaded", sizes: refusal.sizes ?? [] };
    case "text-too-long":
      return { kind: "text-too-long", index: refusal.index ?? 0 };
    case "account-busy":
      return { ...failed, busy: { who: "account", retryAfterSeconds: waitSeconds } };
    case "worker-busy":
      return { ...failed, busy: { who: "worker", retryAfterSeconds: waitSeconds } };
    case "unable":
      return { ...failed, doubtful: true };
    case "unavailable":
      return failed;
  }
}
