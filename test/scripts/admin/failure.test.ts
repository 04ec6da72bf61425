// What an operator reads of a failed command.
import { expect, test } from "vitest";
import { DatabaseError } from "../../../edge/db/connection.ts";
import { explainFailure } from "../../../scripts/admin/failure.ts";

test.each([
  ["SQLITE_IOERR", "its disk is full"],
  ["SQLITE_FULL", "its disk is full"],
  ["SQLITE_CORRUPT", "restore it from its backup"],
  ["SQLITE_NOTADB", "restore it from its backup"],
  ["RESPONSE_TOO_LARGE", "ask for less, with --limit"],
  ["unreachable", "check LIBSQL_URL"],
])("a database that fails with %s: %s", (code, words) => {
  expect(explainFailure(new DatabaseError(code, true, "disk I/O error"))).toContain(words);
});

test("a change may have been made, unless the database says that it was busy", () => {
  const doubt = "A change may have been made all the same";
  expect(explainFailure(new DatabaseError("unreachable", true, "no answer"))).toContain(doubt);
  expect(explainFailure(new DatabaseError("SQLITE_BUSY", true, "database is locked"))).not.toContain(doubt);
});
