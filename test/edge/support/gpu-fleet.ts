/** Gpu-workers that answer as told, and the requests that each was sent. */
import { expect } from "vitest";
import type { Fetch } from "../../../edge/gpu-workers/call-worker.ts";
import { createGpuWorkers } from "../../../edge/gpu-workers/gpu-workers.ts";
import type { GatewayError } from "../../../shared/errors.ts";
import type { PlanRequest, PlanResponse } from "../../../shared/planning.ts";
import { createSigningKeys } from "../../../shared/signature.ts";

export const keys = await createSigningKeys();

export const request: PlanRequest = {
  size: "base",
  goal: "g",
  state: "s",
  history: [],
  turns: [],
  tools: [],
  maxSteps: 5,
};
export const plan: PlanResponse = {
  steps: [],
  overallConfidence: 0.5,
  brainSignal: {
    actionType: "search",
    confidence: 1,
    planAhead: [],
    simulationConfirmed: true,
    goalProximity: 0,
  },
  goalReached: 0,
  tokens: 12,
  timings: { queueMs: 0, modelMs: 1 },
};

export type Answer = () => Response | Promise<Response>;
export const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status });
export const planned: Answer = () => json(plan);
export const refused = (status: number, code: string, extra: object = {}): Answer => {
  return () => json({ error: { code, message: "m", ...extra } }, status);
};
export const cut: Answer = () => Promise.reject(new TypeError("connection refused"));
export const busy = refused(503, "overloaded");

export const [one, two] = ["https://one.example", "https://two.example"] as const;

/** A fleet whose workers answer from a list, the last entry for ever. Time stands unless moved. */
export function setUp(
  fleet: Record<string, Answer[]>,
  options: { timeoutMs?: number; random?: () => number } = {},
) {
  const asked: string[] = [];
  const clock = { now: Date.UTC(2026, 0, 1) };
  const fetch: Fetch = async (url, init) => {
    const { origin, pathname } = new URL(url);
    asked.push(origin + (pathname === "/plan" ? "" : pathname));
    const answers = fleet[origin] ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (!answer) throw new TypeError("no such host");
    const left = new Promise<never>((_resolve, reject) => {
      init.signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
    });
    return Promise.race([answer(), left]);
  };
  const workers = createGpuWorkers({
    urls: Object.keys(fleet),
    signingKey: keys.privateJwk,
    fetch,
    random: options.random ?? (() => 0),
    now: () => clock.now,
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
  });
  const signal = new AbortController().signal;
  return {
    workers,
    asked,
    clock,
    fleet,
    ask: (size = request.size) =>
      workers.run("plan", { ...request, size }, { signal, requestId: "r-1", accountId: "acct_1" }),
  };
}

export async function failureOf(work: Promise<unknown>): Promise<GatewayError> {
  return work.then(
    () => expect.unreachable("it should have failed"),
    (error: GatewayError) => error,
  );
}
