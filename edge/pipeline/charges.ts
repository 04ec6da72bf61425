/** What every billed request shares: the price of a size, and the refusal of one the account cannot pay. */
import { GatewayError } from "../../shared/errors.ts";
import type { ModelSize } from "../../shared/model-sizes.ts";
import type { Limit, Refusal } from "../billing/ledger.ts";
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

export const accountSuspended = (): GatewayError =>
  new GatewayError("account_suspended", "This account is suspended; write to the operator of this service.");

type Refused = Pick<Refusal, "limit" | "availableMicro">;

const sentences: Readonly<Record<Exclude<Limit, "key" | "account">, (advice: string) => string>> = {
  credit: (advice) => `Not enough credits for this request: add credits, or ${advice}.`,
  budget: (advice) =>
    `This request would pass the monthly budget of its API key: raise the budget, wait for the next month, or ${advice}.`,
  cap: (advice) =>
    `This request would pass the spending cap of its token (max_credits): use a new token, or ${advice}.`,
};

/**
 * 402 with both amounts; 401 or 403 where a key ended, or an account was suspended, while its request was read.
 * `advice` is what the caller can do beside adding credits.
 */
export function refuseReservation(
  requiredMicro: number,
  { limit, availableMicro }: Refused,
  advice: string,
): GatewayError {
  if (limit === "key") return new GatewayError("invalid_api_key", "This API key has expired or was revoked.");
  if (limit === "account") return accountSuspended();
  return new GatewayError("insufficient_credits", sentences[limit](advice), {
    requiredCredits: credits(requiredMicro),
    availableCredits: credits(availableMicro),
  });
}
