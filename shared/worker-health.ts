/** edge <-> gpu-worker: GET /health. What a worker has loaded, and on which device. */
import { z } from "zod";
import { ModelSize } from "./model-sizes.ts";

export const WorkerHealth = z.object({
  status: z.literal("healthy"),
  sizes: z.array(ModelSize),
  dimensions: z.record(z.string(), z.int()),
  device: z.enum(["cuda", "cpu"]),
  brain: z.object({
    loaded: z.boolean(),
    checkpoint: z.string().max(256),
    device: z.enum(["cuda", "cpu"]),
    num_actions: z.int(),
    /** Cross-entropy of a guess at random among the actions: ln(num_actions). */
    random_baseline_nats: z.number(),
    /** Whether the sentence encoder is loaded. */
    sentence_transformers: z.boolean(),
    tool_matching: z.enum(["sentence-transformers", "keyword"]),
  }),
});
export type WorkerHealth = z.infer<typeof WorkerHealth>;
