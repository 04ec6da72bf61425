/**
 * Shares the large graphs of a checkpoint among threads. The first thread writes each graph as onnxruntime prepared it
 * (optimised, weights packed for this processor), and every thread maps that file into memory: one copy for all. Separate copies
 * take 30 MiB more per thread, and evict each other from the processor's cache.
 */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** `state`: one of `states` as an int32, in memory that all threads share. */
export type SharedGraphs = { folder: string; state: SharedArrayBuffer };

const states = { untouched: 0, writing: 1, written: 2, failed: 3 } as const;
/** How long threads wait for the one that writes, which may have died. Then each prepares its own copy. */
const maxWriteMs = 30_000;

/** Files with packed weights are tested only on Linux on x64. */
const isSupported = process.platform === "linux" && process.arch === "x64";

const prefix = "svc-gpu-worker-";
/** Older folders belong to no start in progress. */
const leftAfterMs = 120_000;

/** Removes folders of processes that were killed while they started. */
async function removeLeft(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(tmpdir(), name);
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > leftAfterMs) await rm(folder, { recursive: true, force: true });
  }
}

/** A new folder for this process. Undefined on a system where this is not tested, and where temporary files cannot be written. */
export async function createSharedGraphs(): Promise<SharedGraphs | undefined> {
  if (!isSupported) return undefined;
  await removeLeft().catch(() => {});
  const folder = await mkdtemp(join(tmpdir(), prefix)).catch(() => undefined);
  return folder === undefined ? undefined : { folder, state: new SharedArrayBuffer(4) };
}

/** To be called when every thread has opened the files: mapped memory outlives them. */
export const removeSharedGraphs = async (shared: SharedGraphs | undefined): Promise<void> => {
  if (shared) await rm(shared.folder, { recursive: true, force: true }).catch(() => {});
};

/**
 * The graphs that are shared. The other large ones contain a `Gemm` or an `If`: onnxruntime 1.30 can write such a graph, but the
 * written file crashes the process when it runs.
 */
export const sharedGraphs = ["encoder", "plan-library"] as const;

export const sharedPath = ({ folder }: SharedGraphs, name: string): string => join(folder, `${name}.onnx`);

/** Whether the files were written. The first thread to call writes them by `write`; the others block until it has, or for `maxWriteMs`. */
export async function whenWritten({ state }: SharedGraphs, write: () => Promise<void>): Promise<boolean> {
  const now = new Int32Array(state);
  if (Atomics.compareExchange(now, 0, states.untouched, states.writing) === states.untouched) {
    const became = await write().then(
      () => states.written,
      () => states.failed,
    );
    Atomics.store(now, 0, became);
    Atomics.notify(now, 0);
  } else Atomics.wait(now, 0, states.writing, maxWriteMs);
  return Atomics.load(now, 0) === states.written;
}
