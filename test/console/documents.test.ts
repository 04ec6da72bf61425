import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { renderMarkdown } from "../../scripts/console/render-markdown.ts";
import { writeDocs } from "../../scripts/console/write-docs.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("every link from one document's page to another leads to a heading of it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "svc-docs-"));
  try {
    await mkdir(join(folder, "console"));
    await writeDocs(root, folder, { style: "style.css", docs: "docs.js", theme: "theme.js" });
    const files = await readdir(join(folder, "docs"));
    const pages = new Map<string, string>();
    for (const file of files) {
      const name = basename(file, ".html");
      pages.set(
        name === "index" ? "/docs" : `/docs/${name}`,
        await readFile(join(folder, "docs", file), "utf8"),
      );
    }
    const broken = [...pages].flatMap(([from, html]) =>
      [...html.matchAll(/href="((?:\/docs|#)[^"]*)"/g)].flatMap(([, link]) => {
        const [path, id] = link!.split("#");
        const target = pages.get(path === "" ? from : path!);
        const leads = target !== undefined && (id === undefined || target.includes(`id="${id}"`));
        return leads ? [] : [`${from}: ${link}`];
      }),
    );
    expect(pages.size).toBeGreaterThan(10);
    expect(broken).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a link to another document's heading leads to that heading of its page, not to the page's beginning", () => {
  const page = { file: "docs/messages.md", name: "messages", title: "Messages" };
  const other = { file: "docs/operating.md", name: "operating", title: "Operating" };
  const { html } = renderMarkdown("[keys](operating.md#your-own-keys)", page, [page, other]);
  expect(html).toContain('<a href="/docs/operating#your-own-keys">keys</a>');
});
