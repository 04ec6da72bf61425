import { expect, test } from "vitest";
import { readPackagePrices } from "../../../scripts/catalog/package-prices.ts";

test("every price per token that the package has is on the card", () => {
  const prices = {
    input_mtok: 1,
    output_mtok: 2,
    cache_read_mtok: 3,
    cache_write_mtok: 4,
    cache_write_1h_mtok: 5,
    input_audio_mtok: 6,
    output_audio_mtok: 7,
    output_image_mtok: 8,
    output_reasoning_mtok: 9,
  };
  expect(readPackagePrices(prices, "2026-01-01")).toEqual([
    {
      card: {
        input: 1_000_000,
        output: 2_000_000,
        cachedInput: 3_000_000,
        cacheWrite: 4_000_000,
        cacheWriteLong: 5_000_000,
        audioInput: 6_000_000,
        audioOutput: 7_000_000,
        imageOutput: 8_000_000,
        reasoningOutput: 9_000_000,
      },
    },
  ]);
});

test("a price for some hours of the day is on no card, as a ledger's price holds all day", () => {
  const always = { prices: { input_mtok: 2, output_mtok: 4 } };
  const night = {
    constraint: { type: "time_of_date" as const, start_time: "22:00:00Z", end_time: "06:00:00Z" },
    prices: { input_mtok: 1, output_mtok: 2 },
  };
  expect(readPackagePrices([always, night], "2026-01-01")).toEqual([
    { card: { input: 2_000_000, output: 4_000_000 } },
  ]);
});
