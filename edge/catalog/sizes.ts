/** The sizes of the world model: the price of planning and embedding, the vector's width, and the published number of parameters. */
import type { ModelSize } from "../../shared/model-sizes.ts";
import type { MicroPerMillion } from "./model.ts";

export type SizeEntry = {
  /** Micro-dollars per 1M planning or embedding tokens. Absent: the size is not served until an operator sets a price. */
  priceMicroPerMillion?: MicroPerMillion;
  /** Length of an embedding vector. */
  dimensions: number;
  /** Published number of parameters, for display. */
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
