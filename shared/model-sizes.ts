/**
 * The world model's sizes: a new one is a new row. A size is served if a worker has a checkpoint of it, and sold if it has a price
 * here. Prices and dimensions are those that the public interface lists.
 */
import { z } from "zod";

export type SizeEntry = {
  /** Micro-dollars per 1M planning or embedding tokens. Absent: the size is not sold until an operator sets a price. */
  priceMicroPerMillion?: number;
  /** Length of an embedding vector. */
  dimensions: number;
};

const rows = {
  small: { priceMicroPerMillion: 50_000, dimensions: 512 },
  base: { priceMicroPerMillion: 100_000, dimensions: 768 },
  large: { priceMicroPerMillion: 200_000, dimensions: 1024 },
  xl: { priceMicroPerMillion: 400_000, dimensions: 1280 },
  huge: { dimensions: 1536 },
} satisfies Readonly<Record<string, SizeEntry>>;

export type ModelSize = keyof typeof rows;
export const sizes: Readonly<Record<ModelSize, SizeEntry>> = rows;
export const ModelSize = z.enum(Object.keys(rows) as [ModelSize, ...ModelSize[]]);
export const modelSizes = ModelSize.options;
