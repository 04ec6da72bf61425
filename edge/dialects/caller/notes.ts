/**
 * Providers' notes about an answer (search results, citations, a turn as Claude wrote it), which are passed on whole under `extra_content` to
 * callers of another dialect.
 */
import type { DialectName, ProviderData } from "../../../shared/chat.ts";

/** A note under its provider's name: Gemini's is `google`, as in Google's own OpenAI format. */
export const writeNote = (dialect: DialectName, data: ProviderData): Record<string, ProviderData> => ({
  [dialect === "gemini" ? "google" : dialect]: data,
});

/** The notes on one answer, joined. */
export type Notes = {
  add(dialect: DialectName, data: ProviderData): void;
  list(): Record<string, ProviderData>;
};

export function createNotes(): Notes {
  const notes: Record<string, Record<string, unknown>> = {};
  return {
    add(dialect, data) {
      for (const [provider, note] of Object.entries(writeNote(dialect, data))) {
        notes[provider] ??= {};
        const own = notes[provider];
        for (const [name, value] of Object.entries(note)) {
          const before = own[name];
          // Lists come in pieces; anything else is repeated whole.
          own[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
        }
      }
    },
    list: () => notes,
  };
}
