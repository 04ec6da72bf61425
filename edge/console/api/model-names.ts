/** Model names: which have an LLM, which are loaded, which fit a search. Pure. */

export type Models = {
  /** Names with an LLM part, those of loaded sizes first. */
  chat: readonly string[];
  loadedSizes: readonly string[];
};

/** For requests whose sender has chosen none. */
export const defaultModel = "svc-x1ac-base-gpt-4o-mini";

const sizeOf = (name: string): string | undefined => /^svc-x1ac-([a-z]+)/.exec(name)?.[1];
const hasLlm = (name: string): boolean => /^svc-x1ac-[a-z]+-./.test(name);

/** True for a name whose world model is there to plan. */
export const isLoaded = (name: string, { loadedSizes }: Pick<Models, "loadedSizes">): boolean =>
  loadedSizes.includes(sizeOf(name) ?? "");

/** Loaded sizes first; else in the list's own order. Pure. */
export function orderModels(names: readonly string[], loadedSizes: readonly string[]): Models {
  const chat = names.filter(hasLlm);
  const loaded = (name: string) => isLoaded(name, { loadedSizes });
  return { chat: [...chat.filter(loaded), ...chat.filter((name) => !loaded(name))], loadedSizes };
}

/**
 * Names that hold every word of the search, in any order. Loaded sizes stand first, as others cannot be run. Of those a
 * name that ends with the search, so that `gpt-4o` is not buried under `gpt-4o-mini-2024-07-18`. Pure.
 */
export function searchModels({ chat, loadedSizes }: Models, search: string): string[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const last = words.at(-1) ?? "";
  const isWhole = (name: string) => name.endsWith(`-${last}`) || name.endsWith(`/${last}`);
  const rank = (name: string) => (isLoaded(name, { loadedSizes }) ? 0 : 2) + (isWhole(name) ? 0 : 1);
  return chat
    .filter((name) => words.every((word) => name.toLowerCase().includes(word)))
    .toSorted((left, right) => rank(left) - rank(right));
}
