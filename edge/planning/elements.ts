/** The elements that programs write into a message: `<task>…</task>`. Pure; the time is linear in the text. */

const tag = /<(\/?)([a-z][\w-]{0,39})(?:\s[^<>]{0,300})?>/gi;

type Element = { name: string; begin: number; end: number; inner: string; opensLine: boolean };

/** The closing tag that belongs to the opening tag at `index`, among tags of the same name. */
function findClose(tags: readonly RegExpExecArray[], index: number): RegExpExecArray | undefined {
  let depth = 0;
  for (let at = index; at < tags.length; at++) {
    depth += tags[at]![1] === "/" ? -1 : 1;
    if (depth === 0) return tags[at];
  }
  return undefined;
}

/** The outermost elements that have a closing tag, in order. */
export function findElements(text: string): Element[] {
  const tags = [...text.matchAll(tag)].filter(({ 0: written }) => !written.endsWith("/>"));
  const byName = Map.groupBy(tags, (found) => found[2]!.toLowerCase());
  const passed = new Map<string, number>();
  const unclosed = new Set<string>();
  const elements: Element[] = [];
  for (const open of tags) {
    const name = open[2]!.toLowerCase();
    const begin = open.index;
    const index = passed.get(name) ?? 0;
    passed.set(name, index + 1);
    if (open[1] === "/" || begin < (elements.at(-1)?.end ?? 0) || unclosed.has(name)) continue;
    const close = findClose(byName.get(name)!, index);
    if (!close) {
      unclosed.add(name);
      continue;
    }
    const inner = text.slice(begin + open[0].length, close.index);
    const opensLine = /(?:^|\n)[ \t]{0,32}$/.test(text.slice(Math.max(0, begin - 33), begin));
    elements.push({ name, begin, end: close.index + close[0].length, inner, opensLine });
  }
  return elements;
}

/** The text with `kept` of each element in its place. */
export function cutElements(
  text: string,
  elements: readonly Element[],
  kept: (element: Element) => string = () => "",
): string {
  let rest = "";
  let at = 0;
  for (const element of elements) {
    rest += `${text.slice(at, element.begin)}\n${kept(element)}`;
    at = element.end;
  }
  return rest + text.slice(at);
}
