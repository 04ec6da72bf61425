/** Measures how fast a loaded size plans: through queue, batch and threads, without HTTP. */
import type { ModelSize } from "../shared/model-sizes.ts";
import type { PlanRequest } from "../shared/planning.ts";
import type { QueueLimits } from "./config.ts";
import type { SizeService } from "./size-service.ts";

export type Speed = { p50Ms: number; p99Ms: number; perSecond: number };

const verbs = ["find", "compare", "book", "cancel", "summarise", "download", "translate", "send"];
const things = ["the cheapest train to Porto", "three laptops", "a table for two", "last month's invoices"];
const tools = ["search_web", "open_page", "send_email", "create_event"].map((name) => ({
  name,
  description: `${name.replace("_", " ")} for the user`,
}));

/** All different, since encoded texts are remembered; every second one has tools. */
function requestAt(size: ModelSize, index: number): PlanRequest {
  const goal = `${verbs[index % verbs.length]} ${things[(index >> 3) % things.length]} for order ${index}`;
  const withTools = index % 2 === 1;
  return {
    size,
    goal,
    state: `page ${index}`,
    history: [],
    turns: [],
    tools: withTools ? tools : [],
    maxSteps: 5,
  };
}

/**
 * Measures one caller for `seconds`, then enough callers to fill the queue's batches for as long again.
 * @throws the refusal of the first plan that fails
 */
export async function measureService(
  service: SizeService,
  size: ModelSize,
  limits: QueueLimits,
  seconds: number,
): Promise<Speed> {
  let index = 0;
  const measure = async (callers: number) => {
    const tookMs: number[] = [];
    const startedAt = performance.now();
    const endAt = startedAt + seconds * 1000;
    const call = async (caller: number) => {
      do {
        const begunAt = performance.now();
        const signal = new AbortController().signal;
        await service.run("plan", requestAt(size, index++), { share: `caller-${caller}`, signal });
        tookMs.push(performance.now() - begunAt);
      } while (performance.now() < endAt);
    };
    await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
    return { tookMs: tookMs.toSorted((a, b) => a - b), lastedMs: performance.now() - startedAt };
  };
  const alone = await measure(1);
  const loaded = await measure(Math.min(limits.maxQueuedRequests, limits.maxBatchRequests));
  const at = (share: number) => alone.tookMs[Math.floor((alone.tookMs.length - 1) * share)]!;
  return { p50Ms: at(0.5), p99Ms: at(0.99), perSecond: (loaded.tookMs.length / loaded.lastedMs) * 1000 };
}
