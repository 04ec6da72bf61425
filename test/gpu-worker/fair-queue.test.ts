import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFairQueue } from "../../gpu-worker/fair-queue.ts";

const takeOne = <Item>(queue: ReturnType<typeof createFairQueue<Item>>) => queue.take(() => 1)[0];

describe("the fair queue", () => {
  it("puts a further piece behind the piece before it, among other accounts' work, and before its account's next", () => {
    const queue = createFairQueue<string>();
    const first = queue.push("first piece", { share: "a", tokens: 10, weight: 1_000 });
    queue.take(() => 1);
    queue.push("next of a", { share: "a", tokens: 10, weight: 10 });
    for (let at = 0; at < 6; at++) queue.push(`b${at}`, { share: "b", tokens: 10, weight: 100 });
    queue.push("second piece", { share: "a", tokens: 10, weight: 250, after: first.start });
    const order = Array.from({ length: 8 }, () => takeOne(queue)!.item);
    expect(order).toEqual(["b0", "b1", "b2", "second piece", "b3", "b4", "b5", "next of a"]);
  });

  it("takes by turns of accounts that wait together, however much each has", () => {
    const queue = createFairQueue<string>();
    for (const item of ["a1", "a2", "a3", "a4", "a5", "a6"])
      queue.push(item, { share: "a", tokens: 10, weight: 10 });
    for (const item of ["b1", "b2"]) queue.push(item, { share: "b", tokens: 10, weight: 10 });
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
    for (let count = 0; count < 50; count++) queue.push("a", { share: "a", tokens: 10, weight: 10 });
    for (let count = 0; count < 40; count++) takeOne(queue);
    for (let count = 0; count < 20; count++) queue.push("b", { share: "b", tokens: 10, weight: 10 });
    const first = Array.from({ length: 10 }, () => takeOne(queue)?.item);
    expect(first.filter((item) => item === "a").length).toBeGreaterThanOrEqual(4);
  });

  it("gives an account that comes after a batch of several its turn behind the last of them", () => {
    const queue = createFairQueue<string>();
    for (const item of ["a1", "a2", "a3", "a4", "a5"])
      queue.push(item, { share: "a", tokens: 10, weight: 10 });
    queue.take(() => 3);
    for (const item of ["b1", "b2", "b3"]) queue.push(item, { share: "b", tokens: 10, weight: 10 });
    const order = queue.take((tokens) => tokens.length).map(({ item }) => item);
    expect(order).toEqual(["b1", "a4", "b2", "a5", "b3"]);
  });

  it("is first in, first out for one account, and forgets what left", () => {
    const queue = createFairQueue<number>();
    const entries = [1, 2, 3, 4].map((item) =>
      queue.push(item, { share: "a", tokens: item * 100, weight: 10 }),
    );
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
        for (const one of ofA) queue.push("a", { share: "a", tokens: one, weight: one });
        for (const one of ofB) queue.push("b", { share: "b", tokens: one, weight: one });
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

  it("puts what an account asks for later behind what it has asked for, also after a piece that went before that", () => {
    const queue = createFairQueue<string>();
    for (const item of ["a1", "a2", "a3", "a4"]) queue.push(item, { share: "a", tokens: 10, weight: 10 });
    const [first] = queue.take(() => 1);
    queue.push("a1, second piece", { share: "a", tokens: 10, weight: 10, after: first!.start });
    queue.push("a5", { share: "a", tokens: 10, weight: 10 });
    for (const item of ["b1", "b2", "b3", "b4"]) queue.push(item, { share: "b", tokens: 10, weight: 10 });
    const order = queue.take((tokens) => tokens.length).map(({ item }) => item);
    expect(order.indexOf("a5")).toBeGreaterThan(order.indexOf("b4"));
  });
});
