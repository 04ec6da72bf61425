/**
 * What OpenAI's format carries beyond OpenAI's own fields, read and written on the caller's and on the
 * provider's side alike: reasoning entries (OpenRouter's `reasoning_details`), thought signatures
 * (Google's `extra_content`), pictures (OpenRouter's `images`), service tiers. An entry sent back is the entry received.
 * openrouter.ai/docs/use-cases/reasoning-tokens, openrouter.ai/docs/features/multimodal/image-generation,
 * ai.google.dev/gemini-api/docs/openai
 */
import { z } from "zod";
import type { ContentPart, EventOf, ProviderData, ReasoningPart } from "../../shared/chat.ts";
import { type JsonObject, readObject, readText } from "./json.ts";

/** Gemini's OpenAI format: `{google: {thought_signature}}`, a signature to be sent back unchanged. */
export const ExtraContent = z.looseObject({
  google: z.looseObject({ thought_signature: z.string().nullish() }).nullish(),
  /** A whole turn of Claude as it wrote it, where this format cannot say it all: sent back unchanged. */
  anthropic: z.looseObject({ content: z.array(z.unknown()) }).nullish(),
});

/**
 * One entry of OpenRouter's `reasoning_details`. Loose: `id`, `format` and `index` belong to the provider
 * that wrote it. Pieces of one entry, as a stream gives them, carry the same `index`.
 */
export const ReasoningDetail = z.looseObject({
  type: z.string(),
  text: z.string().nullish(),
  summary: z.string().nullish(),
  signature: z.string().nullish(),
  data: z.string().nullish(),
  index: z.number().nullish(),
});
export type ReasoningDetail = z.infer<typeof ReasoningDetail>;

/** The types of entries. */
export const detailTypes = {
  text: "reasoning.text",
  summary: "reasoning.summary",
  encrypted: "reasoning.encrypted",
} as const;

/** The fields of an entry that are not its content; undefined if only an index is left, since we count anew. */
export function readDetailData(detail: JsonObject): ProviderData | undefined {
  const { text: _text, summary: _summary, signature: _signature, data: _data, type, ...others } = detail;
  const rest = type === detailTypes.summary ? { type, ...others } : others;
  return Object.keys(rest).every((name) => name === "index") ? undefined : { reasoning_detail: rest };
}

/**
 * Entries as they are sent; `index` counts them unless their provider gave its own. Content comes from the part alone: content
 * fields in its `providerData` may be forged by the caller, and would not be billed.
 */
export function writeDetail(part: ReasoningPart, index: number): ReasoningDetail {
  const given = readObject(part.providerData?.reasoning_detail) ?? {};
  const rest = readObject(readDetailData(given)?.reasoning_detail);
  if (part.redacted !== undefined) {
    return { type: detailTypes.encrypted, data: part.redacted, index, ...rest };
  }
  const summary = given.type === detailTypes.summary;
  return {
    type: detailTypes.text,
    ...(summary ? { summary: part.text } : { text: part.text }),
    ...(part.signature !== undefined && { signature: part.signature }),
    index,
    ...rest,
  };
}

/** The JSON of a streamed entry before and after its text, made once for each block instead of each piece. */
export function frameDetail(
  providerData: ProviderData | undefined,
  index: number,
): { open: string; close: string } {
  const rest = readObject(providerData?.reasoning_detail);
  const summary = rest?.type === detailTypes.summary;
  const { type: _type, ...fields } = { index, ...rest, type: undefined };
  return {
    open: summary ? `{"type":"${detailTypes.summary}","summary":` : `{"type":"${detailTypes.text}","text":`,
    close: `,${JSON.stringify(fields).slice(1, -1)}`,
  };
}

/**
 * Parts of a message's entries. Callers who collected a stream send one entry in many pieces: pieces of
 * the same type and index are joined. Without an index a signature ends the entry.
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

/** Cache marks that are accepted on a part and on what holds it: OpenRouter's (Anthropic's) and OpenAI's. */
const cacheMarks = ["cache_control", "prompt_cache_breakpoint"] as const;

/** The cache marks among a part's or a message's fields. */
export function readCacheMarks(fields: JsonObject): ProviderData {
  const given = cacheMarks.filter((name) => fields[name] !== undefined && fields[name] !== null);
  return Object.fromEntries(given.map((name) => [name, fields[name]]));
}

/** Puts a message's cache marks on its last part, which is what they mean. The part's own marks take precedence. */
export function markLast<P extends ContentPart>(parts: P[], fields: JsonObject): P[] {
  const marks = readCacheMarks(fields);
  const last: (P & { providerData?: ProviderData }) | undefined = parts.at(-1);
  if (last === undefined || Object.keys(marks).length === 0) return parts;
  return [...parts.slice(0, -1), { ...last, providerData: { ...marks, ...last.providerData } }];
}

export type ThoughtSignature = { extra_content: { google: { thought_signature: string } } };

export const writeThoughtSignature = (signature: string): ThoughtSignature => ({
  extra_content: { google: { thought_signature: signature } },
});

/** The signature in an `extra_content`, if it holds one. */
export function readThoughtSignature(extraContent: unknown): string | undefined {
  return readText(readObject(readObject(extraContent)?.google)?.thought_signature);
}

/** OpenAI's service tiers. Our answers name no others. */
export const serviceTiers = ["auto", "default", "flex", "scale", "priority"] as const;
export type ServiceTier = (typeof serviceTiers)[number];

/** Undefined for other servers' tiers (Groq's `on_demand`): clients with a closed list of OpenAI's tiers fail to read the answer. */
export const readTier = (said: unknown): ServiceTier | undefined =>
  serviceTiers.find((tier) => tier === said);

type AnswerImage = NonNullable<EventOf<"opaque">["image"]>;
export type WireImage = Partial<ThoughtSignature> & {
  type: "image_url";
  image_url: { url: string };
  index: number;
};

export const dataUrl = (mediaType: string, data: string) => `data:${mediaType};base64,${data}`;

/** `index` counts the pictures of a choice. */
export const writeImage = ({ mediaType, data, signature }: AnswerImage, index: number): WireImage => ({
  type: "image_url",
  image_url: { url: dataUrl(mediaType, data) },
  index,
  ...(signature !== undefined && writeThoughtSignature(signature)),
});
