/** A document, where it is served, and text made safe for its page. Pure. */

/** `file`: path from the root; `name`: the last part of its address. */
export type DocPage = { file: string; name: string; title: string };

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text inside HTML, attributes too. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (char) => escapes[char]!);

/** Where a document is served. */
export const pathOf = ({ name }: DocPage): string => (name === "index" ? "/docs" : `/docs/${name}`);
