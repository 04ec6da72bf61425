import { expect, test } from "vitest";
import { createWrongKeys } from "../../../edge/admission/wrong-keys.ts";

test("an API key that sent 120 wrong provider keys within a minute waits for the rest of it", () => {
  const wrong = createWrongKeys();
  const waits = (now: number) => wrong.wait("key_1", "right", now);
  for (let sent = 0; sent < 119; sent++) wrong.add("key_1", `wrong ${sent}`, 1_000);
  expect(waits(1_000)).toBeUndefined();
  wrong.add("key_1", "another", 31_000);
  expect([31_000, 60_999, 61_000].map(waits)).toEqual([30, 1, undefined]);
  wrong.add("key_1", "another", 61_000);
  expect(waits(61_000)).toBeUndefined();
  expect(wrong.wait("key_2", "right", 31_000)).toBeUndefined();
});

test("one wrong provider key that was sent 120 times waits, and no other", () => {
  const wrong = createWrongKeys();
  for (let sent = 0; sent < 120; sent++) wrong.add("key_1", "revoked", sent);
  expect(wrong.wait("key_1", "revoked", 1_000)).toBe(59);
  expect(wrong.wait("key_1", "right", 1_000)).toBeUndefined();
});

test("who waits does so no longer where the clock was set back by hours", () => {
  const wrong = createWrongKeys();
  const now = 4 * 3_600_000;
  for (let sent = 0; sent < 120; sent++) wrong.add("key_1", `wrong ${sent}`, now);
  expect(wrong.wait("key_1", "right", now)).toBe(60);
  expect(wrong.wait("key_1", "right", now - 3 * 3_600_000)).toBeUndefined();
});
