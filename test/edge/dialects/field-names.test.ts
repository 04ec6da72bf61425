import { expect, test, vi } from "vitest";
import { checkFieldNames, listNames, readOthers } from "../../../edge/dialects/field-names.ts";

test("names for a header are plain, each there once, and 40 at most, as callers can invent them", () => {
  const invented = Array.from({ length: 41 }, (_, at) => `field_${at}`);
  expect(listNames(["näme", "n_me", ...invented])).toEqual(["n_me", ...invented.slice(0, 39)]);
});

test("a body may have 100 fields of 64 letters each", () => {
  const body = (fields: number, letters: number) =>
    Object.fromEntries(Array.from({ length: fields }, (_, at) => [String(at).padStart(letters, "f"), 1]));
  const report = vi.fn();
  checkFieldNames(body(100, 64), report);
  expect(report).not.toHaveBeenCalled();
  for (const wrong of [body(101, 64), body(100, 65)]) checkFieldNames(wrong, report);
  expect(report.mock.calls).toEqual([0, 1].map(() => [[], expect.stringContaining("at most 100 fields")]));
});

test("fields beside a schema's are found by any name, and one that is null asks for nothing", () => {
  const body = JSON.parse('{"known":1,"other":2,"none":null,"constructor":3}');
  expect(Object.keys(readOthers(body, { shape: { known: {} } }))).toEqual(["other", "constructor"]);
});
