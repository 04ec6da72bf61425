/** The sizes of the world model: what a caller pays for planning and embedding, and how big each is. */
import type { ModelSize } from "../../shared/model-sizes.ts";
import type { MicroPerMillion } from "./model.ts";

export type SizeEntry = {
  /** Micro-dollars per 1M planning or embedding tokens; absent: the size cannot be billed until an operator prices it. */
  priceMicroPerMillion?: MicroPerMillion;
  /** Length of an embedding vector. */
  dimensions: number;
  /** As published, for people. */
  parameters: string;
};

/** Prices, dimensions and parameters as the public interface lists them. */
export const sizes: Readonly<Record<ModelSize, SizeEntry>> = {
  small: { priceMicroPerMillion: 50_000, dimensions: 512, parameters: "125M" },
  base: { priceMicroPerMillion: 100_000, dimensions: 768, parameters: "350M" },
  large: { priceMicroPerMillion: 200_000, dimensions: 1024, parameters: "300M" },
  xl: { priceMicroPerMillion: 400_000, dimensions: 1280, parameters: "750M" },
  huge: { dimensions: 1536, parameters: "1.5B" },
};
