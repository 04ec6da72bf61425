/**
 * What the edge remembers of one gpu-worker, and how it chooses among them. Pure: every function takes the state and the time,
 * and returns the next state. The state is a cache in an isolate's memory.
 */
import type { ModelSize } from "../../shared/model-sizes.ts";

export type WorkerState = {
  /** Base URL without a last slash. */
  url: string;
  /** Start of each open call, milliseconds. */
  openCalls: readonly number[];
  failuresInARow: number;
  skippedUntil: number;
  /** Moving average over recent calls, and the time of its last update. */
  latencyMs: number;
  latencyAt: number;
  /** The sizes that it reported; undefined before its first report. */
  sizes: { loaded: readonly ModelSize[]; learnedAt: number } | undefined;
};

const failuresUntilSkipped = 3;
const skipMs = 10_000;
/** How long reported sizes count: a worker may be restarted with others. */
const sizesBelievedMs = 30_000;
/** Time in which an average loses two thirds of its weight, so that a slow worker is tried again. */
const latencyFadeMs = 10_000;
const newestWeight = 0.3;
/**
 * A call that has been open for longer ended without a report: when a client leaves during an await, the runtime stops the
 * request, and no `finally` runs.
 */
const openCallLimitMs = 15_000;

/** Whether `at` is less than `limitMs` ago. Never for a time in the future: the clock was set back since, so its age is unknown. */
export const isRecent = (at: number, limitMs: number, now: number): boolean =>
  at <= now && now - at < limitMs;

export function createWorkerState(url: string): WorkerState {
  return {
    url,
    openCalls: [],
    failuresInARow: 0,
    skippedUntil: 0,
    latencyMs: 0,
    latencyAt: 0,
    sizes: undefined,
  };
}

export function beginCall(state: WorkerState, now: number): WorkerState {
  const stillOpen = state.openCalls.filter((begun) => isRecent(begun, openCallLimitMs, now));
  return { ...state, openCalls: [...stillOpen, now] };
}

export function endCall(state: WorkerState, begunAt: number): WorkerState {
  const index = state.openCalls.indexOf(begunAt);
  return index === -1 ? state : { ...state, openCalls: state.openCalls.toSpliced(index, 1) };
}

/** Records an answered call: the worker is well, and its latency is known. */
export function recordAnswer(state: WorkerState, latencyMs: number, now: number): WorkerState {
  const isFirst = state.latencyAt === 0;
  return {
    ...state,
    failuresInARow: 0,
    skippedUntil: 0,
    latencyMs: isFirst ? latencyMs : state.latencyMs * (1 - newestWeight) + latencyMs * newestWeight,
    latencyAt: now,
  };
}

/** Records a failure that is the worker's fault: the third in a row sets it aside for 10 s. */
export function recordFailure(state: WorkerState, now: number): WorkerState {
  const failuresInARow = state.failuresInARow + 1;
  const skippedUntil = failuresInARow >= failuresUntilSkipped ? now + skipMs : state.skippedUntil;
  return { ...state, failuresInARow, skippedUntil };
}

export function recordSizes(state: WorkerState, loaded: readonly ModelSize[], now: number): WorkerState {
  return { ...state, sizes: { loaded, learnedAt: now } };
}

/** Whether the worker is set aside. A time further ahead than `skipMs` does not count: the clock was set back since. */
export function isSkipped({ skippedUntil }: WorkerState, now: number): boolean {
  return skippedUntil > now && skippedUntil - now <= skipMs;
}

/**
 * Whether another request is already trying a worker that was set aside. One request at a time does, until the worker answers; a
 * second joins only if it has no other worker left. A hanging worker says nothing for 10 s, while its old latency fades: chosen
 * by latency, it would look like the better of two to every request.
 */
function isBeingTried(state: WorkerState, now: number): boolean {
  return state.failuresInARow >= failuresUntilSkipped && countOpen(state, now) > 0;
}

const countOpen = ({ openCalls }: WorkerState, now: number): number =>
  openCalls.filter((begun) => isRecent(begun, openCallLimitMs, now)).length;

/** True if the worker reported lately that it does not have this size. */
export function lacksSize(state: WorkerState, size: ModelSize, now: number): boolean {
  const { sizes } = state;
  return (
    sizes !== undefined && isRecent(sizes.learnedAt, sizesBelievedMs, now) && !sizes.loaded.includes(size)
  );
}

/** Expected wait: recent latency times the calls it would share the worker with. */
function loadOf(state: WorkerState, now: number): number {
  const fade = Math.exp(-Math.max(0, now - state.latencyAt) / latencyFadeMs);
  return (1 + state.latencyMs * fade) * (1 + countOpen(state, now));
}

/** Workers not tried yet; with `mayRepeat`, also those already tried, if there is no other. */
export function listUsable(
  workers: readonly WorkerState[],
  { size, tried, mayRepeat }: { size: ModelSize; tried: ReadonlySet<string>; mayRepeat: boolean },
  now: number,
): WorkerState[] {
  const able = workers.filter((worker) => !lacksSize(worker, size, now));
  const awake = able.filter((worker) => !isSkipped(worker, now));
  const well = awake.filter((worker) => !isBeingTried(worker, now));
  // If all are set aside, this request finds out whether one is back: a try costs less than a refusal.
  const usable = well.length > 0 ? well : able;
  const notYet = (list: readonly WorkerState[]) => list.filter((worker) => !tried.has(worker.url));
  // All healthy workers have failed this request. One that another request is trying may be back (a rolling restart), so it is
  // asked next.
  const hasTriedAllWell = well.length > 0 && notYet(well).length === 0;
  const untried = notYet(hasTriedAllWell ? awake : usable);
  return untried.length > 0 || !mayRepeat ? untried : usable;
}

/** The better of two picked at random; undefined when there is none. `random` is in [0, 1). */
export function chooseWorker(
  candidates: readonly WorkerState[],
  random: () => number,
  now: number,
): WorkerState | undefined {
  if (candidates.length <= 1) return candidates[0];
  const first = Math.floor(random() * candidates.length);
  const skip = 1 + Math.floor(random() * (candidates.length - 1));
  const second = (first + skip) % candidates.length;
  const [one, other] = [candidates[first]!, candidates[second]!];
  return loadOf(one, now) <= loadOf(other, now) ? one : other;
}

/**
 * For a request that a worker could not work on: picks at random. By load, a second broken worker, which answers as fast, would be
 * preferred to one that can serve it.
 */
export const chooseAnyWorker = (
  candidates: readonly WorkerState[],
  random: () => number,
): WorkerState | undefined => candidates[Math.floor(random() * candidates.length)];
