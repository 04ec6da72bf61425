import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFairQueue } from "../../gpu-worker/fair-queue.ts";

const takeOne = <Item>(queue: ReturnType<typeof createFairQueue<Item>>) => queue.take(() => 1)[0];

describe("the fair queue", () => {
  it("takes by turns of accounts that wait together, however much each has", () => {
    const queue = createFairQueue<string>();
    for (const item of ["a1", "a2", "a3", "a4", "a5", "a6"]) queue.push(item, "a", 10);
    for (const item of ["b1", "b2"]) queue.push(item, "b", 10);
    expect(Array.from({ length: 8 }, () => takeOne(queue)?.item)).toEqual([
      "a1",
      "b1",
      "a2",
      "b2",
      "a3",
      "a4",
      "a5",
      "a6",
    ]);
  });

  it("gives an account that was idle no credit for it", () => {
    const queue = createFairQueue<string>();
    for (let count = 0; count < 50; count++) queue.push("a", "a", 10);
    for (let count = 0; count < 40; count++) takeOne(queue);
    for (let count = 0; count < 20; count++) queue.push("b", "b", 10);
    const first = Array.from({ length: 10 }, () => takeOne(queue)?.item);
    expect(first.filter((item) => item === "a").length).toBeGreaterThanOrEqual(4);
  });

  it("is first in, first out for one account, and forgets what left", () => {
    const queue = createFairQueue<number>();
    const entries = [1, 2, 3, 4].map((item) => queue.push(item, "a", item * 100));
    queue.remove(entries[1]!);
    queue.remove(entries[1]!);
    expect(queue.size()).toBe(3);
    expect(queue.take((tokens) => tokens.length).map(({ item }) => item)).toEqual([1, 3, 4]);
  });

  it("serves two accounts that always wait the same tokens, within one request of each", () => {
    const tokens = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(tokens, tokens, (ofA, ofB) => {
        const queue = createFairQueue<string>();
        for (const one of ofA) queue.push("a", "a", one);
        for (const one of ofB) queue.push("b", "b", one);
        const served = { a: 0, b: 0 };
        const left = { a: 60, b: 60 };
        while (left.a > 0 && left.b > 0) {
          const taken = takeOne(queue)!;
          served[taken.item as "a" | "b"] += taken.tokens;
          left[taken.item as "a" | "b"] -= 1;
          expect(Math.abs(served.a - served.b)).toBeLessThanOrEqual(200);
        }
      }),
    );
  });
});
