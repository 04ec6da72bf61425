import { expect, test } from "vitest";
import { createGarbageCollector } from "../../edge/garbage.ts";

/** How often V8 was asked while this many requests came, each so many milliseconds after the one before. */
async function countCollections(requests: number, apartMs: number): Promise<number> {
  let now = 1_000;
  let collections = 0;
  const later: Promise<unknown>[] = [];
  const collect = () => {
    collections += 1;
  };
  const garbage = createGarbageCollector(collect, () => now);
  for (let request = 0; request < requests; request++) {
    now += apartMs;
    garbage.requestAnswered({ waitUntil: (work) => void later.push(work) });
  }
  // The answers' heads leave first.
  expect(collections).toBe(0);
  await Promise.all(later);
  return collections;
}

test.each([
  ["never before a hundred requests, however late they come", 99, 60_000, 0],
  ["once in a hundred requests that come one a second", 1_000, 1_000, 10],
  ["once in twenty seconds where a hundred come in each", 100 * 60, 10, 3],
  ["never within twenty seconds of the start", 1_999, 10, 0],
])("V8 is asked to collect %s", async (_, requests, apartMs, collections) => {
  expect(await countCollections(requests, apartMs)).toBe(collections);
});

test("nothing is asked of an isolate that may not ask", () => {
  const garbage = createGarbageCollector(undefined, () => Date.now() * 1_000);
  const waitUntil = () => expect.unreachable("nothing is left for later");
  for (let request = 0; request < 200; request++) garbage.requestAnswered({ waitUntil });
});
