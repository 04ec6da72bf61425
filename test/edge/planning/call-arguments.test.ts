// What the worker gets of a call's arguments.
import { expect, it } from "vitest";
import { describeArguments } from "../../../edge/planning/call-arguments.ts";

const list = (states: readonly string[]) =>
  JSON.stringify({
    todos: states.map((status, at) => ({ content: `Step ${at} of the work ${"x".repeat(60)}`, status })),
  });

it("keeps short ones", () => {
  expect(describeArguments('{"path":"a.ts"}')).toBe('{"path":"a.ts"}');
});

it("keeps the beginning of long ones", () => {
  const text = JSON.stringify({ path: "a.ts", content: 'x "status": "pending" '.repeat(60) });
  expect(describeArguments(text)).toBe(text.slice(0, 400));
});

it("keeps which states stand further on in a list of steps", () => {
  const done = "completed";
  const ticked = describeArguments(list(Array(12).fill(done)));
  const open = describeArguments(list([...Array(10).fill(done), "in_progress", "pending"]));
  expect(ticked.slice(400)).toBe('…"status":"completed"');
  expect(open.slice(400)).toBe('…"status":"completed"…"status":"in_progress"…"status":"pending"');
});

it("finds a state that the cut divides", () => {
  const state = '"status":"pending"';
  for (const before of [383, 391, 399])
    expect(describeArguments(`${"x".repeat(before)}${state}${"y".repeat(99)}`).slice(400)).toBe(`…${state}`);
});

it("searches so many letters for states, and no more", () => {
  const long = (letters: number) => `${"x".repeat(letters)}"status":"pending"`;
  expect(describeArguments(long(19_000)).slice(400)).toBe('…"status":"pending"');
  expect(describeArguments(long(20_000)).slice(400)).toBe("");
});

it("keeps the marks of a list that is text", () => {
  const text = JSON.stringify({ todos: `${"[x] a step that was done\n".repeat(30)}[ ] the last one` });
  expect(describeArguments(text).slice(400)).toBe("…\\n[x] …\\n[ ] ");
});
