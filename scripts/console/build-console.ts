/**
 * Builds the console's files: scripts and style by esbuild with hashes in their names, the page that loads them, the documents,
 * and the names of the world model's actions. edge/routes/console.ts serves them.
 */
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { writeHeader } from "./doc-page.ts";
import { writeActions } from "./write-actions.ts";
import { writeDocs } from "./write-docs.ts";

const source = "edge/console";
const entries = {
  main: `${source}/main.tsx`,
  style: `${source}/styles/console.css`,
  docs: `${source}/docs/docs.ts`,
};
/** Loaded as a classic script, which the browser runs before it paints. */
const classicEntries = { theme: `${source}/first-theme.ts` };

/** Each entry's built file name. */
type BuiltNames = Record<keyof typeof entries | keyof typeof classicEntries, string>;

/** Replaces the content of `directory`. */
export async function buildConsole(root: string, directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  const files = join(directory, "console");
  await mkdir(files, { recursive: true });
  const options = {
    absWorkingDir: root,
    outdir: files,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    minify: true,
    target: ["chrome123", "firefox120", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    metafile: true,
    logLevel: "error",
  } satisfies BuildOptions;
  const [modules, classic] = await Promise.all([
    build({ ...options, entryPoints: entries, splitting: true, format: "esm" }),
    build({ ...options, entryPoints: classicEntries, format: "iife" }),
  ]);
  const names: BuiltNames = {
    ...nameEntries(entries, modules.metafile),
    ...nameEntries(classicEntries, classic.metafile),
  };
  const page = await readFile(join(root, source, "index.html"), "utf8");
  await Promise.all([
    writeFile(
      join(directory, "index.html"),
      fillTemplate(page, names, listImports(modules.metafile, names.main)),
    ),
    cp(join(root, source, "mark.svg"), join(files, "mark.svg")),
    cp(join(root, "docs/pictures"), files, { recursive: true }),
    writeActions(root, join(files, "actions.json")),
    writeDocs(root, directory, names),
  ]);
}

function nameEntries<Name extends string>(
  named: Readonly<Record<Name, string>>,
  { outputs }: Metafile,
): Record<Name, string> {
  const built = Object.entries(outputs);
  const nameOf = (entry: string) => {
    const found = built.find(([, { entryPoint }]) => entryPoint === entry);
    if (found === undefined) throw new Error(`esbuild wrote nothing for ${entry}`);
    return basename(found[0]);
  };
  return Object.fromEntries(
    Object.entries<string>(named).map(([name, entry]) => [name, nameOf(entry)]),
  ) as Record<Name, string>;
}

/** The files that a built file cannot run without. Named in the page they are loaded with it, not a round trip after it. */
function listImports({ outputs }: Metafile, name: string): string[] {
  const files = new Set<string>();
  const follow = (output: string) => {
    for (const { path, kind, external } of outputs[output]?.imports ?? []) {
      if (kind !== "import-statement" || external || files.has(path)) continue;
      files.add(path);
      follow(path);
    }
  };
  follow(Object.keys(outputs).find((path) => basename(path) === name)!);
  return [...files].map((path) => basename(path));
}

const fillTemplate = (page: string, { main, style, theme }: BuiltNames, imports: readonly string[]): string =>
  page
    .replace(
      "{{imports}}",
      imports.map((file) => `<link rel="modulepreload" href="/console/${file}" />`).join("\n    "),
    )
    .replace("{{header}}", writeHeader())
    .replace("{{script}}", `/console/${main}`)
    .replace("{{style}}", `/console/${style}`)
    .replace("{{theme}}", `/console/${theme}`);
