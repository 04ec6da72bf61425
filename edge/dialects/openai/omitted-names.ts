/** Names of what a request loses on its way to an OpenAI-format provider, each once. */
import type { ChatRequest } from "../../../shared/chat.ts";
import { createOmissions, type OmittedField } from "../omissions.ts";

/** The list becomes a header, and names of fields are the caller's own. */
const maxNames = 40;
const toToken = (name: string): string => name.replace(/[^\w.-]/g, "_").slice(0, 80);

export type OmittedNames = {
  add(field: OmittedField): void;
  /** A field of this wire that the shared table has no entry for. */
  name(wireName: string): void;
  list(): string[];
};

export function createOmittedNames(request: ChatRequest): OmittedNames {
  const known = createOmissions(request, "openai");
  const names = new Set<string>();
  return {
    add: known.add,
    name: (wireName) => void names.add(wireName),
    list: () => [...new Set([...known.list(), ...names].map(toToken))].slice(0, maxNames),
  };
}
