// What a call did where its tool's name does not say it.
import { describe, expect, it } from "vitest";
import {
  changesByName,
  effectOfCall,
  findChanges,
  keepsNotes,
  mayChange,
} from "../../../../gpu-worker/planning/session/call-effects.ts";

const effectOf = (text: string, args: object) =>
  effectOfCall({ text, args: JSON.stringify(args) }, undefined);

describe("a shell's command", () => {
  it.each([
    ["Bash", { command: "ls -la && cat src/a.ts | head -20" }],
    ["shell", { command: ["bash", "-lc", "sed -n 1,80p lex.rs"] }],
    ["exec_command", { cmd: "rg -n parse 2>/dev/null; git status" }],
    ["run_terminal_cmd", { command: "find . -name '*.ts'" }],
  ])("%s %j only looks", (name, args) => {
    expect(effectOf(name, args)).toBe("look");
  });

  it.each([
    ["Bash", { command: "rm server.log" }],
    ["Bash", { command: "cat a.txt > b.txt" }],
    ["Bash", { command: "ls && npm test" }],
    ["shell", { command: ["bash", "-lc", "find . -name x -delete"] }],
    ["shell", { command: ["git", "commit"] }],
    ["Bash", {}],
    ["list_orders", { command: "ls" }],
  ])("%s %j may change something", (name, args) => {
    expect(effectOf(name, args)).toBeUndefined();
  });
});

it("knows verbs that change something though the table has them for a plan's start, or not at all", () => {
  const changing = [
    "start_instance",
    "launchJob",
    "trigger_run",
    "drain_node",
    "rerun_job",
    "undo_last",
    "evict_pod",
  ];
  expect(changing.filter((name) => mayChange({ name, effect: "none" }))).toEqual(changing);
  expect(mayChange({ name: "start_time", effect: "look" })).toBe(false);
  expect(changesByName({ name: "rerun_tests", effect: "none" })).toBe(false);
  expect(changesByName({ name: "run_query", effect: "write" })).toBe(false);
  expect(changesByName({ name: "run_migration", effect: "write" })).toBe(true);
  expect(changesByName({ name: "abort_run", effect: undefined })).toBe(true);
  expect(changesByName({ name: "get_run", effect: "look" })).toBe(false);
  expect(mayChange({ name: "retry_policy", effect: "none" })).toBe(false);
  expect(mayChange({ name: "resume_url", effect: "none" })).toBe(false);
  expect(mayChange({ name: "ask_user", effect: "none" })).toBe(false);
});

it("knows the lists in which agents keep their own steps", () => {
  const own = ["TodoWrite", "todowrite", "write_todos", "update_todo_list", "update_plan", "think"];
  expect(own.filter(keepsNotes)).toEqual(own);
  expect(["add_todo", "create_todo", "update_payment_plan", "plan_trip"].filter(keepsNotes)).toEqual([]);
});

it("knows that what opens or closes a thing in the house changes it", () => {
  const moves = ["close_cover", "open_garage_door", "closeBlinds", "close_tab", "open_page", "open_ticket"];
  const change = moves.filter((name) => changesByName({ name, effect: "move" }));
  expect(change).toEqual(["close_cover", "open_garage_door", "closeBlinds"]);
});

it("knows verbs that settle a matter, though the table of verbs has another effect for them", () => {
  const settling = ["close_ticket", "closeGithubIssue", "open_pull_request", "check_in", "record_grade"];
  const looking = ["record_lookup", "comment_list", "check_in_progress", "grade_history"].concat([
    "list_open_pull_requests",
    "get_open_disputes",
    "check_in_stock",
    "check_in_status",
    "record_details",
  ]);
  const names = [...settling, ...looking];
  expect(names.filter((name) => changesByName({ name, effect: "move" }))).toEqual(settling);
});

it.each([
  ["submit_leave_request", true],
  ["make_purchase_request", true],
  ["send_post_request", false],
  ["send_graphql_request", false],
  ["submit_request", false],
])(
  "knows requests that people are sent from those of programs: %s changes something: %s",
  (name, changes) => {
    expect(changesByName({ name, effect: "commit" })).toBe(changes);
  },
);

it.each([
  ["final_answer", false],
  ["answer_question", false],
  ["text_to_answer", false],
  ["reply", false],
  ["send_response", false],
  ["respond_to_user", false],
  ["reply_to_email", true],
  ["mcp__outlook__reply", true],
  ["ReplyInThread", true],
  ["calendar_respond", true],
])("knows of a reply whether it goes to the user who asks: %s changes something: %s", (name, changes) => {
  expect(changesByName({ name, effect: "commit" })).toBe(changes);
});

it("finds the tools that change something", () => {
  const tools = [
    { name: "Read", effect: "look" as const },
    { name: "Write", effect: "write" as const },
    { name: "TodoWrite", effect: "write" as const },
    { name: "search_replace", effect: "look" as const },
    { name: "execute_command", effect: "write" as const },
    { name: "delete_file", effect: "commit" as const },
  ];
  expect(findChanges(tools).map((row) => tools[row]!.name)).toEqual([
    "Write",
    "search_replace",
    "delete_file",
  ]);
});

it("knows verbs that change something, which the table of verbs has not", () => {
  const names = ["drain_node", "page_oncall", "unblock_card", "foo_card"];
  expect(names.filter((name) => changesByName({ name, effect: undefined }))).toEqual(names.slice(0, 3));
});
