import { expect, test } from "vitest";
import { createRecentCallers } from "../../../edge/middleware/recent-callers.ts";

test("a caller is remembered for a minute after each time he was admitted", () => {
  const recent = createRecentCallers();
  expect(recent.has("a", 0)).toBe(false);
  recent.remember("a", 0);
  recent.remember("a", 30_000);
  expect([89_999, 90_000].map((now) => recent.has("a", now))).toEqual([true, false]);
});

test("a caller who is forgotten is gone", () => {
  const recent = createRecentCallers();
  recent.remember("a", 0);
  recent.forget("a");
  expect(recent.has("a", 1)).toBe(false);
});

test("of more than 1,000 callers the one unused longest goes", () => {
  const recent = createRecentCallers();
  for (let index = 0; index < 1_000; index++) recent.remember(`caller-${index}`, index);
  recent.remember("caller-0", 1_000);
  recent.remember("newest", 1_001);
  expect(["caller-0", "caller-1", "caller-2", "newest"].map((caller) => recent.has(caller, 1_002))).toEqual([
    true,
    false,
    true,
    true,
  ]);
});
