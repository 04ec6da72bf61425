// docs/known-failures.md is true: each number on it is held by the tests it names, and none is missing.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
/** The numbers that must have a test. */
const required = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19, 23, 25, 28, 29, 30, 31, 32];

function readPage(): Map<number, string[]> {
  const page = readFileSync(join(root, "docs/known-failures.md"), "utf8");
  return new Map(
    [...page.matchAll(/^\| (\d+) \|.*\| ([^|]+) \|$/gm)].map(([, number, files]) => [
      Number(number),
      [...files!.matchAll(/`([^`]+)`/g)].map(([, path]) => path!).sort(),
    ]),
  );
}

function readTitles(): Map<number, string[]> {
  const held = new Map<number, string[]>();
  for (const path of globSync("test/**/*.test.ts", { cwd: root, exclude: ["**/node_modules"] }).sort()) {
    const titles = readFileSync(join(root, path), "utf8").matchAll(/\(failures ([\d, ]+)\)/g);
    for (const number of new Set([...titles].flatMap(([, numbers]) => numbers!.split(",").map(Number)))) {
      held.set(number, [...(held.get(number) ?? []), path]);
    }
  }
  return held;
}

test("every failure on the page is held by the tests it names", () => {
  const titles = readTitles();
  const wrong = [...readPage()].flatMap(([number, files]) =>
    files.length === 0
      ? [`${number}: no test`]
      : files.filter((path) => !titles.get(number)?.includes(path)).map((path) => `${number}: ${path}`),
  );
  expect(wrong).toEqual([]);
});

test("every failure that a test names or that applies to a gateway like this one is on the page", () => {
  const page = readPage();
  expect([...required, ...readTitles().keys()].filter((number) => !page.has(number))).toEqual([]);
});
