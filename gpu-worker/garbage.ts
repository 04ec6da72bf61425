/**
 * Full collections of V8's heap, asked for in a thread of Node that may ask (`--expose-gc`, node-flags.ts). By itself V8
 * collects seldom: its part of a gpu-worker with little to do was 85 MiB two minutes after the start (now 60), and the relay grew by 4 % in
 * 14 minutes.
 */
import { getHeapStatistics } from "node:v8";

/** Time between two looks at the heap. A collection takes 20 to 25 ms of the thread, .12 % of this. */
const everyMs = 20_000;
/** Less garbage is not worth a collection. A thread without work makes none. */
const leastGarbageBytes = 1024 * 1024;

/**
 * Looks at a heap, and collects if it has grown since the last collection. The first look always collects: a start leaves garbage.
 * @param collect V8's `gc`, if the thread has it. @param usedBytes live objects and garbage
 */
export function createHeapWatch(collect: (() => void) | undefined, usedBytes: () => number): () => void {
  let leftBytes = Number.NEGATIVE_INFINITY;
  return () => {
    if (collect === undefined || usedBytes() - leftBytes < leastGarbageBytes) return;
    collect();
    leftBytes = usedBytes();
  };
}

/** What JavaScript's heap holds, and the memory of buffers that wait for their objects to be collected. */
function readUsedBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

/** Watches the heap of this thread until it ends; keeps neither thread nor process alive. */
export function watchHeap(): void {
  const { gc } = globalThis as { gc?: () => void };
  setInterval(createHeapWatch(gc, readUsedBytes), everyMs).unref();
}
