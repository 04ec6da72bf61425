/**
 * Idempotency-Key on a billed POST path (docs/idempotency.md): put it after the body is validated. Each
 * request leaves with an `attempt` in its context; with a key the work also survives its caller's leaving.
 */
import { GatewayError } from "../../shared/errors.ts";
import { sha256Hex } from "../../shared/hex.ts";
import { isDatabaseUnavailable } from "../db/connection.ts";
import { runLater } from "../db/lost-write.ts";
import { type AnswerStore, type Attempt, beginAttempt, closeAttempt } from "../idempotency/attempt.ts";
import { maxAnswerBytes, type Recorded, recordAnswer, recordStream } from "../idempotency/recorded-answer.ts";
import { claimKept, claimRecordingMemory } from "./claim-memory.ts";
import type { EdgeContext, EdgeMiddleware } from "./context.ts";
import { graceMs } from "./limit-concurrency.ts";

const keyShape = /^[!-~]{1,255}$/;
/** Longest answer, in characters, that waits for a second attempt at keeping it. */
const maxKeptForLater = 64 * 1024;

/** Without the header the work ends when its caller leaves. With it the work goes on for `graceMs`, and its answer is kept. */
export const idempotency: EdgeMiddleware = async (context, next) => {
  const key = context.req.header("idempotency-key");
  const services = context.get("services");
  const holdId = services.randomId();
  const clientSignal = context.req.raw.signal;
  if (key === undefined) {
    context.set("attempt", { holdId, clientSignal });
    return next();
  }
  // Registered before the first await: when a caller leaves, the runtime ends what is not registered. A key claimed by then would
  // stay in progress for everybody until its claim counts as a dead request's.
  const work = runOnce(context, next, key, holdId);
  services.waitUntil(work.catch(() => {}));
  return work;
};

/** Claims the key and performs the request, or answers with what is kept. */
async function runOnce(
  context: EdgeContext,
  next: () => Promise<void>,
  key: string,
  holdId: string,
): Promise<Response | undefined> {
  const store = openAnswerStore(context);
  const attempt = await describeAttempt(context, key, holdId);
  const start = await beginAttempt(store, attempt);
  if (!start.run) {
    context.get("logFields").replayed = 1;
    const { status, headers, body } = start.answer;
    return context.body(body, status as 200, {
      ...headers,
      "idempotent-replayed": "true",
      "x-svc-credits-charged": "0",
      // Clients retry by themselves under the same key, which has this error for a day.
      ...(status >= 400 && { "x-should-retry": "false" }),
    });
  }
  const patience = createPatience(context.req.raw.signal);
  context.set("attempt", { holdId, clientSignal: patience.signal });
  await perform(context, next, { store, attempt, patience });
  return undefined;
}

function openAnswerStore(context: EdgeContext): AnswerStore {
  const services = context.get("services");
  if (services.vault !== undefined) {
    const claimMemory = (bytes: number) => claimKept(context, bytes);
    return { ...services, sealer: services.vault.sealer, claimMemory };
  }
  throw new GatewayError(
    "invalid_request",
    "This service keeps no answers, as its vault is disabled: send the request without Idempotency-Key.",
    { param: "Idempotency-Key" },
  );
}

async function describeAttempt(context: EdgeContext, key: string, holdId: string): Promise<Attempt> {
  if (!keyShape.test(key)) {
    const shape = "1 to 255 visible ASCII characters";
    throw new GatewayError("invalid_request", `Idempotency-Key must be ${shape}.`, {
      param: "Idempotency-Key",
    });
  }
  const { method, path } = context.req;
  const body = JSON.stringify(context.get("body"));
  const [keyHash, fingerprint] = await Promise.all([sha256Hex(key), sha256Hex(`${method} ${path}\n${body}`)]);
  return { accountId: context.get("account").accountId, keyHash, holdId, fingerprint };
}

/** A signal that fires some time after the client has left, unless the work has ended before. */
type Patience = { signal: AbortSignal; onLeave: (listener: () => void) => void; end: () => void };

function createPatience(clientSignal: AbortSignal): Patience {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onLeave = (listener: () => void) => {
    if (clientSignal.aborted) listener();
    else clientSignal.addEventListener("abort", listener, { once: true });
  };
  onLeave(() => {
    timer = setTimeout(() => controller.abort(), graceMs);
  });
  return { signal: controller.signal, onLeave, end: () => clearTimeout(timer) };
}

type Run = { store: AnswerStore; attempt: Attempt; patience: Patience };

/** Keeps an answer for retries. Never throws: the work is done and charged, so its caller gets the answer even if it cannot be stored. */
async function keepAnswer(context: EdgeContext, { store, attempt }: Run, recorded: Recorded): Promise<void> {
  const services = context.get("services");
  const close = async (): Promise<void> => {
    const closed = await closeAttempt(store, attempt, recorded);
    const hadMemory = !("lost" in recorded) || recorded.lost !== "no_memory";
    if (closed === "closed" && hadMemory) return;
    const reason = hadMemory ? "account_full" : "no_memory";
    services.log({ level: "warn", event: "answer_not_kept", account_id: attempt.accountId, reason });
  };
  const logFailure = (error: unknown) =>
    services.log({ level: "error", event: "answer_not_kept", error_class: (error as Error).name });
  try {
    await close();
  } catch (error) {
    // A longer answer would take memory that nobody has claimed.
    const isShort = "lost" in recorded || recorded.body.length <= maxKeptForLater;
    if (isShort && isDatabaseUnavailable(error)) runLater(services, () => close().catch(logFailure));
    else logFailure(error);
  }
}

/** Runs the request, and keeps its answer for retries. */
async function perform(context: EdgeContext, next: () => Promise<void>, run: Run): Promise<void> {
  const { patience } = run;
  const keep = (recorded: Recorded): Promise<void> => {
    patience.end();
    return keepAnswer(context, run, recorded);
  };
  await next();
  const response = context.res;
  const streamed = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (!streamed || response.body === null) {
    // Cut off by us: its error advises a retry, which with this key would get that error again for a day.
    if (patience.signal.aborted && !response.ok) return keep({ lost: "cut_off" });
    const body = await response.clone().text();
    const tooLarge = body.length > maxAnswerBytes;
    return keep(tooLarge ? { lost: "too_large" } : recordAnswer(response, body));
  }
  const { stream, leave, drop, ended } = recordStream(response.body, {
    maxBytes: maxAnswerBytes,
    memory: claimRecordingMemory(context),
    onEnd: (passed) => {
      if (patience.signal.aborted) return keep({ lost: "cut_off" });
      return keep("lost" in passed ? passed : recordAnswer(response, passed.text));
    },
  });
  // Passed to `waitUntil` now: what a request registers after its client has left may be cancelled.
  context.get("services").waitUntil(ended);
  patience.onLeave(leave);
  context.set("dropRecording", drop);
  context.res = new Response(stream, response);
}
