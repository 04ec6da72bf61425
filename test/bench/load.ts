/** A closed loop: so many callers, each sending its next request when the last one is answered. */
import { readCpuSeconds } from "./process-usage.ts";

export type LoadFigures = {
  perSecond: number;
  p50Ms: number;
  /** CPU seconds per request, by process name. */
  cpu: Record<string, number>;
};

export type LoadOptions = {
  concurrency: number;
  seconds: number;
  /** Whose CPU time is read, by name. */
  processes: Readonly<Record<string, number>>;
  /** One request; gives its milliseconds. */
  call: () => Promise<number>;
  /** The median of samples. */
  median: (samples: number[]) => number;
};

/** Rejects with the first call that fails: a figure with errors in it means nothing. */
export async function runLoad(options: LoadOptions): Promise<LoadFigures> {
  const { concurrency, seconds, processes, call } = options;
  const samples: number[] = [];
  const readAll = () => Object.entries(processes).map(([name, pid]) => [name, readCpuSeconds(pid)] as const);
  const before = new Map(readAll());
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  const caller = async () => {
    do samples.push(await call());
    while (performance.now() < endAt);
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  const cpu = readAll().map(([name, used]) => [name, (used - before.get(name)!) / samples.length] as const);
  return {
    perSecond: samples.length / elapsedSeconds,
    p50Ms: options.median(samples),
    cpu: Object.fromEntries(cpu),
  };
}
