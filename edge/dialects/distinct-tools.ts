/** Keeps the tools of a request apart: shortened names and ids, and tools that have one name. */

/** 32 bits of FNV-1a as hexadecimal digits, to keep shortened names distinct. Not used for security. */
export function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** `begin`, cut so that with the hash of `whole` it has `maxChars` characters at most: another text gets another name. */
export const shortenTo = (maxChars: number, begin: string, whole = begin): string =>
  `${begin.slice(0, maxChars - 9)}_${hashText(whole)}`;

/**
 * Compares each tool with the first one of its key. The JSON of the first is made when a second comes, and kept: made again for each
 * further one, it would write a tool of megabytes many times.
 */
export function createToolComparison(): (key: string, tool: object) => "first" | "same" | "other" {
  const known = new Map<string, { tool: object; text?: string }>();
  return (key, tool) => {
    const before = known.get(key);
    if (before === undefined) {
      known.set(key, { tool });
      return "first";
    }
    before.text ??= JSON.stringify(before.tool);
    return before.text === JSON.stringify(tool) ? "same" : "other";
  };
}
