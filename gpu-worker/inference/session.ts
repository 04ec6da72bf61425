/**
 * The only import of onnxruntime-node: opens a model on the wanted device and runs it. `run()` of the
 * runtime blocks its thread, so a session belongs to one worker thread.
 */
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import * as ort from "onnxruntime-node";
import { toCudaGraph } from "./cuda-graph.ts";

// Without CUDA the library writes errors to stderr, too; the thrown error says what matters.
ort.env.logLevel = "fatal";

export type Device = "cuda" | "cpu";
export type DeviceChoice = Device | "auto";

export type Integers = { kind: "int64"; values: BigInt64Array; shape: readonly number[] };
export type Floats = { kind: "float32"; values: Float32Array; shape: readonly number[] };

export type OnnxSession = {
  /** The device on which the session really runs, after a fallback. */
  device: Device;
  /** Why `auto` did not use CUDA, if it did not. */
  fellBack?: string;
  /** Dimensions of one row of each output: all but the first. */
  rowShapes: Readonly<Record<string, readonly number[]>>;
  /** Runs the whole graph, and writes its results into `outputs`. Throws if the graph has no such output. */
  run(inputs: Record<string, Integers | Floats>, outputs: Record<string, Floats>): Promise<void>;
  close(): Promise<void>;
};

export type OpenSessionOptions = {
  /** A graph for CPUs, or a function that reads it when it is needed. */
  model: Uint8Array | (() => Uint8Array);
  device: DeviceChoice;
  /** Threads inside one operator (1). */
  intraOpThreads?: number;
  /** Path of the same graph as `writeForCpu` wrote it, for a session on the CPU. */
  written?: string | undefined;
};

/** The runtime's own folder of binaries, the only place where it looks for its CUDA library. */
const nativeFolder = join(dirname(createRequire(import.meta.url).resolve("onnxruntime-node")), "../bin");

/** Whether a folder has the CUDA library. An attempt without it makes the runtime write to stderr. */
export const hasCudaLibrary = (folder: string): boolean =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).some(
    (path) =>
      path.includes(`${join(process.platform, process.arch)}/`) &&
      /onnxruntime_providers_cuda\.\w+$/.test(path),
  );

/** Whether a session might run on a GPU. */
export const mayUseCuda = (device: DeviceChoice): boolean => device !== "cpu" && hasCudaLibrary(nativeFolder);

const settingsOf = (
  device: Device,
  intraOpThreads: number,
  graphOptimizationLevel: "all" | "disabled",
): ort.InferenceSession.SessionOptions => ({
  executionProviders: [device],
  intraOpNumThreads: intraOpThreads,
  interOpNumThreads: 1,
  executionMode: "sequential",
  graphOptimizationLevel,
  // With it the runtime keeps a memory pattern for every shape it has ever seen, which saves nothing here.
  enableMemPattern: false,
});

/**
 * Optimises a graph, packs its weights for this processor, and writes both: `path`, and `path`.weights, which any number of threads
 * can map into memory.
 */
export async function writeForCpu(model: Uint8Array, path: string): Promise<void> {
  const session = {
    optimized_model_external_initializers_file_name: `${basename(path)}.weights`,
    optimized_model_external_initializers_min_size_in_bytes: "1024",
    save_external_prepacked_constant_initializers: "1",
  };
  const settings = { ...settingsOf("cpu", 1, "all"), optimizedModelFilePath: path, extra: { session } };
  await (await ort.InferenceSession.create(model, settings)).release();
}

/** Opens a session. `auto` uses CUDA if it works and else the CPU; `cuda` throws without CUDA. */
export async function openSession(options: OpenSessionOptions): Promise<OnnxSession> {
  const { device, intraOpThreads = 1, written } = options;
  const read = () => (typeof options.model === "function" ? options.model() : options.model);
  const create = (name: Device) => {
    if (name === "cuda")
      return ort.InferenceSession.create(toCudaGraph(read()), settingsOf(name, intraOpThreads, "all"));
    return written === undefined
      ? ort.InferenceSession.create(read(), settingsOf(name, intraOpThreads, "all"))
      : ort.InferenceSession.create(written, settingsOf(name, intraOpThreads, "disabled"));
  };
  if (device === "cpu") return wrap(await create("cpu"), "cpu");
  let reason = "onnxruntime-node was installed without its CUDA library";
  if (hasCudaLibrary(nativeFolder)) {
    try {
      return wrap(await create("cuda"), "cuda");
    } catch (error) {
      reason = error instanceof Error ? error.message.split("\n", 1)[0]! : "unknown reason";
    }
  }
  if (device === "cuda") throw new Error(`DEVICE=cuda, but CUDA cannot be used here: ${reason}`);
  return { ...wrap(await create("cpu"), "cpu"), fellBack: reason };
}

function wrap(session: ort.InferenceSession, device: Device): OnnxSession {
  const rowShapes = Object.fromEntries(
    session.outputMetadata.map((output) => [
      output.name,
      output.isTensor ? output.shape.slice(1).map(Number) : [],
    ]),
  );
  return {
    device,
    rowShapes,
    async run(inputs, outputs) {
      // For an unknown name the runtime would leave the array unchanged, without an error.
      for (const name of Object.keys(outputs))
        if (!rowShapes[name]) throw new Error(`the model has no output named ${name}`);
      await session.run(toTensors(inputs), toTensors(outputs));
    },
    close: () => session.release(),
  };
}

/** Tensors that use the arrays' own memory: nothing is copied. */
const toTensors = (arrays: Record<string, Integers | Floats>): Record<string, ort.Tensor> =>
  Object.fromEntries(
    Object.entries(arrays).map(([name, { kind, values, shape }]) => [
      name,
      new ort.Tensor(kind, values as never, shape),
    ]),
  );
