// The cached bundle of a script: the same answers as from the sources, rebuilt when a source changes, and optional.
import { mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadBundled } from "../../scripts/bundle-cache.ts";

type Made = { word: string; here: string };
let root: string;
const cacheOf = (name: string) => join(root, "node_modules/.cache", name);
const load = (name: string) => loadBundled<Made>(root, "main.ts", name);
const write = (name: string, text: string) => writeFile(join(root, name), text);

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "svc-bundle-"));
  await mkdir(join(root, "node_modules"));
  await write("node_modules/.package-lock.json", "{}");
  await write("word.ts", `export const word: string = "first";`);
  await write("main.ts", `export { word } from "./word.ts";\nexport const here = import.meta.url;`);
});
afterEach(() => rm(root, { recursive: true, force: true }));

// Node loads a module once in a process. So each test has a cache of its own, and looks at the bundle's text after a change.
const bundleOf = (name: string) => readFile(join(cacheOf(name), "bundle.cjs"), "utf8");

test("it is one file that knows where its sources lie", async () => {
  const made = await load("one");
  expect(made).toMatchObject({ word: "first", here: pathToFileURL(join(root, "main.ts")).href });
  expect(await bundleOf("one")).toContain("first");
});

test("it is kept while nothing changes, and made anew after a source or an installed package did", async () => {
  await load("kept");
  const madeAt = async () => (await stat(join(cacheOf("kept"), "bundle.cjs"))).ctimeMs;
  const first = await madeAt();
  await load("kept");
  expect(await madeAt()).toBe(first);
  await write("word.ts", `export const word: string = "second";`);
  await load("kept");
  expect(await bundleOf("kept")).toContain("second");
  const second = await madeAt();
  await utimes(join(root, "node_modules/.package-lock.json"), 1, 1);
  await load("kept");
  expect(await madeAt()).not.toBe(second);
});

test("a source that is gone makes it anew", async () => {
  await load("gone");
  await write("other.ts", `export const word = "other";`);
  await write("main.ts", `export { word } from "./other.ts";\nexport const here = "";`);
  await rm(join(root, "word.ts"));
  await load("gone");
  expect(await bundleOf("gone")).toContain("other");
});

test("where nothing can be written the sources themselves are loaded", async () => {
  await write("node_modules/.cache", "a file where a folder is needed");
  expect(await load("none")).toMatchObject({ word: "first" });
});
