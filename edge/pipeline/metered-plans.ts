/**
 * Has the plans of one request made, and counts the tokens that the world model read for them by now. A plan over many unseen tools is
 * read in pieces of 50 to 100 ms of a worker's thread. Who leaves in between pays for the pieces that were read: leaving just before the
 * last one would else be a way to occupy a worker for nothing.
 */
import type { PlanRequest, PlanResponse } from "../../shared/planning.ts";
import type { ChatInput } from "./chat-input.ts";
import type { Services } from "./services.ts";

export type MeteredPlans = {
  /** `signal`: ends this plan; that of the request if absent. Throws as `GpuWorkers.run`. */
  make(request: PlanRequest, signal?: AbortSignal): Promise<PlanResponse>;
  tokens(): number;
};

/** `requestSignal`: has fired once the request has ended, in whatever way. */
export function createMeteredPlans(
  { requestId, account: { accountId } }: Pick<ChatInput, "requestId" | "account">,
  requestSignal: AbortSignal,
  { gpuWorkers }: Pick<Services, "gpuWorkers">,
): MeteredPlans {
  let made = 0;
  let read = 0;
  const onProgress = (tokens: number) => {
    read = tokens;
  };
  return {
    async make(request, signal = requestSignal) {
      try {
        const plan = await gpuWorkers.run("plan", request, { signal, requestId, accountId, onProgress });
        made += plan.tokens;
        read = 0;
        return plan;
      } catch (error) {
        // A plan that failed is free; one that the end of its request cut is not.
        if (!requestSignal.aborted) read = 0;
        throw error;
      }
    },
    tokens: () => made + read,
  };
}
