import { expect, test } from "vitest";
import { planRates } from "../../edge/console/operator/plan-rates.ts";

test("a worker has a rate if both readings know it and it was not restarted between them", () => {
  const before = {
    atMs: 1_000,
    workers: [
      { url: "a", plans_done: 10 },
      { url: "restarted", plans_done: 50 },
      { url: "silent", plans_done: null },
    ],
  };
  const now = {
    atMs: 6_000,
    workers: [
      { url: "a", plans_done: 35 },
      { url: "restarted", plans_done: 2 },
      { url: "silent", plans_done: 3 },
      { url: "new", plans_done: 3 },
    ],
  };
  expect([...planRates(before, now)]).toEqual([["a", 5]]);
  expect([...planRates(now, now)]).toEqual([]);
});
