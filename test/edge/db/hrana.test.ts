import { describe, expect, it } from "vitest";
import {
  closeRequest,
  readGroup,
  readPipeline,
  readTransaction,
  writeGroup,
  writePipeline,
  writeStatement,
  writeTransaction,
} from "../../../edge/db/hrana.ts";

const statement = writeStatement({ sql: "SELECT ?", args: ["one"] });
const result = (...rows: unknown[][]) => ({
  cols: [{ name: "a" }, { name: null }],
  rows,
});
const answered = (result: unknown) => ({ type: "ok", response: { type: "execute", result } });
const refused = { type: "error", error: { message: "no such table: x", code: "SQLITE_ERROR" } };

describe("writeStatement", () => {
  it.each([
    [null, { type: "null" }],
    ["text", { type: "text", value: "text" }],
    [7, { type: "float", value: 7 }],
    [0.5, { type: "float", value: 0.5 }],
    [true, { type: "integer", value: "1" }],
    [9007199254740993n, { type: "integer", value: "9007199254740993" }],
  ])("binds %s", (value, wire) => {
    expect(JSON.parse(writeStatement({ sql: "SELECT ?", args: [value] }))).toEqual({
      sql: "SELECT ?",
      args: [wire],
      want_rows: true,
    });
  });

  it("replaces half of a surrogate pair, for which sqld would refuse the whole request", () => {
    const { args } = JSON.parse(writeStatement({ sql: "SELECT ?", args: ["half a \ud83d smile"] }));
    expect(args).toEqual([{ type: "text", value: "half a \ufffd smile" }]);
  });

  it.each([undefined, Number.NaN, Number.POSITIVE_INFINITY, {}, Symbol("x")])(
    "refuses %s, which SQLite has no type for",
    (value) => expect(() => writeStatement({ sql: "SELECT ?", args: [value] })).toThrow(TypeError),
  );
});

it("writePipeline joins requests on a new stream, or on the one that a baton continues", () => {
  const requests = [writeGroup([statement]), closeRequest];
  expect(JSON.parse(writePipeline(null, requests))).toEqual({
    baton: null,
    requests: requests.map((request) => JSON.parse(request)),
  });
  expect(JSON.parse(writePipeline('"b"', [])).baton).toBe('"b"');
});

const ok = (step: number) => ({ type: "ok", step });
const unless = (step: number) => ({ type: "not", cond: ok(step) });
type Steps = { condition?: unknown; stmt: { sql: string } }[];

describe("a request of two statements", () => {
  it.each([
    [
      "a group: each runs in the transaction, whatever became of the others",
      writeGroup,
      [ok(0), ok(0), ok(0)],
    ],
    ["a transaction: each runs if the one before it did", writeTransaction, [ok(0), ok(1), ok(2)]],
  ])("is %s", (_what, write, conditions) => {
    const steps: Steps = JSON.parse(write([statement, statement])).batch.steps;
    const words = ["BEGIN IMMEDIATE", "SELECT ?", "SELECT ?", "COMMIT", "ROLLBACK"];
    expect(steps.map(({ stmt }) => stmt.sql)).toEqual(words);
    expect(steps.map(({ condition }) => condition)).toEqual([undefined, ...conditions, unless(3)]);
  });
});

it("writeGroup sends one statement without a transaction", () => {
  expect(JSON.parse(writeGroup([statement]))).toEqual({ type: "execute", stmt: JSON.parse(statement) });
});

const batch = (steps: unknown[], errors: unknown[]) => ({
  type: "ok",
  response: { type: "batch", result: { step_results: steps, step_errors: errors } },
});
const none = [null, null, null, null];
const row = result([{ type: "text", value: "x" }, { type: "null" }]);
const read = { columns: ["a", ""], rows: [["x", null]] };
const error = (message: string, code = "SQLITE_CONSTRAINT") => ({ message, code });

describe("readPipeline", () => {
  it("gives the results, and the baton of a stream that is still open", () => {
    const body = (baton: unknown) =>
      JSON.stringify({ baton, base_url: null, results: [refused, answered(1)] });
    expect(readPipeline(body("b"))).toEqual({ baton: "b", results: [refused, answered(1)] });
    expect(readPipeline(body(null)).baton).toBeNull();
    expect(readPipeline(body(undefined)).baton).toBeNull();
  });

  it.each(["", "<html>", "[]", '{"baton":null}', '{"baton":7,"results":[]}'])("throws for '%s'", (body) =>
    expect(() => readPipeline(body)).toThrow(),
  );
});

describe("readGroup of one statement", () => {
  it("reads each type of value, and the names of the columns", () => {
    const rows = [
      [
        { type: "integer", value: "12" },
        { type: "float", value: 0.5 },
      ],
      [{ type: "text", value: "x" }, { type: "null" }],
    ];
    expect(readGroup(answered(result(...rows)), 1)).toEqual([
      {
        columns: ["a", ""],
        rows: [
          [12, 0.5],
          ["x", null],
        ],
      },
    ]);
  });

  it("gives a refused statement's code and words", () => {
    expect(readGroup(refused, 1)).toEqual([{ code: "SQLITE_ERROR", message: "no such table: x" }]);
  });

  it.each([
    ["nothing", undefined],
    ["a result of another request", { type: "ok", response: { type: "close" } }],
  ])("throws for %s", (_what, answer) => expect(() => readGroup(answer, 1)).toThrow());

  it.each([
    ["a value of no type", { type: "date", value: "x" }],
    ["a whole number too large for us", { type: "integer", value: "9007199254740993" }],
    ["a text that is none", { type: "text", value: 7 }],
  ])("is a failure for %s, and none of the others of a group", (_what, value) => {
    const unreadable = expect.objectContaining({ code: "UNREADABLE" });
    expect(readGroup(answered(result([value])), 1)).toEqual([unreadable]);
    const steps = [result(), row, result([value]), result(), null];
    expect(readGroup(batch(steps, [null, ...none]), 2)).toEqual([read, unreadable]);
  });
});

describe("readGroup", () => {
  it("gives each statement its result, or why it was refused", () => {
    const answer = batch(
      [result(), row, null, row, result(), null],
      [null, null, error("statement"), null, null, null],
    );
    expect(readGroup(answer, 3)).toEqual([read, error("statement"), read]);
  });

  it("takes a statement that has neither for a failure of its own", () => {
    const answer = batch([result(), row, null, result(), null], [null, ...none]);
    expect(readGroup(answer, 2)).toEqual([read, expect.objectContaining({ code: "UNREADABLE" })]);
  });

  it("tells each statement of a busy database, which has done nothing", () => {
    const busy = error("database is locked", "SQLITE_BUSY");
    const answer = batch(
      [null, null, null, null, result()],
      [busy, null, null, null, error("no transaction")],
    );
    expect(readGroup(answer, 2)).toEqual([busy, busy]);
  });

  it.each([
    ["a transaction that was not begun", batch([null, null, null, null, null], [error("begin"), ...none])],
    [
      "one that was not committed",
      batch([result(), row, row, null, result()], [null, null, null, error("commit"), null]),
    ],
    ["too few steps", batch([result(), row, row, result()], none)],
    ["a refused request", refused],
    ["an answer to one statement", answered(row)],
  ])("throws for %s, after which it is not known what was done", (_what, answer) =>
    expect(() => readGroup(answer, 2)).toThrow(),
  );
});

describe("readTransaction", () => {
  it("gives the statements' results, without those of the transaction around them", () => {
    expect(readTransaction(batch([result(), row, result(), null], none), 1)).toEqual([read]);
  });

  it.each([
    [
      "begin",
      batch([null, null, null, result()], [error("begin"), null, null, error("nothing to roll back")]),
    ],
    ["statement", batch([result(), null, null, result()], [null, error("statement"), null, null])],
    ["commit", batch([result(), row, null, result()], [null, null, error("commit"), null])],
  ])("gives the error of a refused %s", (message, answer) =>
    expect(readTransaction(answer, 1)).toEqual({ code: "SQLITE_CONSTRAINT", message }),
  );

  it("is a failure when a statement did not run and nothing says why", () => {
    const unrun = batch([result(), null, null, result()], none);
    expect(readTransaction(unrun, 1)).toMatchObject({ code: "TRANSACTION_CLOSED" });
    expect(readTransaction(refused, 1)).toEqual({ code: "SQLITE_ERROR", message: "no such table: x" });
  });
});
