import { describe, expect, it } from "vitest";
import { readBatch, readExecute, writeBatch, writeExecute } from "../../../edge/db/hrana.ts";

const statement = { sql: "SELECT ?", args: ["one"] };
const result = (...rows: unknown[][]) => ({
  cols: [{ name: "a" }, { name: null }],
  rows,
});
const answer = (response: unknown, baton: string | null = null) =>
  JSON.stringify({ baton, base_url: null, results: [response, { type: "ok", response: { type: "close" } }] });
const ok = (result: unknown) => ({ type: "ok", response: { type: "execute", result } });
const refused = { type: "error", error: { message: "no such table: x", code: "SQLITE_ERROR" } };

describe("writeExecute", () => {
  it.each([
    [null, { type: "null" }],
    ["text", { type: "text", value: "text" }],
    [7, { type: "float", value: 7 }],
    [0.5, { type: "float", value: 0.5 }],
    [true, { type: "integer", value: "1" }],
    [9007199254740993n, { type: "integer", value: "9007199254740993" }],
  ])("binds %s", (value, wire) => {
    const body = JSON.parse(writeExecute({ sql: "SELECT ?", args: [value] })({ baton: null, close: true }));
    expect(body.requests[0]).toEqual({
      type: "execute",
      stmt: { sql: "SELECT ?", args: [wire], want_rows: true },
    });
  });

  it.each([undefined, Number.NaN, Number.POSITIVE_INFINITY, {}, Symbol("x")])(
    "refuses %s, which SQLite has no type for",
    (value) => expect(() => writeExecute({ sql: "SELECT ?", args: [value] })).toThrow(TypeError),
  );

  it("closes its stream, or leaves it open and goes on with its baton", () => {
    const write = writeExecute(statement);
    const types = (stream: Parameters<typeof write>[0]) =>
      JSON.parse(write(stream)).requests.map(({ type }: { type: string }) => type);
    expect(types({ baton: null, close: true })).toEqual(["execute", "close"]);
    expect(types({ baton: "b", close: false })).toEqual(["execute"]);
    expect(JSON.parse(write({ baton: "b", close: false })).baton).toBe("b");
  });
});

it("writeBatch makes each step depend on the one before it, and a rollback on the missing commit", () => {
  const body = JSON.parse(writeBatch([statement, statement])({ baton: null, close: true }));
  const steps = body.requests[0].batch.steps as { condition?: unknown; stmt: { sql: string } }[];
  expect(steps.map(({ stmt }) => stmt.sql)).toEqual([
    "BEGIN IMMEDIATE",
    "SELECT ?",
    "SELECT ?",
    "COMMIT",
    "ROLLBACK",
  ]);
  expect(steps.map(({ condition }) => condition)).toEqual([
    undefined,
    { type: "ok", step: 0 },
    { type: "ok", step: 1 },
    { type: "ok", step: 2 },
    { type: "not", cond: { type: "ok", step: 3 } },
  ]);
});

describe("readExecute", () => {
  it("reads each type of value, the names of the columns and the next baton", () => {
    const rows = [
      [
        { type: "integer", value: "12" },
        { type: "float", value: 0.5 },
      ],
      [{ type: "text", value: "x" }, { type: "null" }],
    ];
    expect(readExecute(answer(ok(result(...rows)), "next"))).toEqual({
      baton: "next",
      result: {
        columns: ["a", ""],
        rows: [
          [12, 0.5],
          ["x", null],
        ],
      },
    });
  });

  it("gives a refused statement's code and words, and the baton of its stream, which is still open", () => {
    const expected = { baton: "b", result: { code: "SQLITE_ERROR", message: "no such table: x" } };
    expect(readExecute(answer(refused, "b"))).toEqual(expected);
  });

  it.each([
    ["nothing", ""],
    ["no JSON", "<html>"],
    ["no results", JSON.stringify({ baton: null, results: [] })],
    ["a result of another request", answer({ type: "ok", response: { type: "close" } })],
    ["a value of no type", answer(ok(result([{ type: "date", value: "x" }])))],
    ["a whole number too large for us", answer(ok(result([{ type: "integer", value: "9007199254740993" }])))],
    ["a text that is none", answer(ok(result([{ type: "text", value: 7 }])))],
  ])("throws for %s", (_what, body) => expect(() => readExecute(body)).toThrow());
});

describe("readBatch", () => {
  const batch = (steps: unknown[], errors: unknown[]) =>
    answer({ type: "ok", response: { type: "batch", result: { step_results: steps, step_errors: errors } } });
  const none = [null, null, null, null];
  const done = result([{ type: "text", value: "x" }, { type: "null" }]);
  const error = (message: string) => ({ message, code: "SQLITE_CONSTRAINT" });

  it("gives the statements' results, without those of the transaction around them", () => {
    expect(readBatch(batch([result(), done, result(), null], none))).toEqual({
      baton: null,
      result: [{ columns: ["a", ""], rows: [["x", null]] }],
    });
  });

  it.each([
    [
      "begin",
      batch([null, null, null, result()], [error("begin"), null, null, error("nothing to roll back")]),
    ],
    ["statement", batch([result(), null, null, result()], [null, error("statement"), null, null])],
    ["commit", batch([result(), done, null, result()], [null, null, error("commit"), null])],
  ])("gives the error of a refused %s", (message, body) =>
    expect(readBatch(body).result).toEqual({ code: "SQLITE_CONSTRAINT", message }),
  );

  it("is a failure when a statement did not run and nothing says why", () => {
    const unrun = batch([result(), null, null, result()], none);
    expect(readBatch(unrun).result).toMatchObject({ code: "TRANSACTION_CLOSED" });
    expect(readBatch(answer(refused)).result).toEqual({ code: "SQLITE_ERROR", message: "no such table: x" });
  });
});
