/** A document and the path under which it is served; and escaping for its page. Pure. */

/** `file`: path from the root; `name`: the last part of its address. */
export type DocPage = { file: string; name: string; title: string };

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes text for HTML, also inside attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (char) => escapes[char]!);

/** Where a document is served. */
export const pathOf = ({ name }: DocPage): string => (name === "index" ? "/docs" : `/docs/${name}`);
