/**
 * Installs what test/package.json names: the clients that the service is tested with, and tools that only its developers
 * need, 350 MB that nobody needs to run it. `npm test` and `npm run check` call this first; where the versions are there
 * already it takes some milliseconds and asks no network.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/** As Node looks for packages: in test/node_modules, then in the root's. */
function installedVersion(name: string): string | undefined {
  for (const folder of [here, dirname(here)]) {
    try {
      return readJson(join(folder, "node_modules", name, "package.json")).version;
    } catch {}
  }
  return undefined;
}

const wanted = Object.entries<string>(readJson(join(here, "package.json")).dependencies);
const missing = wanted.filter(([name, version]) => installedVersion(name) !== version);
if (missing.length > 0) {
  process.stderr.write(
    `installing test/package.json, as ${missing.map(([name]) => name).join(", ")} is not there yet\n`,
  );
  process.exitCode = spawnSync("npm", ["ci"], { cwd: here, stdio: "inherit" }).status ?? 1;
}
