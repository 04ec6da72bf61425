/**
 * Data that other providers need back in the next turn and this dialect has no field for. It travels in places that every client
 * returns unread: a thinking block's `signature`, a redacted_thinking block's `data`, and a tool call's id. docs/messages.md lists the
 * seals' contents.
 */
import { z } from "zod";
import type { ContentPart, TextPart } from "../../../../shared/chat.ts";
import { decodeBase64urlText, encodeBase64urlText } from "../../base64.ts";
import { JsonObject } from "../../json.ts";
import { ReasoningSeal, readSeal, TextSeal, unsealReasoning, writeSeal } from "../seals.ts";

/** In a redacted_thinking block of its own. */
const BlockSeal = z.discriminatedUnion("kind", [
  /** Reasoning that the provider sent encrypted. */
  z.object({ kind: z.literal("reasoning"), data: z.string(), providerData: JsonObject.optional() }),
  /** Gemini's thought signature of a tool call, by the provider's own id of the call. */
  z.object({ kind: z.literal("tool"), id: z.string(), thoughtSignature: z.string() }),
  /** Gemini's thought signature of the text block before. */
  TextSeal,
  /** The text block before is a refusal. */
  z.object({ kind: z.literal("refusal") }),
  /**
   * A part that only its own provider can read (Gemini's code execution). OpenAI's parts are fields of a message, and are never
   * sealed.
   */
  z.object({ kind: z.literal("part"), dialect: z.literal("gemini"), data: JsonObject }),
]);
export type BlockSeal = z.infer<typeof BlockSeal>;

export const writeBlockSeal = (seal: BlockSeal): string => writeSeal(seal);

/** Undefined for a signature that we did not write: then it is Anthropic's own. */
export const readThinkingSeal = (signature: string) => readSeal(signature, ReasoningSeal);
export const readBlockSeal = (data: string) => readSeal(data, BlockSeal);

const ownForm = /^toolu_[\w-]+$/;
const plain = /^[\w-]+$/;
/** Prefixes of another provider's id: if the id is plain, and if it had to be encoded (base64url of its UTF-8). */
const plainPrefix = "toolu_svc_";
const encodedPrefix = "toolu_svc64_";

/** The id that the caller sees. `own`: the provider speaks this dialect, so its id is not wrapped. */
export function writeToolUseId(id: string, own: boolean): string {
  if (own && ownForm.test(id) && !isWrapped(id)) return id;
  return plain.test(id) ? plainPrefix + id : encodedPrefix + encodeBase64urlText(id);
}

/** The provider's own id. An id that we did not wrap stays as it is. */
export function readToolUseId(id: string): string {
  if (id.startsWith(plainPrefix)) return id.slice(plainPrefix.length);
  return id.startsWith(encodedPrefix) ? (decodeBase64urlText(id.slice(encodedPrefix.length)) ?? id) : id;
}

/** True for another provider's id that we wrapped. */
export const isWrapped = (id: string): boolean => id.startsWith(plainPrefix) || id.startsWith(encodedPrefix);

export type SealedParts = {
  push(part: ContentPart): void;
  /** Adds a seal of ours, in its place among the parts. */
  seal(seal: BlockSeal): void;
  /** All parts, with their seals. */
  end(): ContentPart[];
};

/**
 * Collects the parts of one message, and puts seals on the parts that came before them. A caller may send thousands of parts and of
 * seals: each seal finds its part at once, and the data of a part is copied once however many seals name it.
 */
export function createSealedParts(): SealedParts {
  const parts: ContentPart[] = [];
  /** Indices of the text parts that are no refusals, the latest last. */
  const texts: number[] = [];
  /** Signatures by the index of their text, and by the id of their call. */
  const ofTexts = new Map<number, string>();
  const ofCalls = new Map<string, string>();

  const push = (part: ContentPart): void => {
    if (part.type === "text") texts.push(parts.length);
    parts.push(part);
  };
  const refuse = (): void => {
    const at = texts.pop();
    if (at !== undefined) parts[at] = { type: "refusal", text: (parts[at] as TextPart).text };
  };
  return {
    push,
    seal(seal) {
      if (seal.kind === "reasoning")
        push(unsealReasoning("", { redacted: seal.data, providerData: seal.providerData }));
      else if (seal.kind === "part") push({ type: "opaque", dialect: seal.dialect, data: seal.data });
      else if (seal.kind === "tool") ofCalls.set(seal.id, seal.thoughtSignature);
      else if (seal.kind === "refusal") refuse();
      else {
        if (seal.empty || texts.length === 0) push({ type: "text", text: "" });
        ofTexts.set(texts.at(-1)!, seal.thoughtSignature);
      }
    },
    end() {
      for (const [index, part] of parts.entries()) {
        if (part.type !== "text" && part.type !== "tool-call") continue;
        const thoughtSignature = part.type === "text" ? ofTexts.get(index) : ofCalls.get(part.id);
        if (thoughtSignature === undefined) continue;
        part.providerData = { ...part.providerData, thoughtSignature };
        // If several calls have one id, the first has the seal.
        if (part.type === "tool-call") ofCalls.delete(part.id);
      }
      return parts;
    },
  };
}
