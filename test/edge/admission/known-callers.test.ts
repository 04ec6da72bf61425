import { describe, expect, test } from "vitest";
import { createKnownCallers } from "../../../edge/admission/known-callers.ts";
import type { Account } from "../../../edge/db/api-keys.ts";

describe("known callers", () => {
  const account = { accountId: "acct_1" } as Account;

  test("are remembered for ten minutes after they were admitted last, a refusal of theirs for one", () => {
    const known = createKnownCallers();
    known.admit("hash", account, 0);
    known.admit("hash", account, 1_000);
    known.refuse("acct_1", 0);
    known.refuse("acct_1", 1_000);
    const recalled = [600_999, 601_000].map((now) => known.recall("hash", now)?.account);
    expect(recalled).toEqual([account, undefined]);
    expect([60_999, 61_000].map((now) => known.wasRefused("acct_1", now))).toEqual([true, false]);
  });

  test("are ten thousand at most: who was admitted longest ago is forgotten, and refused longest ago", () => {
    const known = createKnownCallers();
    for (let at = 0; at < 10_000; at++) {
      known.admit(`hash ${at}`, account, 0);
      known.refuse(`acct ${at}`, 0);
    }
    known.admit("hash 0", account, 1);
    known.refuse("acct 0", 1);
    known.admit("another", account, 1);
    known.refuse("another", 1);
    expect([0, 1, 2].map((at) => known.recall(`hash ${at}`, 2) !== undefined)).toEqual([true, false, true]);
    expect([0, 1, 2].map((at) => known.wasRefused(`acct ${at}`, 2))).toEqual([true, false, true]);
  });
});
