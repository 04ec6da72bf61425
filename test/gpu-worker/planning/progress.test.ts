// How far calls have got with what the last message asks for.
import { expect, it } from "vitest";
import { readProgress } from "../../../gpu-worker/planning/progress.ts";
import type { SessionEvent } from "../../../gpu-worker/planning/session-events.ts";

const tools = [
  { name: "look", effect: "look" },
  { name: "book", effect: "write" },
] as const;
/** A message, then calls as "name: result". */
const progress = (message: string, ...calls: string[]) =>
  readProgress(
    [
      { kind: "user", text: message },
      ...calls.flatMap((one): SessionEvent[] => {
        const [name, text] = one.split(": ") as [string, string];
        return [
          { kind: "call", text: name },
          { kind: "result", text },
        ];
      }),
    ],
    tools,
  );

it.each([
  ["a question that a look answered", "answered", "Which rooms are free tomorrow?", ["look: Lark, Wren"]],
  ["a question whose look failed", "unclear", "Which rooms are free tomorrow?", ["look: error 502"]],
  [
    "two wishes of which one is done",
    "behind",
    "Book the Lark for Ada and write to her sister",
    ["book: ok"],
  ],
  [
    "two wishes that are done",
    "even",
    "Book the Lark for Ada and reserve a table for two",
    ["book: ok", "book: ok"],
  ],
  [
    "a failed call, which is none",
    "behind",
    "Book the Lark for Ada and reserve a table for two",
    ["book: error", "book: ok"],
  ],
  ["a look, after which something is to be changed", "unclear", "Book the Lark for Ada", ["look: Lark"]],
  [
    "tests that pass after a change",
    "passed",
    "Fix the price and run the tests",
    ["book: ok", "look: 7 passed; 0 failed"],
  ],
  [
    "tests of which one fails",
    "unclear",
    "Fix the price and run the tests",
    ["book: ok", "look: 1 failed, 6 passed"],
  ],
  ["tests that pass before any change", "behind", "Fix the price and run the tests", ["look: 7 passed"]],
  ["no call yet", "unclear", "Book the Lark for Ada", []],
] as const)("%s: %s", (_name, wanted, message, calls) => {
  expect(progress(message, ...calls)).toBe(wanted);
});

it("counts the calls since the last message alone", () => {
  const turns: SessionEvent[] = [
    { kind: "user", text: "Book the Lark for Ada" },
    { kind: "call", text: "book" },
    { kind: "result", text: "ok" },
    { kind: "user", text: "Book the Wren for Bob and reserve a table for two" },
    { kind: "call", text: "book" },
    { kind: "result", text: "ok" },
  ];
  expect(readProgress(turns, tools)).toBe("behind");
});
