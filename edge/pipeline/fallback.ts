/**
 * The models of a request in order: the next one is asked where a provider is busy, down or silent, as long as
 * nothing of an answer has reached the caller. A refusal of the request itself is nobody else's to answer.
 */
import { type ErrorCode, GatewayError } from "../../shared/errors.ts";
import { readFirstWords } from "../providers/failover.ts";
import { type Execution, type ExecutionRun, execute } from "./execute.ts";
import type { Candidate } from "./resolve-terms.ts";
import type { Services } from "./services.ts";

/** What a caller would read as 429 or 5xx. */
const providerFailures: ReadonlySet<ErrorCode> = new Set([
  "upstream_rate_limited",
  "upstream_overloaded",
  "upstream_error",
  "upstream_timeout",
  "upstream_truncated",
]);

/** As execute, with the first of the candidates that answers. Throws what the last one tried said. */
export async function executeFirst(
  execution: Omit<Execution, "candidate" | "signal">,
  services: Services,
): Promise<ExecutionRun> {
  const { terms, running } = execution;
  const others = [...terms.candidates];
  let candidate: Candidate = others.shift()!;
  for (;;) {
    const next = others.shift();
    const attempt = next && new AbortController();
    // The last one ends with the request: a signal of its own would be kept for as long as the stream is open.
    const signal = attempt ? AbortSignal.any([running.signal, attempt.signal]) : running.signal;
    try {
      const run = await execute({ ...execution, candidate, signal }, services);
      return next === undefined || execution.input.options.maxLlmCalls > 1 ? run : await withFirstWord(run);
    } catch (error) {
      if (next === undefined || running.signal.aborted || !isProviderFailure(error)) throw error;
      // Of several calls for one request others may still be on their way.
      attempt?.abort();
      candidate.tab.calls.dropFailed();
      services.log({
        level: "warn",
        event: "model_fallback",
        request_id: execution.input.requestId,
        model: candidate.route.model,
        next: next.route.model,
        error: error.code,
      });
      candidate = next;
      running.turnTo(next);
    }
  }
}

const isProviderFailure = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && providerFailures.has(error.code);

/** The run once it has said something. Throws the failure that comes before. */
async function withFirstWord(run: ExecutionRun): Promise<ExecutionRun> {
  const { batches, failure } = await readFirstWords(run.events);
  if (failure !== undefined) {
    await run.events.return();
    const { code, message, details } = failure;
    throw new GatewayError(code, message, details && { instructions: details });
  }
  return { ...run, events: joinEvents(batches, run.events) };
}

async function* joinEvents(
  batches: Awaited<ReturnType<typeof readFirstWords>>["batches"],
  rest: ExecutionRun["events"],
): ExecutionRun["events"] {
  try {
    yield* batches;
    yield* rest;
  } finally {
    // Also when the consumer stops early: the provider must not keep writing.
    await rest.return();
  }
}
