// Links, section names and file paths in the documents, and section names in comments, refer to something that exists. The
// database's columns are all explained.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import * as counters from "../edge/db/counters-schema.ts";
import * as main from "../edge/db/schema.ts";
import * as signIn from "../edge/db/sign-in-schema.ts";
import * as vault from "../edge/db/vault-schema.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** What npm, a build or a run makes. */
const made = new Set(["node_modules", "dist", "coverage", "__pycache__", "authored"]);

function listFiles(folder = ""): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return made.has(entry.name) || entry.name.startsWith(".") ? [] : listFiles(path);
    return entry.isFile() ? [path] : [];
  });
}

const files = listFiles();
const read = (path: string) => readFileSync(join(root, path), "utf8");
const documents = new Map(files.filter((path) => path.endsWith(".md")).map((path) => [path, read(path)]));
const named = (name: string) => [...documents.keys()].find((path) => path.endsWith(`docs/${name}`)) ?? name;

const headingsOf = (path: string): string[] => {
  const text = (documents.get(path) ?? "").replace(/^```.*?^```/gms, "");
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
};
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");

const exists = (path: string): boolean =>
  files.some((file) => file === path || file.startsWith(`${path.replace(/\/$/, "")}/`));

test("each link of a document leads to a file, and its anchor to a heading", () => {
  const broken = [...documents].flatMap(([path, text]) =>
    [...text.matchAll(/\]\((?!https?:)([^)\s#]*)(?:#([^)\s]+))?\)/g)].flatMap(([link, target, anchor]) => {
      const file = target ? normalize(join(dirname(path), target)) : path;
      const isThere = exists(file) && (!anchor || headingsOf(file).map(anchorOf).includes(anchor));
      return isThere ? [] : [`${path}: ${link}`];
    }),
  );
  expect(broken).toEqual([]);
});

test("each section that a comment or a document names is a heading", () => {
  const sources = files.filter((path) => /\.(ts|tsx|py|toml|md)$/.test(path));
  const missing = sources.flatMap((path) => {
    const text = read(path).replace(/\n\s*(?:\*|\/\/|#) /g, " ");
    return [...text.matchAll(/(?:docs\/([\w-]+\.md)|(README)), "([^"]+)"/g)].flatMap(
      ([name, document, readme, heading]) =>
        headingsOf(readme ? "README.md" : named(document!)).includes(heading!) ? [] : [`${path}: ${name}`],
    );
  });
  expect(missing).toEqual([]);
});

// The changelog also names files by the names that they had.
test("each file that a document but the changelog names is there", () => {
  const placeholder = /[*{}]|\b(?:NAME|DATA_DIR|DATA|OUT|FOLDER|FILE)\b|^[/~.]/;
  const missing = [...documents].flatMap(([path, text]) =>
    path === "CHANGELOG.md"
      ? []
      : [
          ...text.matchAll(
            /`([\w@.*{},~/-]+\/[\w.*{},-]+\.(?:ts|tsx|py|json|md|sql|sh|onnx|tsv|service|yml))`/g,
          ),
        ]
          .map(([, file]) => file!)
          .filter((file) => !placeholder.test(file) && !files.some((one) => `/${one}`.endsWith(`/${file}`)))
          .map((file) => `${path}: ${file}`),
  );
  expect(missing).toEqual([]);
});

test("each column of the database is explained in docs/storage.md", () => {
  const tables = [main, counters, signIn, vault]
    .flatMap((schema): unknown[] => Object.values(schema))
    .filter((value) => is(value, SQLiteTable));
  const missing = tables.flatMap((table) => {
    const { name, columns } = getTableConfig(table);
    return columns
      .map((column) => column.name)
      .flatMap((column) => (read("docs/storage.md").includes(`\`${column}\``) ? [] : [`${name}.${column}`]));
  });
  expect(tables.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});
