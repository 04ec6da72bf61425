/**
 * The native models of the catalogue, with facts that the price package lacks: output limits, some context windows, and the
 * prices of models newer than the package. Only generate-catalog.ts reads it.
 */
import type { ProviderKind } from "../../shared/providers.ts";

/** Dollars per 1M tokens, in the price package's own field names. */
export type PackagePrices = Record<
  string,
  number | { base: number; tiers: { start: number; price: number }[] } | undefined
>;

export type NativeListEntry = {
  id: string;
  provider: Exclude<ProviderKind, "router">;
  /** First day of general availability, UTC. */
  released: string;
  outputLimit: number;
  /** Where this row's facts come from. */
  source: string;
  /** Set if the package has none, or a rounded one. */
  contextWindow?: number;
  /** Set if the package does not price the model yet. */
  prices?: PackagePrices;
};

const openai = (id: string, released: string, outputLimit: number, rest: Partial<NativeListEntry> = {}) =>
  ({
    id,
    provider: "alpha",
    released,
    outputLimit,
    source: `https://developers.openai.com/api/docs/models/${id.replace(/-\d{4}-\d\d-\d\d$/, "")}`,
    ...rest,
  }) satisfies NativeListEntry;

const anthropic = (id: string, released: string, outputLimit: number, rest: Partial<NativeListEntry> = {}) =>
  ({
    id,
    provider: "beta",
    released,
    outputLimit,
    source: "https://platform.claude.com/docs/en/about-claude/models/overview",
    ...rest,
  }) satisfies NativeListEntry;

const gemini = (id: string, released: string, rest: Partial<NativeListEntry> = {}) =>
  ({
    id,
    provider: "gamma",
    released,
    outputLimit: 65_536,
    contextWindow: 1_048_576,
    source: `https://ai.google.dev/gemini-api/docs/models/${id}`,
    ...rest,
  }) satisfies NativeListEntry;

const tier = (base: number, start: number, price: number) => ({ base, tiers: [{ start, price }] });

/** Chat models served over each vendor's chat endpoint today; `-pro` and `-codex` need OpenAI's Responses API. */
export const nativeList: readonly NativeListEntry[] = [
  openai("gpt-4o", "2024-05-13", 16_384),
  openai("gpt-4o-2024-08-06", "2024-08-06", 16_384),
  openai("gpt-4o-2024-11-20", "2024-11-20", 16_384),
  openai("gpt-4o-mini", "2024-07-18", 16_384),
  openai("gpt-4.1", "2025-04-14", 32_768, { contextWindow: 1_047_576 }),
  openai("gpt-4.1-mini", "2025-04-14", 32_768, { contextWindow: 1_047_576 }),
  openai("gpt-5", "2025-08-07", 128_000),
  openai("gpt-5-mini", "2025-08-07", 128_000),
  openai("gpt-5-nano", "2025-08-07", 128_000),
  openai("gpt-5.1", "2025-11-13", 128_000),
  openai("gpt-5.2", "2025-12-11", 128_000),
  openai("gpt-5.4", "2026-03-05", 128_000),
  openai("gpt-5.4-mini", "2026-03-17", 128_000),
  openai("gpt-5.4-nano", "2026-03-17", 128_000),
  openai("gpt-5.5", "2026-04-23", 128_000, { contextWindow: 1_050_000 }),
  openai("gpt-5.6-sol", "2026-07-09", 128_000),
  openai("gpt-5.6-terra", "2026-07-09", 128_000),
  openai("gpt-5.6-luna", "2026-07-09", 128_000),
  openai("gpt-6-astra", "2026-09-03", 128_000),
  openai("gpt-6-sol", "2026-09-22", 128_000),
  openai("gpt-6-luna", "2026-09-22", 128_000),
  openai("gpt-6.1-sol", "2026-09-29", 128_000, {
    contextWindow: 1_050_000,
    prices: {
      input_mtok: tier(2, 272_000, 4),
      cache_write_mtok: tier(2.5, 272_000, 5),
      cache_read_mtok: tier(0.1, 272_000, 0.2),
      output_mtok: tier(10, 272_000, 15),
    },
  }),
  openai("gpt-6.1-terra", "2026-10-26", 128_000, {
    contextWindow: 1_050_000,
    prices: {
      input_mtok: tier(1, 272_000, 2),
      cache_write_mtok: tier(1.25, 272_000, 2.5),
      cache_read_mtok: tier(0.05, 272_000, 0.1),
      output_mtok: tier(5, 272_000, 7.5),
    },
  }),
  // The vendor's list of models names no prices of its cache and of long prompts.
  openai("gpt-6.2-astra", "2026-11-17", 128_000, {
    source: "https://developers.openai.com/api/docs/models",
    contextWindow: 1_050_000,
    prices: { input_mtok: 8, output_mtok: 40 },
  }),
  openai("gpt-6.2-sol", "2026-11-17", 128_000, {
    contextWindow: 1_050_000,
    prices: {
      input_mtok: tier(2, 272_000, 4),
      cache_write_mtok: tier(2.5, 272_000, 5),
      cache_read_mtok: tier(0.1, 272_000, 0.2),
      output_mtok: tier(10, 272_000, 15),
    },
  }),

  // Retired on Anthropic's own API (2026-02-19) but still served by compatible hosts and aggregators.
  anthropic("claude-3-7-sonnet-20250219", "2025-02-19", 64_000),
  anthropic("claude-sonnet-4-5", "2025-09-29", 64_000),
  anthropic("claude-sonnet-4-5-20250929", "2025-09-29", 64_000),
  anthropic("claude-haiku-4-5", "2025-10-01", 64_000),
  anthropic("claude-haiku-4-5-20251001", "2025-10-01", 64_000),
  anthropic("claude-opus-4-5", "2025-11-01", 64_000),
  anthropic("claude-opus-4-5-20251101", "2025-11-01", 64_000),
  anthropic("claude-opus-4-6", "2026-02-05", 128_000),
  anthropic("claude-sonnet-4-6", "2026-02-17", 128_000),
  anthropic("claude-opus-4-7", "2026-04-16", 128_000),
  anthropic("claude-opus-4-8", "2026-05-28", 128_000),
  anthropic("claude-fable-5", "2026-06-09", 128_000),
  anthropic("claude-sonnet-5", "2026-06-30", 128_000),
  anthropic("claude-opus-5", "2026-07-24", 128_000),
  anthropic("claude-fable-5-1", "2026-09-01", 128_000),
  anthropic("claude-opus-5-5", "2026-09-22", 128_000),
  anthropic("claude-sonnet-5-5", "2026-09-28", 128_000, {
    source: "https://platform.claude.com/docs/en/models/sonnet-5-5/overview",
    contextWindow: 1_000_000,
    prices: {
      input_mtok: 2,
      cache_write_mtok: 2.5,
      cache_write_1h_mtok: 4,
      // Lowered from 0.20 on 2026-10-07.
      cache_read_mtok: 0.1,
      output_mtok: 10,
    },
  }),
  anthropic("claude-haiku-5-5", "2026-10-07", 128_000, {
    source: "https://platform.claude.com/docs/en/models/haiku-5-5/overview",
    contextWindow: 1_000_000,
    prices: {
      input_mtok: tier(0.1, 100_000, 0.5),
      cache_write_mtok: tier(0.125, 100_000, 0.625),
      cache_write_1h_mtok: tier(0.2, 100_000, 1),
      cache_read_mtok: tier(0.01, 100_000, 0.05),
      output_mtok: tier(0.5, 100_000, 2.5),
    },
  }),

  // The release notes name no prices of its cache.
  anthropic("claude-fable-5-2", "2026-11-09", 128_000, {
    source: "https://platform.claude.com/docs/en/release-notes/overview",
    contextWindow: 1_000_000,
    prices: { input_mtok: 8, output_mtok: 40 },
  }),

  gemini("gemini-2.5-pro", "2025-06-17"),
  gemini("gemini-2.5-flash", "2025-06-17"),
  gemini("gemini-2.5-flash-lite", "2025-07-22"),
  gemini("gemini-3-flash-preview", "2025-12-17"),
  gemini("gemini-3.1-pro-preview", "2026-02-19"),
  gemini("gemini-3.1-flash-lite", "2026-05-07"),
  gemini("gemini-3.5-flash-lite", "2026-07-21"),
  gemini("gemini-3.6-flash", "2026-07-21"),
  gemini("gemini-3.7-flash", "2026-08-13"),
  gemini("gemini-3.8-flash", "2026-09-02"),
];
