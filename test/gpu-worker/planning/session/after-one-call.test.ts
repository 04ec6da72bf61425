// When one call has done what was asked for, and when an error asks for the call to be made again.
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../../gpu-worker/planning/session/events.ts";
import { readEvidence } from "../../../../gpu-worker/planning/session/evidence.ts";
import { readProgress } from "../../../../gpu-worker/planning/session/progress.ts";
import { noEvidence } from "../../support/made-up-model.ts";

const user = (text: string): SessionEvent => ({ kind: "user", text });
const called = (name: string, said = "ok"): SessionEvent[] => [
  { kind: "call", text: name },
  { kind: "result", text: said },
];

describe("the one change that was asked for is made by the tool that is named so", () => {
  const progress = (asked: string, tool: string) =>
    readProgress([user(asked), ...called(tool)], [{ name: tool, effect: "write" }]);

  it.each([
    ["turn on the kitchen light", "turn_on", "named"],
    ["label the second one bug", "add_label", "named"],
    ["turn off the lights in the office", "turn_off", "even"],
    ["turn on the fan and the heater", "turn_on", "even"],
    ["edit the title of the page", "edit_file", "even"],
    ["run a shell that cleans the disk", "shell", "even"],
  ])("%s, %s: %s", (asked, tool, wanted) => {
    expect(progress(asked, tool)).toBe(wanted);
  });
});

describe("a plan goes on after a failed call whose error asks for another try", () => {
  const goesOn = (error: string, times = 1) => {
    const turns = [
      user("Cancel booking 9"),
      ...Array.from({ length: times }, () => called("cancel", error)).flat(),
    ];
    return readEvidence([{ name: "cancel", effect: "write", needs: [] }], turns, noEvidence).isOpen;
  };

  it.each([
    "Error: upstream timed out, please retry",
    "invalid recipient 'practice'. Did you mean praxis@weiss.de?",
    "Error: connection reset. Try again.",
  ])("%s", (error) => {
    expect(goesOn(error)).toBe(true);
  });

  it.each([
    "Error: rate limit exceeded, try again later",
    "Error: too many attempts. Try again in 24 hours.",
    "Error: booking 9 not found",
    "Sent. If it does not arrive, try again.",
  ])("not: %s", (error) => {
    expect(goesOn(error)).toBe(false);
  });

  it("not for ever", () => {
    expect([2, 3].map((times) => goesOn("Error: timed out, please retry", times))).toEqual([true, false]);
  });
});

it("is finished when the request is taken back before any call", () => {
  const turns = [
    user("restart checkout"),
    { kind: "assistant", text: "Shall I?" } as const,
    user("Never mind."),
  ];
  expect(readProgress(turns, [])).toBe("finished");
});
