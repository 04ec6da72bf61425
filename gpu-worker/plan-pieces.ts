/**
 * Queues a plan with many unseen texts piece after piece (planning/read-ahead.ts), so that it never holds a thread for long: other
 * accounts' work runs in between, and a plan whose caller has left ends with its piece.
 */
import type { PlanResponse } from "../shared/planning.ts";
import type { AdmittedRequest } from "./admission.ts";
import type { PlanBegun } from "./planning/planner.ts";
import type { PlanTask } from "./planning/read-ahead.ts";
import { estimateTokens } from "./task-cost.ts";

type Queue = (
  piece: PlanTask,
  /** Tag of the piece before. */
  after?: number,
) => Promise<{ answer: PlanResponse | PlanBegun; start: number }>;

/**
 * The plan, made in as many pieces as it needs. `timings` add up the waits and the work of all pieces. Reports the tokens read after
 * each piece, since a caller who leaves pays for them.
 */
export async function planInPieces(
  request: PlanTask,
  queue: Queue,
  context: Pick<AdmittedRequest, "waitAgain"> & { onProgress?: (tokens: number) => void },
  after?: number,
): Promise<PlanResponse> {
  const { answer, start } = await queue(request, after);
  if (!("readTexts" in answer)) return answer;
  const rest: PlanTask = { ...request, readTexts: answer.readTexts };
  context.onProgress?.(answer.tokens);
  context.waitAgain(estimateTokens({ name: "plan", request: rest }));
  const { timings, ...plan } = await planInPieces(rest, queue, context, start);
  const queueMs = answer.timings.queueMs + timings.queueMs;
  return { ...plan, timings: { queueMs, modelMs: answer.timings.modelMs + timings.modelMs } };
}
