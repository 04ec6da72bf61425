import { expect, test } from "vitest";
import { losesMoney, type ReconciledDay } from "../../../edge/billing/reconcile.ts";

const day: ReconciledDay = {
  day: "2026-11-29",
  model: "openai/gpt-4o",
  requests: 3,
  chargedMicro: 900,
  reportedRequests: 1,
  chargedOfReportedMicro: 100,
  reportedMicro: 100,
  deadlines: 0,
  flags: {},
};

test.each([
  ["more than it was charged", 101, true],
  ["just what it was charged", 100, false],
  ["less", 99, false],
])(
  "a day whose requests with a reported cost cost %s (%i of 100) loses money: %s",
  (_what, reportedMicro, loses) => {
    expect(losesMoney({ ...day, reportedMicro })).toBe(loses);
  },
);
