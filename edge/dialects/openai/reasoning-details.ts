/**
 * Reasoning blocks between the hub and OpenRouter's `reasoning_details`: text or a summary with its
 * signature, or an encrypted block. What else an entry holds (id, format, index) is kept under
 * `providerData.reasoning_detail`, so that an entry sent back is the entry received.
 * https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
import type { ProviderData, ReasoningPart } from "../../../shared/chat.ts";
import type { ReasoningDetail } from "./chat-message.ts";
import { type JsonObject, readObject } from "./json-values.ts";

export const detailTypes = {
  text: "reasoning.text",
  summary: "reasoning.summary",
  encrypted: "reasoning.encrypted",
} as const;

/** The fields of an entry that are not its content; none where it has but an index, which we count anew. */
export function readDetailData(detail: JsonObject): ProviderData | undefined {
  const { text: _text, summary: _summary, signature: _signature, data: _data, type, ...others } = detail;
  const rest = type === detailTypes.summary ? { type, ...others } : others;
  return Object.keys(rest).every((name) => name === "index") ? undefined : { reasoning_detail: rest };
}

/** Entries as they are to be sent, `index` counting them unless their provider gave its own. */
export function writeDetail(part: ReasoningPart, index: number): ReasoningDetail {
  const rest = readObject(part.providerData?.reasoning_detail);
  if (part.redacted !== undefined) {
    return { type: detailTypes.encrypted, data: part.redacted, index, ...rest };
  }
  const summary = rest?.type === detailTypes.summary;
  return {
    type: detailTypes.text,
    ...(summary ? { summary: part.text } : { text: part.text }),
    ...(part.signature !== undefined && { signature: part.signature }),
    index,
    ...rest,
  };
}

/**
 * Parts of a message's entries. Callers who collected a stream send one entry in many pieces: pieces of
 * the same type and index are joined, and a signature seals them.
 */
export function readDetails(details: readonly ReasoningDetail[]): ReasoningPart[] {
  const parts: ReasoningPart[] = [];
  let open: { type: string; index: number | null | undefined; part: ReasoningPart } | undefined;
  for (const detail of details) {
    const { type, index } = detail;
    const providerData = readDetailData(detail);
    if (typeof detail.data === "string") {
      open = undefined;
      parts.push({
        type: "reasoning",
        text: "",
        redacted: detail.data,
        ...(providerData && { providerData }),
      });
      continue;
    }
    const text = detail.text ?? detail.summary ?? "";
    const signature = detail.signature ?? undefined;
    const same = open !== undefined && open.type === type && open.index === index;
    // Without an index a sealed block is over; with one, the index decides.
    if (open !== undefined && same && (index != null || open.part.signature === undefined)) {
      open.part.text += text;
      if (signature !== undefined) open.part.signature = signature;
      continue;
    }
    const part: ReasoningPart = {
      type: "reasoning",
      text,
      ...(signature !== undefined && { signature }),
      ...(providerData && { providerData }),
    };
    open = { type, index, part };
    parts.push(part);
  }
  return parts;
}
