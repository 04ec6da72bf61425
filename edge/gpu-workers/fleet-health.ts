/** The health of all gpu-workers together, asked of all at once and cached for a few seconds. */
import { type ModelSize, modelSizes } from "../../shared/model-sizes.ts";
import { actionCount } from "../../shared/planning.ts";
import { WorkerHealth } from "../../shared/worker-health.ts";
import { parseJson } from "../dialects/json.ts";
import { boundBody, shortReplyBytes } from "../stream/bounded-body.ts";
import type { Fetch } from "./call-worker.ts";
import { isRecent } from "./worker-state.ts";

/** `sizes` is empty, and `brain` says not loaded, when no worker answers. */
export type FleetHealth = { sizes: ModelSize[]; brain: WorkerHealth["brain"] };

const askTimeoutMs = 1_000;
const healthMaxAgeMs = 5_000;
const noBrain: WorkerHealth["brain"] = {
  loaded: false,
  checkpoint: "none",
  device: "cpu",
  num_actions: actionCount,
  random_baseline_nats: Math.log(actionCount),
  sentence_transformers: false,
  tool_matching: "keyword",
};

/** GET of one of a worker's pages: its text, or undefined if the worker does not answer 200 with at most `maxBytes` within a second. */
export async function askWorker(
  address: string,
  maxBytes: number,
  fetch: Fetch,
): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(askTimeoutMs);
    const response = await fetch(address, { redirect: "manual", signal });
    const text = await boundBody(response, maxBytes).text();
    return response.status === 200 ? text : undefined;
  } catch {
    return undefined;
  }
}

/** GET /health of one worker; undefined if it does not answer well. */
export async function askHealth(url: string, fetch: Fetch): Promise<WorkerHealth | undefined> {
  const text = await askWorker(`${url}/health`, shortReplyBytes, fetch);
  return text === undefined ? undefined : WorkerHealth.safeParse(parseJson(text)).data;
}

/** Merges the workers' answers: every size that one of them has, and the brain of the first that answered. Pure. */
function mergeHealth(answers: readonly (WorkerHealth | undefined)[]): FleetHealth {
  const well = answers.filter((answer) => answer !== undefined);
  return {
    sizes: modelSizes.filter((size) => well.some((answer) => answer.sizes.includes(size))),
    brain: well[0]?.brain ?? noBrain,
  };
}

/** Asks all workers when the last answer is old. `onSizes` gets the sizes of each worker that answered. */
export function createFleetHealth(
  urls: readonly string[],
  fetch: Fetch,
  now: () => number,
  onSizes: (url: string, sizes: readonly ModelSize[], at: number) => void,
): () => Promise<FleetHealth> {
  let last: { health: FleetHealth; at: number } | undefined;
  return async () => {
    const at = now();
    if (last && isRecent(last.at, healthMaxAgeMs, at)) return last.health;
    const answers = await Promise.all(
      urls.map(async (url) => {
        const answer = await askHealth(url, fetch);
        if (answer) onSizes(url, answer.sizes, at);
        return answer;
      }),
    );
    last = { health: mergeHealth(answers), at };
    return last.health;
  };
}
