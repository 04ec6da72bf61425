/** Packages from the registry in a folder of their own: far too large to be dependencies of this project. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export type Installed = {
  /** The path of a file beside the packages. */
  pathOf(file: string): string;
  /** @throws Error where it was not installed */
  bin(name: string): string;
  /** The installed version of one of `packages`, named as it was asked for. */
  versionOf(wanted: string): Promise<string>;
};

const nameOf = (wanted: string) => wanted.replace(/(?<=.)@.*$/, "");
const versioned = (wanted: string) => (nameOf(wanted) === wanted ? `${wanted}@latest` : wanted);

/** Installs a program's packages in a folder of their own, so that programs do not share dependencies; installed ones are kept. */
export async function install(root: string, packages: readonly string[]): Promise<Installed> {
  const directory = join(root, packages[0]!.replaceAll(/[^\w]+/g, "-"));
  const modules = join(directory, "node_modules");
  if (!packages.every((wanted) => existsSync(join(modules, nameOf(wanted), "package.json")))) {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, "package.json"), '{"private": true}');
    // Install scripts are run: some packages download their program in one.
    const words = ["install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts=false"];
    await run("npm", [...words, ...packages.map(versioned)], {
      cwd: directory,
      timeout: 600_000,
    });
  }
  return {
    pathOf: (file) => join(directory, file),
    bin: (name) => {
      const path = join(modules, ".bin", name);
      if (!existsSync(path)) throw new Error(`${packages.join(", ")} has no program ${name}`);
      return path;
    },
    versionOf: async (wanted) =>
      JSON.parse(await readFile(join(modules, nameOf(wanted), "package.json"), "utf8")).version,
  };
}
