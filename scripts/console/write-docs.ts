/**
 * Writes the documents as pages: README, the docs folder, the model card and the changelog, with entries for the search; and the
 * pages of the API reference and of addresses that do not exist.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import type { DocPage } from "./doc-address.ts";
import { type PageFiles, writeDocPage } from "./doc-page.ts";
import { type RenderedDoc, renderMarkdown, type SearchEntry } from "./render-markdown.ts";

/** Pages for callers, in this order; the docs folder's other files, for operators and developers, follow by name. */
const leading: readonly DocPage[] = [
  { file: "README.md", name: "index", title: "Getting started" },
  { file: "docs/plans.md", name: "plans", title: "Plans" },
  { file: "", name: "api", title: "API reference" },
  { file: "docs/chat-completions.md", name: "chat-completions", title: "Chat completions" },
  { file: "docs/messages.md", name: "messages", title: "Messages" },
  { file: "docs/responses.md", name: "responses", title: "Responses" },
  { file: "docs/idempotency.md", name: "idempotency", title: "Idempotency" },
  { file: "docs/clients.md", name: "clients", title: "Clients" },
  { file: "docs/console.md", name: "console", title: "Console" },
];
const trailing: readonly DocPage[] = [
  { file: "gpu-worker/checkpoints/base/MODEL_CARD.md", name: "model-card", title: "Model card" },
  { file: "CONTRIBUTING.md", name: "contributing", title: "Contributing" },
  { file: "CHANGELOG.md", name: "changelog", title: "Changelog" },
];

const apiPage: RenderedDoc = {
  html: '<h1>API reference</h1><div id="api"><p>Loading…</p></div>',
  entries: [],
};

/** Not in the list: the edge shows it in place of a page that does not exist. */
const missingPage: DocPage = { file: "", name: "not-found", title: "Page not found" };
const missingText = `<h1>There is no page at this address</h1>
<p>Look at its spelling, or go on from here:</p>
<ul><li><a href="/">the playground</a></li><li><a href="/docs">the documents</a></li><li><a href="/docs/api">the API reference</a></li></ul>`;

export async function writeDocs(root: string, directory: string, names: PageFiles): Promise<void> {
  const folder = join(directory, "docs");
  await mkdir(folder, { recursive: true });
  const pages = await listPages(root);
  const entries: SearchEntry[] = [];
  for (const page of pages) {
    const doc =
      page.file === "" ? apiPage : renderMarkdown(await readFile(join(root, page.file), "utf8"), page, pages);
    entries.push(...doc.entries);
    await writeFile(join(folder, `${page.name}.html`), writeDocPage(page, pages, doc.html, names));
  }
  await writeFile(
    join(directory, `${missingPage.name}.html`),
    writeDocPage(missingPage, pages, missingText, names),
  );
  await writeFile(join(directory, "console/docs-index.json"), JSON.stringify(entries));
}

async function listPages(root: string): Promise<DocPage[]> {
  const files = (await readdir(join(root, "docs"))).filter((file) => file.endsWith(".md")).sort();
  const pages = files.map((file) => {
    const name = posix.basename(file, ".md");
    return {
      file: `docs/${file}`,
      name,
      title: `${name[0]!.toUpperCase()}${name.slice(1).replaceAll("-", " ")}`,
    };
  });
  const isLeading = ({ file }: DocPage) => leading.some((page) => page.file === file);
  return [...leading, ...pages.filter((page) => !isLeading(page)), ...trailing];
}
