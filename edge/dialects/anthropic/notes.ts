/**
 * What other providers say about an answer without a field for it here (search results, citations): kept
 * whole under `extra_content`, by whose it is. Nobody sends it back.
 */
import type { DialectName, ProviderData } from "../../../shared/chat.ts";

export type Notes = { add(dialect: DialectName, data: ProviderData): void; list(): ProviderData | undefined };

/** As Google's own OpenAI format names itself. */
const names: Readonly<Record<DialectName, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  gemini: "google",
};

export function createNotes(): Notes {
  const notes = new Map<string, Record<string, unknown>>();
  return {
    add(dialect, data) {
      const own = notes.get(names[dialect]) ?? {};
      for (const [name, value] of Object.entries(data)) {
        const before = own[name];
        // Lists come in pieces; anything else is repeated whole.
        own[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
      }
      notes.set(names[dialect], own);
    },
    list: () => (notes.size === 0 ? undefined : Object.fromEntries(notes)),
  };
}
