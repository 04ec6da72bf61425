/**
 * Token counts in this dialect's terms: `input_tokens` leaves out what was read from or written to a cache,
 * `output_tokens` has the thinking in it. Anthropic's own report goes through as it came.
 */
import { billableOutput, type ProviderData, type Usage } from "../../../shared/chat.ts";
import type { MessageUsage } from "./message-types.ts";

/** Before a provider has said anything. */
const nothing: Usage = { input: 0, output: 0, total: 0, cachedInput: 0, cacheWrite: 0, reasoning: 0 };

export function writeUsage(usage: Usage = nothing): MessageUsage {
  const own = readOwnFormat(usage.raw);
  if (own !== undefined) return own;
  const { cacheWrite, cachedInput, cacheWriteLong, reasoning } = usage;
  return {
    input_tokens: Math.max(0, usage.input - cachedInput - cacheWrite),
    output_tokens: billableOutput(usage),
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cachedInput,
    cache_creation:
      cacheWriteLong === undefined
        ? null
        : {
            ephemeral_5m_input_tokens: cacheWrite - cacheWriteLong,
            ephemeral_1h_input_tokens: cacheWriteLong,
          },
    output_tokens_details: reasoning > 0 ? { thinking_tokens: reasoning } : null,
    server_tool_use: null,
    service_tier: null,
    inference_geo: null,
    speed: null,
  };
}

/** The raw report of a provider of this dialect; clients read its fields beyond ours too. */
function readOwnFormat(raw: ProviderData | undefined): MessageUsage | undefined {
  if (raw === undefined || typeof raw.input_tokens !== "number") return undefined;
  return { output_tokens: 0, ...raw } as MessageUsage;
}
