// Links, section names and file paths in the documents, and documents and section names in comments, refer to something that exists.
// The database's columns and the variables are all explained.
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
import { workerVariableNames } from "../gpu-worker/config.ts";
import { edgeVariableNames } from "../scripts/self-host/edge-variables.ts";
import { startVariableNames } from "../scripts/self-host/settings.ts";

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
const fileOf = (name: string) => [...documents.keys()].find((path) => path.endsWith(`docs/${name}`)) ?? name;

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
  const links = [...documents].flatMap(([path, text]) =>
    [...text.matchAll(/\]\((?!https?:)([^)\s#]*)(?:#([^)\s]+))?\)/g)].map(([link, target, anchor]) => {
      const file = target ? normalize(join(dirname(path), target)) : path;
      const isThere = exists(file) && (!anchor || headingsOf(file).map(anchorOf).includes(anchor));
      return { name: `${path}: ${link}`, isThere };
    }),
  );
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter(({ isThere }) => !isThere)).toEqual([]);
});

/** A source, or a document, as one line for each paragraph of a comment. */
const sources = files
  .filter((path) => /\.(ts|tsx|py|toml|md)$/.test(path))
  .map((path) => ({ path, text: read(path).replace(/\n\s*(?:\*|\/\/|#) /g, " ") }));

test("each document that a comment names is there", () => {
  const named = sources
    .filter(({ path }) => path !== "CHANGELOG.md")
    .flatMap(({ path, text }) =>
      [...text.matchAll(/(?<![\w./-])docs\/[a-z/-]+\.md/g)].map(([file]) => ({ path, file })),
    );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ file }) => !exists(file))).toEqual([]);
});

test("each section that a comment or a document names is a heading", () => {
  const sections = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:docs\/([\w/-]+\.md)|(README)), "([^"]+)"/g)].map(
      ([name, document, readme, heading]) => ({
        name: `${path}: ${name}`,
        isThere: headingsOf(readme ? "README.md" : fileOf(document!)).includes(heading!),
      }),
    ),
  );
  expect(sections.length).toBeGreaterThan(10);
  expect(sections.filter(({ isThere }) => !isThere)).toEqual([]);
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

test("README's table has each variable of edge and npm start, those of the gpu-worker are there or in docs/operating.md, and no other", () => {
  const table = read("README.md").split("## Variables")[1]!.split("\n## ")[0]!;
  const rows = table.split("\n").filter((line) => line.startsWith("| `"));
  const listed = rows.flatMap((row) => [...row.split("|")[1]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
  // SUPERVISED is what a supervisor of ours says to its worker.
  const ofWorker = workerVariableNames.filter((name) => name !== "SUPERVISED");
  const required = [...startVariableNames, ...edgeVariableNames];
  const operating = read("docs/operating.md");
  expect(required.filter((name) => !listed.includes(name))).toEqual([]);
  expect(ofWorker.filter((name) => !listed.includes(name) && !operating.includes(`\`${name}`))).toEqual([]);
  expect(listed.filter((name) => ![...required, ...ofWorker].includes(name))).toEqual([]);
});
