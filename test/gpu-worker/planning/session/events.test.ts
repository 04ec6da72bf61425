import { describe, expect, it } from "vitest";
import {
  clipEvent,
  hasCalls,
  keepEvents,
  lastGoal,
  looksEmpty,
  looksFailed,
  readEvents,
  type SessionEvent,
  turnsOf,
} from "../../../../gpu-worker/planning/session/events.ts";
import { PlanRequest } from "../../../../shared/planning.ts";

const event = (kind: SessionEvent["kind"], text: string): SessionEvent => ({ kind, text });
const request = (rest: Partial<PlanRequest>) =>
  PlanRequest.parse({ size: "base", goal: "goal", state: "", ...rest });
const texts = (events: readonly SessionEvent[]) =>
  keepEvents(events).map(
    ({ event: { text }, isAfterGoal, isGoal }) => `${isGoal ? "*" : isAfterGoal ? "+" : ""}${text}`,
  );

describe("the events of a request", () => {
  it("are its turns after the instructions", () => {
    const turns = [event("user", "hi"), event("assistant", "hello")] as PlanRequest["turns"];
    expect(readEvents(request({ state: "Be brief.", turns }))).toEqual([
      event("system", "Be brief."),
      ...turns,
    ]);
    expect(readEvents(request({ turns }))).toEqual(turns);
  });

  it("without turns are the goal, then each step with what came back", () => {
    const history = [
      { action: "search", observation: "two" },
      { action: "buy", observation: "" },
    ];
    expect(readEvents(request({ state: " ", history }))).toEqual([
      event("user", "goal"),
      event("call", "search"),
      event("result", "two"),
      event("call", "buy"),
    ]);
  });

  it("have their goal in the last user message", () => {
    const events = [event("system", "s"), event("user", "a"), event("user", "b"), event("call", "c")];
    expect(lastGoal(turnsOf(events))).toBe(1);
    expect(lastGoal([event("call", "c")])).toBe(-1);
  });
});

it.each<[string, SessionEvent[], boolean]>([
  ["nothing", [event("user", "a")], false],
  ["a call", [event("user", "a"), event("call", "c"), event("result", "r")], true],
  ["a planned call", [event("user", "a"), event("planned", "c")], true],
  ["calls of an earlier message", [event("user", "a"), event("call", "c"), event("user", "b")], false],
])("of %s it is known whether it was called for the goal", (_name, events, known) => {
  expect(hasCalls(events)).toBe(known);
});

describe("the events that are kept", () => {
  it("are the newest first, the system prompt last", () => {
    const events = [
      event("system", "s"),
      event("user", "old"),
      event("assistant", "a"),
      event("user", "new"),
      event("call", "c"),
    ];
    expect(texts(events)).toEqual(["+c", "*new", "a", "old", "s"]);
  });

  it("are 23 beside the system prompt, the last user message always among them", () => {
    const calls = Array.from({ length: 60 }, (_, at) => event("call", String(at)));
    const kept = texts([event("system", "s"), event("user", "goal"), ...calls]);
    expect(kept).toHaveLength(24);
    expect(kept.slice(0, 3)).toEqual(["+59", "+58", "+57"]);
    expect(kept.slice(-2)).toEqual(["*goal", "s"]);
  });

  it("are marked as after the goal where no user has spoken", () => {
    expect(keepEvents([event("call", "c")])).toEqual([
      { event: event("call", "c"), isAfterGoal: true, isGoal: false },
    ]);
    expect(keepEvents([])).toEqual([]);
  });

  it("are read to 1,200 characters", () => {
    expect(clipEvent("x".repeat(2_000))).toHaveLength(1_200);
  });
});

describe("a result", () => {
  it.each([
    ["Error 503: service unavailable", true],
    ["404", true],
    ["The file was not found", true],
    ["PERMISSION DENIED", true],
    ["Traceback (most recent call last)", true],
    ["timed out after 30 s", true],
    ['{"status": 409, "detail": "try again"}', true],
    ["409 room is taken", true],
    ["Booked: flight AZ123 at 9:12", false],
    ['{"value": 530}', false],
    ["530", false],
    ["450 EUR", false],
    ["HTTP/1.1 429 Too Many Requests", true],
    ['ERROR:  null value in column "name" violates not-null constraint', true],
    ["Error: 0 matches for old_string", true],
    ["error: null\nstatus: ok", false],
    ["Failed: 0 Passed: 12", false],
    ["412 passed in 183 s", false],
    ['{"room": "Lark", "errors": [], "expired": false}', false],
    ["build ok, 0 errors", false],
    ["1 def read(path):\n2   try:\n3     return open(path).read()\n4   except OSError as error:", false],
    ["3 results", false],
    ["terror films", false],
    ["", false],
    [`${"fine ".repeat(200)}error`, false],
    ["Exit code: 101\nWall time: 6.2 seconds\nOutput:\nrunning 14 tests", true],
    ["Chunk ID: 7cd3a1\nWall time: 0.0512 seconds\nProcess exited with code 1\nOutput:\n", true],
    ['{"output":"F..","metadata":{"exit_code":1,"duration_seconds":2.4}}', true],
    ["F..\n[Command finished with exit code 2]", true],
    ["Exit code: 0\nOutput:\nerror codes are listed below", false],
    ['{"success": false, "message": "stop it first"}', true],
    ['[{"id":1,"success":false},{"id":2,"success":true}]', false],
    ['{"checks":{"db":{"ok":false},"api":{"ok":true}}}', false],
    ['{"total":2,"jobs":[{"name":"lint","exit_code":1},{"name":"test","exit_code":1}]}', false],
    ['{"ok": false}', true],
    ['{"success": true, "error": null}', false],
    ['     1→import { GatewayError } from "./error";', false],
    ["<file>\n00001| throw new Error('x')\n</file>", false],
    ["The file /w/src/error.ts has been updated", false],
    ["src/unknown-device.ts:3: export const id", false],
    ["src/a.ts: error TS2304", true],
    ["src/a.ts(3,1): error TS2304: Cannot find name 'x'.", true],
    ["app.py:3: error: Incompatible types in assignment", true],
    ["fatal: not a git repository", true],
    ["npm ERR! code ELIFECYCLE", true],
    ["Too many requests, slow down", true],
    ["Missing required parameter: order_id", true],
    ["Not authorized", true],
    ["[The command completed with exit code 1.]\n[Command finished with exit code 1]", true],
    ["404: Not Found", true],
    ["409 conflict", true],
    ["404.html\nindex.html", false],
    ["500 rows", false],
    ["412 flats. Left: the price", false],
    ["export failed: disk full", true],
    ["class not found", true],
    ["import failed; try again", true],
    ["export const failed = new Set();", false],
    ["import { HttpError } from './errors';\nthrow new Error('failed')", false],
    ["class UnknownUser(Exception):", false],
    ["// Error handling of the queue", false],
    ["const error = new Error('x');", false],
    ["12\tif (error) return", false],
    ["1 | throw new Error('x')", false],
    ["src/http.ts:12:  throw new Error('failed')", false],
    ["a1b2c3d Fix invalid date", false],
    ["commit 1a2b3c4d\n    Fix error in rates", false],
    ["diff --git a/x b/x\n-throw new Error('failed')", false],
    ["From: ann@example.com\nSubject: Payment failed", false],
    ["Date: invalid format", true],
    ['{"detail":[{"msg":"invalid date"}]}', true],
    ['Web search results for query: "vite cannot resolve import"', false],
    ["Output: built\nError: (none)\nExit Code: (none)", false],
    ["PASS src/error.test.ts\n  ✓ throws an error (3 ms)", false],
    [" ✓ returns 404 when not found\n ✗ fails: error", true],
    ["Locked the front door", false],
    ['{"entity_id":"lock.front","state":"locked"}', false],
    ["The front door is now locked", false],
    ["record locked", true],
    ["locked by another editor", true],
    ['[{"id":1,"title":"Error on the login page"},{"id":2}]', false],
    ['{"runs":[{"id":7,"state":"failed"}]}', false],
    ['{"errors":[{"message":"Cannot query field"}]}', true],
    ['{"failed":[{"id":3,"reason":"not found"}]}', true],
    ["403 refunds need a supervisor", true],
    ['[{"type":"text","text":"Error: no such page"}]', true],
  ])("%j looks failed: %s", (text, failed) => {
    expect(looksFailed(text)).toBe(failed);
  });

  it.each([
    ["", true],
    ["[]", true],
    [" {} ", true],
    ["null", true],
    ["No results", true],
    ['{"items": []}', true],
    ["0 rows", true],
    ["10 rows", false],
    ["Found two lamps", false],
  ])("%j looks empty: %s", (text, empty) => {
    expect(looksEmpty(text)).toBe(empty);
  });
});
