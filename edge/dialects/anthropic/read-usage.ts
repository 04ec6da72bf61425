/**
 * Anthropic's token counts in the hub's terms. `input_tokens` there leaves out cache reads and writes;
 * the hub counts each of the three once (platform.claude.com/docs/en/build-with-claude/prompt-caching).
 */
import type { Usage } from "../../../shared/chat.ts";
import type { WireUsage } from "./wire.ts";

/** A later report over an earlier one: its values win where they are given, the rest stays. */
export function mergeUsage(earlier: WireUsage, later: WireUsage): WireUsage {
  const given = Object.entries(later).filter(([, value]) => value !== null && value !== undefined);
  return { ...earlier, ...Object.fromEntries(given) };
}

/**
 * The top-level counts, as Anthropic's own clients show them. With server-side compaction they leave
 * out the compaction pass; that one is in `raw.iterations`.
 */
export function readUsage(wire: WireUsage): Usage {
  const cacheWrite = wire.cache_creation_input_tokens ?? 0;
  const cachedInput = wire.cache_read_input_tokens ?? 0;
  const input = (wire.input_tokens ?? 0) + cacheWrite + cachedInput;
  const output = wire.output_tokens ?? 0;
  const cacheWriteLong = wire.cache_creation?.ephemeral_1h_input_tokens ?? undefined;
  return {
    input,
    output,
    total: input + output,
    cachedInput,
    cacheWrite,
    ...(cacheWriteLong === undefined ? {} : { cacheWriteLong: Math.min(cacheWriteLong, cacheWrite) }),
    reasoning: wire.output_tokens_details?.thinking_tokens ?? 0,
    raw: wire,
  };
}
