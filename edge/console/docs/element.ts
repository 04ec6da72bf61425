/** Makes an element with text and children, for pages without components. Text never becomes markup. */

type Child = Node | string;

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string>,
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/** A sentence whose words between backticks are code. */
export const withCode = (words: string): Child[] =>
  words.split("`").map((part, index) => (index % 2 === 0 ? part : element("code", {}, part)));
