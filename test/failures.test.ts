// docs/failures.md and the tests say the same: each number is held by exactly the files that name it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
/** The numbers that must have a test. */
const required = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19, 23, 25, 28, 29, 30, 31, 32];

function readPage(): Map<number, string[]> {
  const page = readFileSync(join(root, "docs/failures.md"), "utf8");
  return new Map(
    [...page.matchAll(/^\| (\d+) \|.*\| ([^|]+) \|$/gm)].map(([, number, files]) => [
      Number(number),
      [...files!.matchAll(/`([^`]+)`/g)].map(([, path]) => path!).sort(),
    ]),
  );
}

function readTitles(): Map<number, string[]> {
  const held = new Map<number, string[]>();
  for (const entry of readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" }).sort()) {
    if (!entry.endsWith(".test.ts")) continue;
    const path = `test/${entry}`;
    const titles = readFileSync(join(root, path), "utf8").matchAll(/\(failures ([\d, ]+)\)/g);
    for (const number of new Set([...titles].flatMap(([, numbers]) => numbers!.split(",").map(Number)))) {
      held.set(number, [...(held.get(number) ?? []), path]);
    }
  }
  return held;
}

test("every failure on the page is held by the tests that name it, and no test names another", () => {
  const byNumber = (entries: Map<number, string[]>) => [...entries].sort(([left], [right]) => left - right);
  expect(byNumber(readPage())).toEqual(byNumber(readTitles()));
});

test("every failure that applies to a gateway like this one is on the page", () => {
  const page = readPage();
  expect(required.filter((number) => !page.has(number))).toEqual([]);
});
