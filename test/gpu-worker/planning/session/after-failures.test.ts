// What comes after a failed call, whatever the reader of sessions makes of the error.
import { describe, expect, it } from "vitest";
import { readRecovery } from "../../../../gpu-worker/planning/session/after-failures.ts";
import type { SessionEvent } from "../../../../gpu-worker/planning/session/events.ts";
import { leastMs } from "../../../support/least-ms.ts";

const tools = [
  { name: "Bash", effect: "write" },
  { name: "Read", effect: "look" },
  { name: "Edit", effect: "write" },
  { name: "TodoWrite", effect: "write" },
  { name: "search_files", effect: "look" },
  { name: "list_devices", effect: "look" },
  { name: "list_allowed_directories", effect: "look" },
  { name: "list_events", effect: "look" },
  { name: "play", effect: "write" },
  { name: "reject_leave", effect: "commit" },
  { name: "finish", effect: undefined },
  { name: "browser_snapshot", effect: "look" },
  { name: "list", effect: "look" },
] as const;
const weights = { pointed: 4, lacking: 3, searches: 3, repairs: 2, redo: 1, handsIn: 5 };
const user = (text: string): SessionEvent => ({ kind: "user", text });
const called = (name: string, said: string, args = "{}"): SessionEvent[] => [
  { kind: "call", text: name, args },
  { kind: "result", text: said },
];
const read = (...turns: SessionEvent[]) => {
  const { score, isOpen } = readRecovery(turns, tools, weights);
  const likelier = tools.map(({ name }) => name).filter((name) => score(name) > 0);
  return { likelier, isOpen, handsIn: score("finish"), notes: score("TodoWrite") };
};
const goal = user("Fix the parser");

describe("after a failure", () => {
  it.each([
    ["play", "NO_ACTIVE_DEVICE: no device named kitchen. Call list_devices first", "list_devices"],
    ["Edit", "tool_use_error: File has not been read yet. Read it first before writing to it.", "Read"],
    ["Edit", "Error: You must read the file before overwriting it", "Read"],
    ["Edit", "Error: stale file. Use the read tool first", "Read"],
    ["Read", "Error: Access denied - path outside allowed directories", "list_allowed_directories"],
    ["play", "Error: missing required argument: uri", "play"],
    ["play", '{"error":"timeout","retryable":true}', "play"],
    ["list_events", "net::ERR_CONNECTION_TIMED_OUT at https://a.example", "list_events"],
    ["Bash", "npm error Missing script: test", "Bash"],
  ])("of %s the tool is due that the error names or wants again: %s", (name, said, due) => {
    const { likelier, isOpen } = read(goal, ...called(name, said));
    expect(likelier).toContain(due);
    expect(isOpen).toBe(true);
  });

  it.each([
    ['{"error":"slot_taken"}', -3],
    ["ALREADY_SHIPPED: handed to the carrier", -3],
    ['{"error":"reserved","message":"reserved until 13:00"}', -3],
    ['{"error":"no such device"}', 0],
    ["Error: missing required argument: uri", 3],
  ])("a change that cannot succeed is less likely to be tried again: %s", (said, added) => {
    const { score } = readRecovery([goal, ...called("play", said)], tools, weights);
    expect(score("play")).toBe(added);
  });

  it.each([
    ["proposes a change", "play", "Error: leave pending. Use reject_leave and play again"],
    ["forbids it", "play", "Error: busy. Do not call reject_leave or list_devices to work around this"],
    ["wants somebody's word", "reject_leave", "Error: approval of a manager is required"],
    ["leaves open whether a change was made", "reject_leave", "Error: read ECONNRESET"],
  ])("no call is due for an error that %s", (_, name, said) => {
    expect(read(goal, ...called(name, said))).toMatchObject({ likelier: [], isOpen: false });
  });

  it("what searches is likelier after a search without hits, and not after two or after an empty list", () => {
    const vain = called("search_files", "No matches found");
    expect(read(goal, ...vain).likelier).toEqual(["search_files"]);
    expect(read(goal, ...vain, ...vain).likelier).toEqual([]);
    expect(read(goal, ...called("list_events", "[]")).likelier).toEqual([]);
  });

  it.each([
    "TimeoutError: locator.fill: Timeout 5000ms exceeded. element is covered by a dialog",
    "Error: Ref e12 not found in the current page snapshot",
    "Error: element is not visible",
  ])("a page is looked at where its element cannot be used: %s", (said) => {
    expect(read(goal, ...called("play", said)).likelier).toContain("browser_snapshot");
    expect(read(goal, ...called("play", "Error: out of memory")).likelier).not.toContain("browser_snapshot");
  });

  it.each(["device 'hall light' is unknown", "Error: could not find a device named hall"])(
    "what lists is likelier where a name is not there: %s",
    (said) => {
      expect(read(goal, ...called("play", `{"ok":false,"error":"${said}"}`)).likelier).toContain(
        "list_devices",
      );
    },
  );

  it("a compiler's error with a code is an error of the work, and no success of the command", () => {
    for (const error of ["src/a.ts(4,12): error TS2304: Cannot find name 'x'", "error[E0599]: no method `x`"])
      expect(read(goal, ...called("Bash", `Command executed.\nOutput:\n${error}`))).toMatchObject({
        likelier: ["Read", "Edit"],
        handsIn: -5,
      });
  });

  it("files are read and edited where a check fails, if the message wants a change", () => {
    const failing = called("Bash", "Tests  1 failed | 4 passed (5)");
    expect(read(goal, ...failing)).toMatchObject({ likelier: ["Read", "Edit"], notes: -2 });
    for (const said of [
      "Run the tests. Don't fix anything.",
      "I fixed it, run the tests",
      "Does Tom's fix work?",
    ])
      expect(read(user(said), ...failing).likelier).toEqual([]);
  });

  it("nothing is handed in", () => {
    expect(read(goal, ...called("Bash", "Traceback (most recent call last):")).handsIn).toBe(-5);
    expect(read(goal, ...called("Edit", "updated"), ...called("Bash", "4 passed")).handsIn).toBe(5);
  });
});

describe("a call that failed", () => {
  const lost = called("play", "Error: no such device");

  it("is due again once another call has succeeded", () => {
    const { likelier, isOpen } = read(goal, ...lost, ...called("list_devices", "[1]"));
    expect({ likelier, isOpen }).toEqual({ likelier: ["play"], isOpen: true });
  });

  it.each([
    ["it has succeeded since", [...lost, ...called("play", "ok"), ...called("list_devices", "[1]")]],
    ["it cannot succeed", [...called("play", "Error: 403 forbidden"), ...called("list_devices", "[1]")]],
    ["it may have played", [...called("play", "Error: timed out"), ...called("list_devices", "[1]")]],
    ["it was declined", [...called("play", "Error: card declined"), ...called("list_devices", "[1]")]],
    [
      "it did what it is named after",
      [...called("reject_leave", '{"status":"rejected"}'), ...called("list_devices", "[1]")],
    ],
    ["a new message stands before it", [...lost, user("thanks"), ...called("list_devices", "[1]")]],
  ])("is not, where %s", (_, turns) => {
    expect(read(goal, ...turns)).toMatchObject({ likelier: [], isOpen: false });
  });

  it("is a command, where a shell ran it", () => {
    const failing = called(
      "Bash",
      "ModuleNotFoundError: No module named requests",
      '{"command":"python a.py"}',
    );
    const mended = read(
      goal,
      ...failing,
      ...called("Bash", "installed", '{"command":"pip install requests"}'),
    );
    expect(mended).toMatchObject({ likelier: ["Bash"], isOpen: false, handsIn: -5 });
  });
});

it.each(["missing ", "invalid a ", "ERR_", "A_", "call the "])(
  "reads long texts of %j in little time",
  async (text) => {
    const turns = [goal, ...called("play", `error ${text.repeat(20_000)}`)];
    expect(await leastMs(50, () => read(...turns))).toBeLessThan(50);
  },
);
