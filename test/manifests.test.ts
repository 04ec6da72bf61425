// What `npm ci` brings: no registry's host in a lock file, no package that only tests and benchmarks need, one version
// of each tool that several packages bring along.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { buildImportGraph, readSources } from "./support/import-graph.ts";

const root = new URL("..", import.meta.url);
/** Used by path, and as commands (npm run check, npm run migration). */
const commands = ["@biomejs/biome", "axe-core", "drizzle-kit", "knip", "typescript"];
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const manifests = ["", "test/", "test/bench/", "gpu-worker/deploy/"];
const rootLock: Record<string, object> = JSON.parse(read("package-lock.json")).packages;

test.each(manifests)("the lock file of %j names no host", (folder) => {
  expect(read(`${folder}package-lock.json`)).not.toMatch(/"resolved"|https?:\/\/[^"]*registry/);
});

test.each(manifests)("%j names exact versions, and its .npmrc runs no package's scripts", (folder) => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(`${folder}package.json`));
  for (const version of Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
    expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  }
  expect(read(`${folder}.npmrc`)).toContain("ignore-scripts=true");
});

test("what the service imports is a dependency of the root, and not of the tests alone", () => {
  const { dependencies, devDependencies } = JSON.parse(read("package.json"));
  const graph = buildImportGraph(readSources(root.pathname, ["edge", "gpu-worker", "shared", "scripts"]));
  const packages = new Set(
    [...graph.values()]
      .flat()
      .filter((name) => /^@?[a-z][\w.-]*(\/|$)/.test(name) && !existsSync(new URL(name, root)))
      .map((name) =>
        name
          .split("/")
          .slice(0, name.startsWith("@") ? 2 : 1)
          .join("/"),
      ),
  );
  const known = new Set([...Object.keys(dependencies), ...Object.keys(devDependencies)]);
  expect([...packages].filter((name) => !known.has(name))).toEqual([]);
});

test("test/package.json names what tests and benchmarks import, and nothing else (knip does not look there)", () => {
  // node_modules is not walked: it has twenty times the files.
  const folders = readdirSync(new URL("test", root), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !["node_modules", "bench"].includes(entry.name))
    .map(({ name }) => `test/${name}`);
  const imported = [...buildImportGraph(readSources(root.pathname, folders)).values()].flat();
  const { dependencies } = JSON.parse(read("test/package.json"));
  const unused = Object.keys(dependencies).filter(
    (name) => !imported.some((one) => one === name || one.startsWith(`${name}/`)),
  );
  expect(unused).toEqual(commands);
});

test("the root has one esbuild, and none of the benchmark's peers", () => {
  const names = Object.keys(rootLock);
  expect(names.filter((name) => name.endsWith("node_modules/esbuild"))).toEqual(["node_modules/esbuild"]);
  expect(
    names.filter((name) => /node_modules\/(onnxruntime-web|langsmith|drizzle-kit|openai)$/.test(name)),
  ).toEqual([]);
});
