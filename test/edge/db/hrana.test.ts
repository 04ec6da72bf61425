import { describe, expect, it } from "vitest";
import {
  HranaError,
  readExecute,
  readRefusal,
  readTransaction,
  writeExecute,
  writeTransaction,
} from "../../../edge/db/hrana.ts";

const integer = (value: string) => ({ type: "integer", value });
const rowsOf = (...rows: object[][]) => ({
  cols: [{ name: "a" }, { name: null }],
  rows,
  affected_row_count: 0,
});
const answer = (result: object) => ({
  baton: null,
  results: [{ type: "ok", response: { type: "execute", result } }],
});
const done = { cols: [], rows: [] };
const batchOf = (results: (object | null)[], errors: (object | null)[]) =>
  answer({ step_results: results, step_errors: errors });
const busy = { message: "database is locked", code: "SQLITE_BUSY" };

const caught = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe("a request", () => {
  it("opens a stream, runs the statement with its values, and closes the stream", () => {
    expect(JSON.parse(writeExecute({ sql: "SELECT ?", args: ["x", 7, 0.5, null, true] }))).toEqual({
      baton: null,
      requests: [
        {
          type: "execute",
          stmt: {
            sql: "SELECT ?",
            args: [
              { type: "text", value: "x" },
              { type: "float", value: 7 },
              { type: "float", value: 0.5 },
              { type: "null" },
              integer("1"),
            ],
            want_rows: true,
          },
        },
        { type: "close" },
      ],
    });
  });

  it("runs each statement of a transaction only if the one before it did, and rolls back unless it committed", () => {
    const body = JSON.parse(
      writeTransaction([
        { sql: "one", args: [] },
        { sql: "two", args: [] },
      ]),
    );
    const steps = body.requests[0].batch.steps.map(
      ({ stmt, condition }: Record<string, Record<string, unknown>>) => [stmt?.sql, condition],
    );
    const ok = (step: number) => ({ type: "ok", step });
    expect(steps).toEqual([
      ["BEGIN IMMEDIATE", undefined],
      ["one", ok(0)],
      ["two", ok(1)],
      ["COMMIT", ok(2)],
      ["ROLLBACK", { type: "not", cond: ok(3) }],
    ]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1n, new Uint8Array(1), {}])(
    "refuses to bind %s",
    (value) => {
      expect(() => writeExecute({ sql: "SELECT ?", args: [value] })).toThrow(TypeError);
    },
  );
});

describe("an answer", () => {
  it("gives columns and values as JavaScript has them", () => {
    const rows = rowsOf(
      [integer("9007199254740991"), { type: "text", value: "x" }],
      [{ type: "null" }, { type: "float", value: 0.5 }],
    );
    expect(readExecute(answer(rows))).toEqual({
      columns: ["a", ""],
      rows: [
        [9007199254740991, "x"],
        [null, 0.5],
      ],
    });
  });

  it("gives the rows of each statement of a transaction", () => {
    const results = [done, rowsOf([integer("1"), integer("2")]), done, done, null];
    expect(readTransaction(batchOf(results, [null, null, null, null, null]), 2)).toEqual([
      { columns: ["a", ""], rows: [[1, 2]] },
      { columns: [], rows: [] },
    ]);
  });

  it.each([
    ["the beginning", [null, null, null, done], [busy, null, null, null]],
    ["a statement", [done, null, null, done], [null, busy, null, null]],
    ["the end", [done, done, null, done], [null, null, busy, null]],
  ])("is the refusal of a transaction when %s was refused", (_, results, errors) => {
    const error = caught(() => readTransaction(batchOf(results, errors), 1));
    expect(error).toBeInstanceOf(HranaError);
    expect(error).toMatchObject({ code: "SQLITE_BUSY", message: "database is locked" });
  });

  it.each([
    ["nothing", undefined],
    ["no results", {}],
    ["an empty list", { results: [] }],
    ["another shape", answer({ rows: 1 })],
    ["an integer that no number holds", answer(rowsOf([integer("9007199254740993")]))],
    ["an integer that is none", answer(rowsOf([integer("x")]))],
    ["a value of an unknown type", answer(rowsOf([{ type: "blob", base64: "" }]))],
  ])("that is %s is not taken for rows", (_, body) => {
    expect(caught(() => readExecute(body))).toMatchObject({ code: "HRANA_PROTO_ERROR" });
  });

  it("whose transaction was cut short is not taken for one that was done", () => {
    expect(caught(() => readTransaction(batchOf([done], [null]), 1))).toMatchObject({
      code: "HRANA_PROTO_ERROR",
    });
    expect(
      caught(() => readTransaction(batchOf([done, done, null, null], [null, null, null, null]), 1)),
    ).toMatchObject({
      code: "HRANA_PROTO_ERROR",
    });
  });

  it.each([
    [429, "too many", "SERVER_ERROR"],
    [401, '{"message":"no","code":"AUTH_JWT_INVALID"}', "AUTH_JWT_INVALID"],
    [500, '{"error":"no code"}', "SERVER_ERROR"],
  ])("with status %i says why as far as it knows", (status, text, code) => {
    expect(readRefusal(status, text)).toMatchObject({ code });
  });
});
