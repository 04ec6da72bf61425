/**
 * Gemini's thought signature as Google's OpenAI format carries it, on a tool call or on a message:
 * `extra_content: {google: {thought_signature}}`. https://ai.google.dev/gemini-api/docs/openai
 */
import type { DialectName, ProviderData } from "../../../shared/chat.ts";
import { readObject, readText } from "./json-values.ts";

export type Seal = { extra_content: { google: { thought_signature: string } } };

export const writeSeal = (signature: string): Seal => ({
  extra_content: { google: { thought_signature: signature } },
});

/** What another provider notes about its answer, under the name Google's format gives itself, or its own. */
export const writeNote = (dialect: DialectName, data: ProviderData): Record<string, ProviderData> => ({
  [dialect === "gemini" ? "google" : dialect]: data,
});

/** The signature in an `extra_content`, if it holds one. */
export function readSeal(extraContent: unknown): string | undefined {
  return readText(readObject(readObject(extraContent)?.google)?.thought_signature);
}
