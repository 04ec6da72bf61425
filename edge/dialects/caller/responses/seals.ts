/**
 * Data that providers need back in the next turn and this dialect has no field for. It travels in the `encrypted_content` of
 * reasoning items, which every client returns unread. docs/responses.md lists its contents.
 */
import { z } from "zod";
import type { ContentPart, ProviderData } from "../../../../shared/chat.ts";
import { JsonObject } from "../../json.ts";
import { ReasoningSeal, readSeal, TextSeal, writeSeal } from "../seals.ts";

/** A seal that belongs to another item of the same answer. */
const ItemSeal = z.discriminatedUnion("kind", [
  /** Gemini's thought signature of a call, by its `call_id`. */
  z.object({ kind: z.literal("call"), id: z.string(), thoughtSignature: z.string() }),
  TextSeal,
  /** Gemini's thought signature of the n-th picture. */
  z.object({ kind: z.literal("image"), at: z.number(), thoughtSignature: z.string() }),
  /**
   * A part that only its own provider can read (Gemini's code execution). OpenAI's parts are fields of a message, and are never
   * sealed.
   */
  z.object({ kind: z.literal("part"), dialect: z.enum(["anthropic", "gemini"]), data: JsonObject }),
]);
export type ItemSeal = z.infer<typeof ItemSeal>;

/** `redacted`: reasoning that the provider sent encrypted. */
const ItemsSeal = ReasoningSeal.extend({
  redacted: z.string().optional(),
  seals: z.array(ItemSeal).optional(),
});
export type ItemsSeal = z.infer<typeof ItemsSeal>;

export const writeItemsSeal = (seal: ItemsSeal): string => writeSeal(seal);
/** Undefined for a seal that we did not write. */
export const readItemsSeal = (text: string) => readSeal(text, ItemsSeal);

/** The sealed content of a `compaction` item. */
const SummarySeal = z.object({ summary: z.string() });

export const writeSummary = (summary: string): string => writeSeal({ summary });
export const readSummary = (text: string) => readSeal(text, SummarySeal)?.summary;

type Sealable = Extract<ContentPart, { type: "tool-call" | "image" | "text" }>;

/** Puts the seals of an answer's items on the parts they belong to. One pass over both: a caller may send thousands of each. */
export function applySeals(parts: ContentPart[], seals: readonly ItemSeal[]): void {
  const calls = new Map<string, Sealable>();
  const images: Sealable[] = [];
  let text: Sealable | undefined;
  for (const part of parts) {
    if (part.type === "tool-call" && !calls.has(part.id)) calls.set(part.id, part);
    else if (part.type === "image") images.push(part);
    else if (part.type === "text") text = part;
  }
  const findSealed = (seal: Exclude<ItemSeal, { kind: "part" }>): Sealable | undefined => {
    if (seal.kind === "call") return calls.get(seal.id);
    if (seal.kind === "image") return images[seal.at];
    return seal.empty ? undefined : text;
  };
  for (const seal of seals) {
    if (seal.kind === "part") {
      parts.push({ type: "opaque", dialect: seal.dialect, data: seal.data });
      continue;
    }
    const part = findSealed(seal);
    const data: ProviderData = { thoughtSignature: seal.thoughtSignature };
    if (part !== undefined) part.providerData = { ...part.providerData, ...data };
    else if (seal.kind === "text") {
      text = { type: "text", text: "", providerData: data };
      parts.push(text);
    }
  }
}
