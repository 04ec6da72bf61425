// When a limit says to come again.
import { expect, test } from "vitest";
import { admit, hitKeptMs } from "../../../edge/db/rate-hits.ts";
import { openTestDatabase } from "../support/accounts.ts";

const database = openTestDatabase();

test.each([
  ["at the same moment", 0, hitKeptMs / 1_000],
  ["in whole seconds, rounded up", 1_500, 59],
  ["in a second at least", hitKeptMs - 1, 1],
  ["as for a request of now, if another edge's clock is ahead", -9_000, hitKeptMs / 1_000],
])("a full window says when one more is free: %s", async (_, laterMs, resetSeconds) => {
  const first = { bucket: crypto.randomUUID(), limit: 1, now: Date.now() };
  expect(await admit(database, first)).toMatchObject({ admitted: true, remaining: 0 });
  const refused = await admit(database, { ...first, now: first.now + laterMs });
  expect(refused).toEqual({ admitted: false, remaining: 0, resetSeconds });
});

test.each([
  ["a minute", {}],
  ["a day", { windowMs: 86_400_000 }],
])("a full window of %s frees itself where the clock was set back by hours", async (_, window) => {
  const limit = { bucket: crypto.randomUUID(), limit: 1, ...window, now: Date.now() };
  expect(await admit(database, limit)).toMatchObject({ admitted: true });
  const back = { ...limit, now: limit.now - 3 * 3_600_000 };
  expect(await admit(database, back)).toMatchObject({ admitted: true, remaining: 0 });
  expect(await admit(database, back)).toMatchObject({ admitted: false });
});
