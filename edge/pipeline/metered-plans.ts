/**
 * Has the plans of one request made, and counts the tokens that the world model read for them. A plan over many unseen tools is
 * read in pieces of 50 to 100 ms of a worker's thread. A caller who leaves in between pays for the pieces that were read: otherwise leaving
 * just before the last one would be a way to occupy a worker for nothing.
 */
import type { PlanRequest, PlanResponse } from "../../shared/planning.ts";
import type { ChatInput } from "./chat-input.ts";
import type { Services } from "./services.ts";

export type MeteredPlans = {
  /** `signal`: ends this plan; that of the request if absent. Throws as `GpuWorkers.run`. */
  make(request: PlanRequest, signal?: AbortSignal): Promise<PlanResponse>;
  /** Tokens of the plans that were made. */
  tokens(): number;
  /** Tokens read by then of the plan that was being made when the request ended. */
  tokensOfCutPlan(): number;
};

/** `requestSignal`: aborts when the request ends, in whatever way. */
export function createMeteredPlans(
  { requestId, account: { accountId } }: Pick<ChatInput, "requestId" | "account">,
  requestSignal: AbortSignal,
  { gpuWorkers }: Pick<Services, "gpuWorkers">,
): MeteredPlans {
  let madePlans = 0;
  let cutPlan = 0;
  const onProgress = (tokens: number) => {
    cutPlan = tokens;
  };
  return {
    async make(request, signal = requestSignal) {
      try {
        const plan = await gpuWorkers.run("plan", request, { signal, requestId, accountId, onProgress });
        madePlans += plan.tokens;
        cutPlan = 0;
        return plan;
      } catch (error) {
        // A plan that failed by itself was not cut.
        if (!requestSignal.aborted) cutPlan = 0;
        throw error;
      }
    },
    tokens: () => madePlans,
    tokensOfCutPlan: () => cutPlan,
  };
}
