/** Our own Markdown as HTML: headings with ids, links between documents, tables and code that scroll. Pure. */
import { posix } from "node:path";
import { Marked, type Token, type Tokens } from "marked";
import { type DocPage, escapeHtml, pathOf } from "./doc-address.ts";

/** A section for the search: its text is searched, heading and address are shown. */
export type SearchEntry = { path: string; page: string; heading: string; text: string };
export type RenderedDoc = { html: string; entries: SearchEntry[] };

/** A heading's id, made as GitHub makes it: links between documents work there and here. */
const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** External addresses are kept; paths of documents become links to their pages; any other link becomes plain text. */
function resolveLink(href: string, page: DocPage, pages: readonly DocPage[]): string | undefined {
  if (/^https?:\/\//.test(href) || href.startsWith("#")) return href;
  const [file = "", anchor] = href.split("#");
  const target = posix.join(posix.dirname(page.file), file);
  const found = pages.find((candidate) => candidate.file === target);
  return found && (anchor === undefined ? pathOf(found) : `${pathOf(found)}#${anchor}`);
}

export function renderMarkdown(text: string, page: DocPage, pages: readonly DocPage[]): RenderedDoc {
  const marked = new Marked();
  marked.use({
    renderer: {
      heading({ tokens, depth, text: words }: Tokens.Heading): string {
        return `<h${depth} id="${slug(plain(words))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        const inner = this.parser.parseInline(tokens);
        const to = resolveLink(href, page, pages);
        return to === undefined ? inner : `<a href="${escapeHtml(to)}">${inner}</a>`;
      },
      image({ href, text: words }: Tokens.Image): string {
        return `<img src="/console/${escapeHtml(posix.basename(href))}" alt="${escapeHtml(words)}">`;
      },
      code({ text: code, lang }: Tokens.Code): string {
        // What has a language is to be run or pasted, the rest is a diagram or an output.
        return `<pre tabindex="0"${lang ? ' class="copyable"' : ""}><code>${escapeHtml(code)}</code></pre>\n`;
      },
      html({ text: html }: Tokens.HTML | Tokens.Tag): string {
        return escapeHtml(html);
      },
    },
  });
  const tokens = marked.lexer(text);
  let tables = 0;
  const html = marked
    .parser(tokens)
    .replaceAll("<table>", () => {
      tables += 1;
      return `<div class="scroll-x" tabindex="0" role="region" aria-label="Table ${tables}"><table>`;
    })
    .replaceAll("</table>", "</table></div>")
    // The empty corner above the row names is not a header.
    .replace(/<th([^>]*)><\/th>/g, "<td$1></td>");
  return { html, entries: listEntries(tokens, page) };
}

const plain = (text: string): string => text.replace(/[`*|]|\[([^\]]*)\]\([^)]*\)/g, "$1");

/** One entry per heading, with the raw text up to the next heading. */
function listEntries(tokens: readonly Token[], page: DocPage): SearchEntry[] {
  const path = pathOf(page);
  const entries: SearchEntry[] = [];
  for (const token of tokens) {
    if (token.type === "heading") {
      const heading = plain((token as Tokens.Heading).text);
      entries.push({ path: `${path}#${slug(heading)}`, page: page.title, heading, text: "" });
    } else if (entries.length > 0) {
      entries.at(-1)!.text += ` ${plain(token.raw).replace(/\s+/g, " ").trim()}`;
    }
  }
  return entries;
}
