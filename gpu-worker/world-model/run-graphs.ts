/** The graphs of a checkpoint as they are run, of any device: some are changed when they are loaded. Pure. */
import { toPackedEncoder } from "./packed-encoder.ts";
import { memoryRows } from "./plan-decoder.ts";
import { toShortMemory, toShortSteps } from "./short-memory.ts";

const changes: Readonly<Record<string, (model: Uint8Array) => Uint8Array>> = {
  "encoder.onnx": toPackedEncoder,
  "plan-open.onnx": (model) => toShortMemory(model, memoryRows.total),
  "plan-step.onnx": (model) => toShortSteps(model, memoryRows.total),
};

/** A file of a checkpoint as it is run. */
export const toRunGraph = (file: string, model: Uint8Array): Uint8Array => changes[file]?.(model) ?? model;
