/** What every billed request shares: the price of a size, and the refusal of one the account cannot pay. */
import { GatewayError } from "../../shared/errors.ts";
import type { ModelSize } from "../../shared/planning.ts";
import { credits } from "../billing/price.ts";
import { sizes } from "../catalog/sizes.ts";

/** Micro-dollars per 1M tokens. A size nobody has priced cannot be billed, so it is not served. */
export function priceOfSize(size: ModelSize): number {
  const price = sizes[size].priceMicroPerMillion;
  if (price === undefined) {
    throw new GatewayError(
      "world_model_not_loaded",
      `The size ${size} has no price on this service yet; use another size.`,
    );
  }
  return price;
}

/** 402 with both amounts; `advice` is what the caller can do beside adding credits. */
export function insufficientCredits(
  requiredMicro: number,
  availableMicro: number,
  advice: string,
): GatewayError {
  return new GatewayError(
    "insufficient_credits",
    `Not enough credits for this request: add credits, or ${advice}.`,
    { requiredCredits: credits(requiredMicro), availableCredits: credits(availableMicro) },
  );
}
