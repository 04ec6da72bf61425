/**
 * Why a charge differs from what the provider reported (docs/operating.md, "Accounts and money"). Worst first: a request with
 * several calls is recorded under the first flag that any of them has.
 */
export const usageFlags = [
  "usage_invalid",
  "usage_out_of_bounds",
  "cost_above_price",
  "usage_missing",
  "capped_at_hold",
] as const;
export type UsageFlag = (typeof usageFlags)[number];
