/**
 * Loads a script from one file bundled by esbuild. Loading it module by module (565 files for `npm start`, of which 215 are drizzle's)
 * takes 2 s of CPU: types are stripped from ours, and for each module of a package Node copies and parses the list of exports in its
 * package.json, which has 170 KiB in drizzle's. The bundle lies in node_modules/.cache and is made again when a source or an installed
 * package changes. If nothing can be written there, the sources are loaded.
 */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createRequire, enableCompileCache } from "node:module";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

/** Time and size of each source when the bundle was made, by its path from the root. */
type Stamps = Record<string, string>;

/** npm writes this file with each install, so it stands for every file in node_modules. */
const installed = "node_modules/.package-lock.json";

/** @param entry path from `root` of a module without top-level await. @param name of the bundle's folder in node_modules/.cache */
export async function loadBundled<Module>(root: string, entry: string, name: string): Promise<Module> {
  const cache = join(root, "node_modules/.cache", name);
  const bundle = join(cache, "bundle.cjs");
  try {
    if (!isFresh(root, join(cache, "stamps.json"))) await writeBundle(root, entry, cache);
    enableCompileCache(join(cache, "compiled"));
    return createRequire(bundle)(bundle) as Module;
  } catch {
    return (await import(pathToFileURL(join(root, entry)).href)) as Module;
  }
}

function isFresh(root: string, stampsFile: string): boolean {
  let stamps: Stamps;
  try {
    stamps = JSON.parse(readFileSync(stampsFile, "utf8"));
  } catch {
    return false;
  }
  return Object.entries(stamps).every(([path, stamp]) => stampOf(join(root, path)) === stamp);
}

function stampOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.mtimeMs} ${stats.size}`;
}

/** Stamps are taken before the build: if a source changes meanwhile, the bundle is made again next time. */
async function writeBundle(root: string, entry: string, cache: string): Promise<void> {
  const { build } = await import("esbuild");
  const stamps: Stamps = {};
  const stamp = (path: string) => {
    stamps[relative(root, path)] = stampOf(path) ?? "missing";
  };
  stamp(join(root, installed));
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node22",
    // It finds its program by the place of its own files.
    external: ["esbuild"],
    write: false,
    logLevel: "silent",
    plugins: [
      {
        name: "own-sources",
        setup({ onLoad }) {
          // Files beside a source (drizzle/) are found from the source's place, not from the bundle's.
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            if (path.includes("node_modules")) return undefined;
            stamp(path);
            const here = JSON.stringify(pathToFileURL(path).href);
            return { contents: readFileSync(path, "utf8").replaceAll("import.meta.url", here), loader: "ts" };
          });
        },
      },
    ],
  });
  mkdirSync(cache, { recursive: true });
  replaceFile(join(cache, "bundle.cjs"), outputFiles[0]!.text);
  replaceFile(join(cache, "stamps.json"), JSON.stringify(stamps));
}

/** Replaces a file in one step: another command may start at the same time. */
function replaceFile(path: string, text: string): void {
  const written = `${path}.${process.pid}`;
  writeFileSync(written, text);
  renameSync(written, path);
}
