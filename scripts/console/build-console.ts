/**
 * Builds the console's files: scripts and style by esbuild with hashes in their names, the page that loads them, the documents,
 * and the names of the world model's actions. edge/routes/console.ts serves them.
 */
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { build, type Metafile } from "esbuild";
import { writeActions } from "./write-actions.ts";
import { writeDocs } from "./write-docs.ts";

const source = "edge/console";
const entries = {
  main: `${source}/main.tsx`,
  style: `${source}/styles/console.css`,
  docs: `${source}/docs/docs.ts`,
};

/** Each entry's built file name. */
type BuiltNames = Record<keyof typeof entries, string>;

/** Replaces the content of `directory`. */
export async function buildConsole(root: string, directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  const files = join(directory, "console");
  await mkdir(files, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: files,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: ["chrome123", "firefox120", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    metafile: true,
    logLevel: "error",
  });
  const names = nameEntries(metafile);
  const page = await readFile(join(root, source, "index.html"), "utf8");
  await Promise.all([
    writeFile(join(directory, "index.html"), fillTemplate(page, names)),
    cp(join(root, source, "mark.svg"), join(files, "mark.svg")),
    cp(join(root, "docs/pictures"), files, { recursive: true }),
    writeActions(root, join(files, "actions.json")),
    writeDocs(root, directory, names),
  ]);
}

function nameEntries({ outputs }: Metafile): BuiltNames {
  const built = Object.entries(outputs);
  const nameOf = (entry: string) => {
    const found = built.find(([, { entryPoint }]) => entryPoint === entry);
    if (found === undefined) throw new Error(`esbuild wrote nothing for ${entry}`);
    return basename(found[0]);
  };
  return Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [name, nameOf(entry)]),
  ) as BuiltNames;
}

const fillTemplate = (page: string, { main, style }: BuiltNames): string =>
  page.replace("{{script}}", `/console/${main}`).replace("{{style}}", `/console/${style}`);
