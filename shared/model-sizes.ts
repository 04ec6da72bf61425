/**
 * The world model's sizes by name. A size is served if a worker has a checkpoint of it, and sold if edge/catalog/sizes.ts has its
 * price.
 */
import { z } from "zod";

export const modelSizes = ["small", "base", "large", "xl", "huge"] as const;
export const ModelSize = z.enum(modelSizes);
export type ModelSize = z.infer<typeof ModelSize>;
