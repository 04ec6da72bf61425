/** One document as a page: the console's frame, the list of documents, the text. Also the frame alone, for index.html. Pure. */
import { linkedPages } from "../../shared/console-pages.ts";
import { type DocPage, escapeHtml, pathOf } from "./doc-address.ts";

/** Names of built files that each document's page loads. */
export type PageFiles = { style: string; docs: string; theme: string };

/**
 * The console's header, without what needs scripts. On index.html app.tsx takes its place.
 * @param docsLink attributes of the link to the documents
 */
export function writeHeader(docsLink = ""): string {
  const links = linkedPages(false).map(({ path, title }) => `<a href="${path}">${title}</a>`);
  return `<header class="top">
      <a class="brand" href="/"><img src="/console/mark.svg" alt="" width="24" height="24">svc</a>
      <nav class="pages" aria-label="Pages">
        ${links.join("")}<a href="/docs"${docsLink}>Docs</a>
      </nav>
    </header>`;
}

export function writeDocPage(
  page: DocPage,
  pages: readonly DocPage[],
  html: string,
  { style, docs, theme }: PageFiles,
): string {
  const links = pages
    .map((other) => {
      const current = other === page ? ' aria-current="page"' : "";
      return `<li><a href="${pathOf(other)}"${current}>${escapeHtml(other.title)}</a></li>`;
    })
    .join("\n          ");
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeHtml(page.title)} · svc</title>
    <link rel="icon" href="/console/mark.svg" type="image/svg+xml">
    <script src="/console/${theme}"></script>
    <link rel="stylesheet" href="/console/${style}">
    <script type="module" src="/console/${docs}"></script>
  </head>
  <body>
    <a class="skip-link" href="#main">Skip to content</a>
    ${writeHeader(' aria-current="true"')}
    <div class="docs">
      <nav class="docs-list" aria-label="Documents">
        <search class="field">
          <label for="search">Search the documents</label>
          <input id="search" type="search" autocomplete="off" spellcheck="false">
        </search>
        <ul id="found" aria-live="polite" aria-label="Found" hidden></ul>
        <ul>
          ${links}
        </ul>
      </nav>
      <main id="main" class="doc" tabindex="-1">
${html}
      </main>
    </div>
  </body>
</html>
`;
}
