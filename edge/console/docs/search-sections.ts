/** Finds sections that hold every word of a search, those with a word in the heading first. Pure. */

export type Section = { path: string; page: string; heading: string; text: string };

const excerptChars = 110;
const readWords = (search: string): string[] => search.toLowerCase().split(/\s+/).filter(Boolean);

export function searchSections(sections: readonly Section[], search: string, maxCount: number): Section[] {
  const words = readWords(search);
  if (words.length === 0) return [];
  const fits = ({ heading, text }: Section) => {
    const all = `${heading} ${text}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
  const named = ({ heading }: Section) => words.some((word) => heading.toLowerCase().includes(word));
  const found = sections.filter(fits);
  return [...found.filter(named), ...found.filter((section) => !named(section))].slice(0, maxCount);
}

/** The text around the first word found. */
export function excerpt(text: string, search: string): string {
  const places = readWords(search).map((word) => text.toLowerCase().indexOf(word));
  const at = Math.max(0, Math.min(...places.filter((place) => place >= 0), text.length) - 30);
  const from = at >= text.length ? 0 : at;
  const part = text.slice(from, from + excerptChars);
  return `${from > 0 ? "…" : ""}${part}${from + excerptChars < text.length ? "…" : ""}`;
}
