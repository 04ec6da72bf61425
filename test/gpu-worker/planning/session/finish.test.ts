// What shows by itself that an agent's work is finished: its list of steps, the delivery that was asked for, a shell's passed tests.
import { describe, expect, it } from "vitest";
import { partsOf } from "../../../../gpu-worker/planning/message/goal-text.ts";
import type { SessionEvent } from "../../../../gpu-worker/planning/session/events.ts";
import { isFinished } from "../../../../gpu-worker/planning/session/finish.ts";
import { leastMs } from "../../../support/least-ms.ts";

const tools = [
  { name: "Bash", effect: undefined },
  { name: "Edit", effect: "write" as const },
  { name: "Read", effect: "look" as const },
];
type Call = readonly [tool: string, args: object, result: string];
const turnsOf = (goal: string, calls: readonly Call[]): SessionEvent[] => [
  { kind: "user", text: goal },
  ...calls.flatMap(([text, args, result]): SessionEvent[] => [
    { kind: "call", text, args: JSON.stringify(args) },
    { kind: "result", text: result },
  ]),
];
const edit: Call = ["Edit", { file_path: "a.ts" }, "The file a.ts has been updated."];
const bash = (command: string, result: string): Call => ["Bash", { command }, result];
const isOver = (goal: string, ...calls: Call[]) => isFinished(turnsOf(goal, calls), tools, 1);

describe("an agent's list of its own steps", () => {
  const list = (...states: string[]) => ({ todos: states.map((status) => ({ content: "a step", status })) });
  const plan = (...states: string[]) => ({ plan: states.map((status) => ({ step: "a step", status })) });
  it.each<[string, boolean, Call]>([
    [
      "Claude Code's, ticked off",
      true,
      ["TodoWrite", list("completed", "completed"), "Todos have been modified."],
    ],
    [
      "Claude Code's, one open",
      false,
      ["TodoWrite", list("completed", "in_progress"), "Todos have been modified."],
    ],
    ["Codex's", true, ["update_plan", plan("completed", "completed"), "Plan updated"]],
    ["Codex's, one open", false, ["update_plan", plan("completed", "pending"), "Plan updated"]],
    [
      "Cursor's, whose result has the steps that the call leaves out",
      false,
      [
        "todo_write",
        list("completed", "completed"),
        "Latest contents:\n- COMPLETED: a (id: 1)\n- PENDING: b (id: 2)",
      ],
    ],
    [
      "Cursor's, ticked off",
      true,
      ["todo_write", {}, "Latest contents:\n- COMPLETED: a (id: 1)\n- COMPLETED: b (id: 2)"],
    ],
    [
      "Gemini CLI's",
      true,
      ["write_todos", {}, "The current list is now:\n1. [completed] a\n2. [cancelled] b"],
    ],
    [
      "Gemini CLI's, one open",
      false,
      ["write_todos", {}, "The current list is now:\n1. [completed] a\n2. [pending] b"],
    ],
    ["Roo Code's", true, ["update_todo_list", { todos: "[x] a\n[x] b" }, "Todo list updated successfully."]],
    [
      "Roo Code's, one open",
      false,
      ["update_todo_list", { todos: "[x] a\n[ ] b" }, "Todo list updated successfully."],
    ],
    [
      "one that could not be written",
      false,
      ["TodoWrite", list("completed", "completed"), "Error: invalid todos"],
    ],
  ])("%s: %s", (_, wanted, call) => {
    expect(isOver("Add a flag and describe it", edit, call)).toBe(wanted);
  });

  it("is an earlier message's if nothing else was called", () => {
    expect(isOver("Now the docs", ["TodoWrite", list("completed", "completed"), "ok"])).toBe(false);
  });

  const ticked: Call = ["TodoWrite", list("completed", "completed"), "Todos have been modified."];
  it("does not end the work while a commit that was asked for is missing", () => {
    expect(isOver("Add a flag and commit", edit, ticked)).toBe(false);
    const commit = bash("git commit -am x", "[main 9f21c3e] x");
    expect(isOver("Add a flag and commit", edit, commit, ticked)).toBe(true);
  });

  it("does not end the work where the message asks for a list, which may be the user's", () => {
    expect(isOver("Add a flag and tick off my todos", edit, ticked)).toBe(false);
  });

  it("is not read from a thought that holds ticks", () => {
    expect(isOver("Add a flag", edit, ["think", { thought: "[x] a\n[x] b" }, "[x] a\n[x] b"])).toBe(false);
  });

  it("is done when each step that was added by its own call is ticked off", () => {
    const added: Call[] = [1, 2].map((id) => [
      "TaskCreate",
      { subject: `step ${id}` },
      `Task #${id} created`,
    ]);
    const tick = (taskId: string): Call => ["TaskUpdate", { taskId, status: "completed" }, "Updated task"];
    expect(isOver("Do both", ...added, edit, tick("1"))).toBe(false);
    expect(isOver("Do both", ...added, edit, tick("1"), edit, tick("2"))).toBe(true);
  });
});

describe("a delivery that was asked for", () => {
  const commit = bash("git add -A && git commit -m 'Fix it'", "[main 9f21c3e] Fix it\n 1 file changed");
  const push = bash("git push", "To github.com:a/b.git\n   abc1234..9f21c3e  main -> main");
  const propose = bash("gh pr create --fill", "https://github.com/a/b/pull/4");
  it.each<[string, boolean, Call[]]>([
    ["commit this", true, [commit]],
    ["ok, commit it", true, [bash("git status", "M a.ts"), commit]],
    ["commit this and push", false, [commit]],
    ["commit this and push", true, [commit, push]],
    ["commit this but don't push yet", true, [commit]],
    ["fix the typo, commit and open a PR with gh", true, [edit, commit, propose]],
    ["commit it, then deploy to staging", false, [commit]],
    ["commit each file separately", false, [commit]],
    ["commit my changes as two commits", false, [commit]],
    ["push and tag v1.2", false, [push]],
    ["commit and push & deploy", false, [commit, push]],
    ["run the tests after you commit", false, [commit]],
    ["commit this", false, [bash("git commit -m x", "pre-commit: eslint\n  a.ts:3 unused variable")]],
    ["commit this", false, [bash("git commit -m x", "Error: exit code 1")]],
    ["who made the last commit?", false, [bash("git log -1", "commit 9f21c3e\nAuthor: Ada")]],
  ])("%s: %s", (goal, wanted, calls) => {
    expect(isOver(goal, ...calls)).toBe(wanted);
  });

  it("may be made by a tool of its own", () => {
    const call: Call = ["create_pull_request", { title: "Fix" }, '{"number": 91, "state": "open"}'];
    expect(isOver("Fix the typo and open a PR", edit, call)).toBe(true);
  });
});

describe("tests that pass in a shell", () => {
  const pass = bash("npm test", " Tests  96 passed (96)");
  it("end the work after a change", () => {
    expect(isOver("Fix the parser", edit, pass)).toBe(true);
    expect(isOver("Fix the parser", edit, bash("./gradlew test", "BUILD SUCCESSFUL in 3s"))).toBe(true);
  });

  it("end the work on a pasted error, which asks for one change however many lines it has", () => {
    const pasted =
      'Traceback (most recent call last):\n  File "close.py", line 40\n    total = sum(rows) + 1\nTypeError: int and NoneType';
    const passed = bash("pytest -q", "16 passed in 0.31s");
    expect(isFinished(turnsOf(pasted, [edit, passed]), tools, 3)).toBe(true);
    expect(isFinished(turnsOf(`${pasted}\nfix it and add a test`, [edit, passed]), tools, 3)).toBe(false);
    expect(isOver("error pages and their tests need a title", edit, passed)).toBe(false);
  });

  it("do not end the work while fewer changes were made than were asked for", () => {
    const turns = turnsOf("Fix the parser", [edit, pass]);
    expect([2, 1].map((asked) => isFinished(turns, tools, asked))).toEqual([false, true]);
    expect(isOver("Fix the parser and lexer", edit, pass)).toBe(false);
    expect(isOver("Fix the parser and lexer", edit, edit, pass)).toBe(true);
  });

  it.each<[string, number, boolean]>([
    ["Run the unit tests and fix whatever is broken", 1, true],
    ["Can you run the tests and fix the parser?", 1, true],
    ["Fix the parser and make sure all tests pass", 1, true],
    ["Fix the parser. Check that the build passes, please.", 1, true],
    ["Fix the parser and the lexer and make sure the tests pass", 1, false],
    ["Fix the parser and the lexer and make sure the tests pass", 2, true],
    ["Fix the parser and run the tests. Rename the lexer.", 1, false],
    ["Check the parser and the lexer and fix the build", 1, false],
    ["Run all tests", 0, false],
  ])("serve the part that asks for them: %s, after %i changes: %s", (goal, changes, over) => {
    const turns = turnsOf(goal, [...Array<Call>(changes).fill(edit), pass]);
    expect(isFinished(turns, tools, partsOf(goal).length)).toBe(over);
  });

  it.each<[string, string, Call[]]>([
    ["before any change", "Fix the parser", [pass]],
    ["when some fail", "Fix the parser", [edit, bash("npm test", "1 failed | 95 passed")]],
    ["when some fail in Mocha", "Fix the parser", [edit, bash("npm test", "95 passing\n1 failing")]],
    ["when none ran", "Fix the parser", [edit, bash("npm test", "0 passed, 3 skipped")]],
    ["when only a build was run", "Fix the parser", [edit, bash("make", "build succeeded")]],
    ["after one change of many", "Refactor all modules", [edit, pass]],
    ["after one change of a few", "Fix issues #1, #2 and #3", [edit, pass]],
    [
      "when a file that was read holds such words",
      "Fix the parser",
      [edit, bash("cat log.txt", "96 passed")],
    ],
    ["while a commit is asked for", "Fix the parser, then commit", [edit, pass]],
    ["while the agent has a list", "Fix the parser", [["TodoWrite", {}, "ok"], edit, pass]],
  ])("do not end the work %s", (_, goal, calls) => {
    expect(isOver(goal, ...calls)).toBe(false);
  });
});

it("work is never taken for finished where a tool is there to hand it in", () => {
  const turns = turnsOf("Fix the parser", [edit, bash("npm test", "96 passed")]);
  expect(isFinished(turns, [...tools, { name: "attempt_completion", effect: undefined }], 1)).toBe(false);
});

it.each([
  ["of a list", "TodoWrite", '"status":"completed" [x] - '.repeat(400)],
  ["of blanks", "TodoWrite", "\n ".repeat(2_000)],
  ["of a command", "Bash", `git ${"-c ".repeat(2_000)}`],
  ["of hooks", "Bash", `pre-commit ${"[a".repeat(2_000)}`],
])("reads a result in linear time: %s", async (_, tool, text) => {
  const turns = turnsOf(`commit ${"and ".repeat(600)}`, [edit, [tool, { command: text }, text]]);
  expect(await leastMs(20, () => isFinished(turns, tools, 1))).toBeLessThan(20);
});

it("reads a message of tests to run in linear time", async () => {
  const turns = turnsOf(`${"check run tests ".repeat(2_000)}now, ${"run ,".repeat(2_000)}`, [
    edit,
    bash("npm test", "96 passed"),
  ]);
  expect(await leastMs(20, () => isFinished(turns, tools, 1))).toBeLessThan(20);
});
