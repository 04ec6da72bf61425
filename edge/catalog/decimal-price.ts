/**
 * Exact decimal arithmetic for prices: a decimal dollar amount, as text or number, becomes an integer of
 * micro-dollars per one million tokens. Never goes through floating-point multiplication.
 */
import type { MicroPerMillion } from "./model.ts";

/** Powers of ten between the unit a price is written in and micro-dollars per 1M tokens. */
export const priceScale = {
  /** Dollars per token, as the aggregator's model list writes them. */
  usdPerToken: 12,
  /** Dollars per million tokens, as price pages write them. */
  usdPerMillion: 6,
  /** Dollars per request, to micro-dollars per request. */
  usdPerRequest: 6,
} as const;

const decimal = /^(\d{0,15})(?:\.(\d{0,30}))?(?:[eE]([+-]?\d{1,2}))?$/;

/**
 * `text × 10^scale` as an integer, rounded up where digits are left over (a price is never understated).
 * Undefined for anything that is not a plain non-negative decimal, or too large to be exact.
 */
export function readDecimalPrice(value: string | number, scale: number): MicroPerMillion | undefined {
  const [, whole = "", fraction = "", exponent = "0"] = decimal.exec(String(value).trim()) ?? [];
  if (whole === "" && fraction === "") return undefined;
  const shift = scale + Number(exponent);
  const digits = whole + fraction;
  const pointAt = whole.length + shift;
  const kept = pointAt <= 0 ? "0" : digits.slice(0, pointAt).padEnd(pointAt, "0");
  const left = pointAt <= 0 ? digits : digits.slice(pointAt);
  const price = Number(kept) + (/[1-9]/.test(left) ? 1 : 0);
  return Number.isSafeInteger(price) ? price : undefined;
}
