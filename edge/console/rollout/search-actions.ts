/** Finds the actions that a typed text may mean. Pure. */
import type { Action } from "../api/rollout.ts";

/**
 * Actions with every word in the name or the gloss; names that begin with the text first, then other names. An id finds its
 * action.
 */
export function searchActions(actions: readonly Action[], search: string): Action[] {
  const text = search.trim().toLowerCase().replaceAll(" ", "_");
  if (/^\d+$/.test(text)) return actions.filter(({ id }) => id === Number(text));
  const words = text.split("_").filter(Boolean);
  const rank = ({ name, gloss }: Action): number => {
    if (name.startsWith(text)) return 0;
    if (words.every((word) => name.includes(word))) return 1;
    return words.every((word) => gloss.toLowerCase().includes(word) || name.includes(word)) ? 2 : 3;
  };
  return actions
    .map((action) => ({ action, rank: rank(action) }))
    .filter((entry) => entry.rank < 3)
    .sort((left, right) => left.rank - right.rank || left.action.name.length - right.action.name.length)
    .map(({ action }) => action);
}
