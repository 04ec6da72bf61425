/**
 * What other providers want back and this dialect has no field for. It travels in the places that every client
 * returns unread: a thinking block's `signature`, a redacted_thinking block's `data`, and a tool call's id. A
 * seal is `encodeSeal`'s (base64url.ts); docs/messages.md says what is in it.
 */
import { z } from "zod";
import type { ReasoningPart } from "../../../../shared/chat.ts";
import { decodeSeal, decodeText, encodeSeal, encodeText } from "../../base64url.ts";
import { withData } from "../../json.ts";

const Data = z.record(z.string(), z.unknown());

/** On a thinking block: the provider's own signature, and what it keeps beside the text. */
const ThinkingSeal = z.object({
  signature: z.string().optional(),
  providerData: Data.optional(),
});
export type ThinkingSeal = z.infer<typeof ThinkingSeal>;

/** In a redacted_thinking block of its own. */
const BlockSeal = z.discriminatedUnion("kind", [
  /** Reasoning the provider gave sealed. */
  z.object({ kind: z.literal("reasoning"), data: z.string(), providerData: Data.optional() }),
  /** Gemini's thought signature of a tool call, by the provider's own id of the call. */
  z.object({ kind: z.literal("tool"), id: z.string(), thoughtSignature: z.string() }),
  /** Gemini's thought signature of the text block before; `empty`: of a text part without text. */
  z.object({ kind: z.literal("text"), thoughtSignature: z.string(), empty: z.boolean().optional() }),
  /** The text block before is a refusal. */
  z.object({ kind: z.literal("refusal") }),
  /** A part only its own provider reads (Gemini's code execution). OpenAI's, whose fields are a message's own, are never sealed. */
  z.object({ kind: z.literal("part"), dialect: z.literal("gemini"), data: Data }),
]);
export type BlockSeal = z.infer<typeof BlockSeal>;

export const writeThinkingSeal = (seal: ThinkingSeal): string => encodeSeal(seal);
export const writeBlockSeal = (seal: BlockSeal): string => encodeSeal(seal);

/** Undefined for anything we did not write: then it is Anthropic's own. */
export const readThinkingSeal = (signature: string) => decodeSeal(signature, ThinkingSeal);
export const readBlockSeal = (data: string) => decodeSeal(data, BlockSeal);

/** A reasoning part as its provider wants it back. */
export function unsealThinking(text: string, { signature, providerData }: ThinkingSeal): ReasoningPart {
  return {
    type: "reasoning",
    text,
    ...(signature !== undefined && { signature }),
    ...withData(providerData),
  };
}

const ownForm = /^toolu_[\w-]+$/;
const plain = /^[\w-]+$/;
/** Before an id that is plain itself, and before one that had to be encoded (base64url of its UTF-8). */
const plainPrefix = "toolu_svc_";
const encodedPrefix = "toolu_svc64_";

/** The id a caller sees; `own` where the provider speaks this dialect and its ids need no wrapping. */
export function writeToolUseId(id: string, own: boolean): string {
  if (own && ownForm.test(id) && !isWrapped(id)) return id;
  return plain.test(id) ? plainPrefix + id : encodedPrefix + encodeText(id);
}

/** The provider's own id again; one we did not write stays as it is. */
export function readToolUseId(id: string): string {
  if (id.startsWith(plainPrefix)) return id.slice(plainPrefix.length);
  return id.startsWith(encodedPrefix) ? (decodeText(id.slice(encodedPrefix.length)) ?? id) : id;
}

/** True for an id that another provider gave. */
export const isWrapped = (id: string): boolean => id.startsWith(plainPrefix) || id.startsWith(encodedPrefix);
