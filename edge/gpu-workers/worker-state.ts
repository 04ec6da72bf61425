/**
 * What the edge remembers of one gpu-worker, and how it chooses among them. Pure: every function takes the
 * state and the time and returns the next state. An isolate's memory, lost at any time without harm.
 */
import type { ModelSize } from "../../shared/model-sizes.ts";

export type WorkerState = {
  /** Base URL without a last slash. */
  url: string;
  /** When each call that has not ended began, milliseconds. */
  openCalls: readonly number[];
  failuresInARow: number;
  skippedUntil: number;
  /** Moving average of recent calls, and when it was last fed. */
  latencyMs: number;
  latencyAt: number;
  /** The sizes it said it has; undefined until it has said so. */
  sizes: { loaded: readonly ModelSize[]; learnedAt: number } | undefined;
};

const failuresUntilSkipped = 3;
const skipMs = 10_000;
/** A worker may be started again with other sizes: what it said is believed this long. */
const sizesBelievedMs = 30_000;
/** An old average says little: it loses two thirds of its weight in this time, so a slow worker is tried again. */
const latencyFadeMs = 10_000;
const newestWeight = 0.3;
/**
 * A call open longer than this has ended without our hearing of it: the runtime stops a request whose
 * client left in the middle of an await, and no `finally` runs.
 */
const openCallLimitMs = 15_000;

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
  const stillOpen = state.openCalls.filter((begun) => now - begun < openCallLimitMs);
  return { ...state, openCalls: [...stillOpen, now] };
}

export function endCall(state: WorkerState, begunAt: number): WorkerState {
  const index = state.openCalls.indexOf(begunAt);
  return index === -1 ? state : { ...state, openCalls: state.openCalls.toSpliced(index, 1) };
}

/** A call that was answered: the worker is well, and this fast. */
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

/** A call that failed by the worker's fault: the third in a row sets it aside for 10 s. */
export function recordFailure(state: WorkerState, now: number): WorkerState {
  const failuresInARow = state.failuresInARow + 1;
  const skippedUntil = failuresInARow >= failuresUntilSkipped ? now + skipMs : state.skippedUntil;
  return { ...state, failuresInARow, skippedUntil };
}

export function recordSizes(state: WorkerState, loaded: readonly ModelSize[], now: number): WorkerState {
  return { ...state, sizes: { loaded, learnedAt: now } };
}

export function isSkipped(state: WorkerState, now: number): boolean {
  return state.skippedUntil > now;
}

/**
 * A worker that was set aside is tried by one request at a time until it answers; only a request that has no other worker left
 * joins in. A hanging worker says nothing for 10 s, in which its old latency fades: chosen by latency it would be the better of
 * two for every request.
 */
function isBeingTried(state: WorkerState, now: number): boolean {
  return state.failuresInARow >= failuresUntilSkipped && countOpen(state, now) > 0;
}

const countOpen = ({ openCalls }: WorkerState, now: number): number =>
  openCalls.filter((begun) => now - begun < openCallLimitMs).length;

/** True when the worker said, not long ago, that it does not have this size. */
export function lacksSize(state: WorkerState, size: ModelSize, now: number): boolean {
  const { sizes } = state;
  return sizes !== undefined && now - sizes.learnedAt < sizesBelievedMs && !sizes.loaded.includes(size);
}

/** Expected wait: recent latency times the calls it would share the worker with. */
function loadOf(state: WorkerState, now: number): number {
  const fade = Math.exp(-Math.max(0, now - state.latencyAt) / latencyFadeMs);
  return (1 + state.latencyMs * fade) * (1 + countOpen(state, now));
}

/** Workers not tried yet; where `mayRepeat`, also those that were, when there is no other. */
export function listUsable(
  workers: readonly WorkerState[],
  { size, tried, mayRepeat }: { size: ModelSize; tried: ReadonlySet<string>; mayRepeat: boolean },
  now: number,
): WorkerState[] {
  const able = workers.filter((worker) => !lacksSize(worker, size, now));
  const awake = able.filter((worker) => !isSkipped(worker, now));
  const well = awake.filter((worker) => !isBeingTried(worker, now));
  // When all are set aside, the next request finds out whether one is back: a try costs less than a refusal.
  const usable = well.length > 0 ? well : able;
  const notYet = (list: readonly WorkerState[]) => list.filter((worker) => !tried.has(worker.url));
  // All well workers have failed this request. One that another request is trying may be back (a rolling restart), so it is next.
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
