/**
 * Full collections of V8's heap, asked for where the isolate may ask (`--expose-gc`, scripts/self-host/worker-config.ts; Cloudflare never
 * lets it). V8 decides by what lies in JavaScript's heap. An ended request leaves little there, but keeps .1 MiB of the runtime's memory
 * until V8 collects: without asking, an edge of 16 MiB of live objects grows from 90 to 200 MiB.
 */

/** Fewer are not worth a collection: 20 to 40 ms in which nothing else of the isolate runs. */
const leastRequests = 100;
/** Shortest time between two collections, however many requests come: they take .2 % of the time then, for a heap of 16 MiB. */
const leastPauseMs = 20_000;

export type GarbageCollector = {
  /** To be called for each request when it has an answer; collects a turn of the event loop later, when the answer's head has left. */
  requestAnswered(execution: Pick<ExecutionContext, "waitUntil">): void;
};

/** @param collect V8's `gc`, if the isolate has it. @param now Unix milliseconds */
export function createGarbageCollector(
  collect: (() => void) | undefined,
  now: () => number,
): GarbageCollector {
  let requests = 0;
  let collectedAt = now();
  return {
    requestAnswered(execution) {
      requests += 1;
      if (collect === undefined || requests < leastRequests || now() - collectedAt < leastPauseMs) return;
      requests = 0;
      collectedAt = now();
      execution.waitUntil(new Promise((resolve) => setTimeout(resolve)).then(() => collect()));
    },
  };
}
