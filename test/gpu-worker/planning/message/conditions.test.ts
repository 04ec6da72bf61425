// What is only supposed, and what another part depends on.
import { describe, expect, it } from "vitest";
import { isCondition, isSupposed } from "../../../../gpu-worker/planning/message/conditions.ts";
import { partsOf } from "../../../../gpu-worker/planning/message/goal-text.ts";
import { readMessage } from "../../../../gpu-worker/planning/message/read-message.ts";

describe("a question about what would follow", () => {
  it.each([
    "If we book it today, can we cancel later?",
    "if i freeze my card will my subscription still go through",
    "Could we still cancel tomorrow if we reserve now?",
    "if I resign in June will I lose my holidays?",
    "Once we publish it, can the editors still change it?",
  ])("only asks: %s", (goal) => {
    const { parts, askings } = readMessage(goal);
    expect(parts.every((_, at) => isSupposed(parts, at))).toBe(true);
    expect(new Set(askings)).toEqual(new Set(["answer"]));
  });

  it.each([
    "If I send you the photo, can you file the claim?",
    "If I upload the photo, can someone file the claim?",
    "If I have enough money, can we pay the bill?",
    "Can I get a table if we come at nine?",
    "If we book it today, cancel the other one",
    "If I pay it now, can it please be sent today?",
    "When I leave, lock the door",
    "If we book it. Can we cancel the old one?",
  ])("is none: %s", (goal) => {
    const parts = partsOf(goal);
    expect(parts.some((_, at) => isSupposed(parts, at))).toBe(false);
  });
});

describe("a part that is a condition alone", () => {
  const conditions = (goal: string) => partsOf(goal).filter((_, at, all) => isCondition(goal, all, at));

  it.each([
    ["If the customer has confirmed, close the ticket", "If the customer has confirmed"],
    ["Book the flight, but only if it is refundable", "only if it is refundable"],
    ["Pay the bill today, unless it is over 80", "unless it is over 80"],
    ["Pay the bill today, but not if it is over 80", "not if it is over 80"],
  ])("%s", (goal, part) => expect(conditions(goal)).toEqual([part]));

  it.each([
    "Look for a ticket about it and if not make one",
    "if it rains close the garage and lock the door",
    "Check the weather. If it rains close the garage",
  ])("is none where the part asks for more: %s", (goal) => expect(conditions(goal)).toEqual([]));
});
