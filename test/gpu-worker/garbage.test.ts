import { expect, test } from "vitest";
import { createHeapWatch } from "../../gpu-worker/garbage.ts";

const mib = 1024 * 1024;

/** Looks once after each growth, and says at which looks V8 was asked. A collection leaves 20 MiB. */
function listCollections(growthMib: readonly number[]): number[] {
  let used = 20 * mib;
  let look = 0;
  const collected: number[] = [];
  const watch = createHeapWatch(
    () => {
      used = 20 * mib;
      collected.push(look);
    },
    () => used,
  );
  for (const growth of growthMib) {
    used += growth * mib;
    watch();
    look += 1;
  }
  return collected;
}

test.each([
  ["at the first look, for the garbage of the start", [0], [0]],
  ["no more while nothing is done", [0, 0, 0, 0], [0]],
  ["at each look that finds a MiB more than a collection left", [0, 1, 7, 1.5], [0, 1, 2, 3]],
  ["once less has added up to a MiB", [0, 0.4, 0.4, 0.4, 0.4], [0, 3]],
])("V8 is asked to collect %s", (_, growth, collections) => {
  expect(listCollections(growth)).toEqual(collections);
});

test("nothing is asked of a thread that may not ask", () => {
  const watch = createHeapWatch(undefined, () => expect.unreachable("nothing would come of it"));
  watch();
});
