/** What surrounds an answer's content in Anthropic's format: message id, facts about the whole answer, stop reason and token counts. */
import {
  billableOutput,
  type DialectName,
  type EventOf,
  type FinishReason,
  type ProviderData,
  type Usage,
} from "../../../../shared/chat.ts";
import { readObject } from "../../json.ts";
import type { BesideUsage, Envelope, Message, MessageStop, MessageUsage, StopReason } from "./reply-types.ts";

type Finish = EventOf<"finish">;

const stopReasons: Readonly<Record<FinishReason, StopReason>> = {
  stop: "end_turn",
  "stop-sequence": "stop_sequence",
  length: "max_tokens",
  "tool-calls": "tool_use",
  "content-filter": "refusal",
  refusal: "refusal",
  pause: "pause_turn",
  other: "end_turn",
};

/** `beside`: what stands beside the usage, and replaces what the answer's start said of it. */
export type WrittenStop = { stop: MessageStop; beside: BesideUsage };

/** Anthropic's own end is passed on unchanged; of other providers only the reason is known. */
export function writeStop(
  finish: Finish | undefined,
  provider: DialectName,
  said: { calls: boolean; refusal: boolean },
  notes: ProviderData,
): WrittenStop {
  const { reason = "other", raw = null, stopSequence, providerData } = finish ?? {};
  const native = provider === "anthropic" && raw !== null ? raw : undefined;
  // OpenAI reports `stop` for a refusal, and other servers for tool calls; some report calls that they do not send.
  const open = reason === "stop" || reason === "other" || (reason === "tool-calls" && !said.calls);
  const ended =
    open && said.calls ? "tool_use" : open && said.refusal ? "refusal" : stopReasons[open ? "stop" : reason];
  const { beside, ...details } = provider === "anthropic" ? (providerData ?? {}) : ({} as ProviderData);
  return {
    stop: {
      stop_reason: (native ?? ended) as StopReason,
      stop_sequence: stopSequence ?? null,
      stop_details: null,
      container: null,
      ...details,
      ...(Object.keys(notes).length > 0 && { extra_content: notes }),
    },
    beside: readObject(beside) ?? {},
  };
}

/** The usage before a provider has reported any. */
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

/** The unchanged report of a provider of this dialect, since clients also read fields that we do not know. */
function readOwnFormat(raw: ProviderData | undefined): MessageUsage | undefined {
  if (raw === undefined || typeof raw.input_tokens !== "number") return undefined;
  return { output_tokens: 0, ...raw } as MessageUsage;
}

export const isMessageId = (id: string): boolean => /^msg_[\w-]{1,128}$/.test(id);

export function writeMessageId({ id, provider }: Envelope, start: EventOf<"start"> | undefined): string {
  return provider === "anthropic" && start?.id !== undefined && isMessageId(start.id) ? start.id : id;
}

/** What Anthropic says of the whole answer if the request asks for it: why the cache missed, what was changed in the prompt. */
export function writeFacts(
  provider: DialectName,
  start: EventOf<"start"> | undefined,
): Pick<Message, "diagnostics"> {
  return { diagnostics: null, ...(provider === "anthropic" ? start?.providerData : {}) };
}
