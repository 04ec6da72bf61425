/**
 * Names of fields that are not read, which callers may invent: the form that they must have in a body, and how the header
 * `x-svc-unsupported` has them.
 */
import { present, type Report } from "./json.ts";

/** The fields of an option beside those that are read, by their path in the body. */
export const listUnread = (option: string, fields: object | null | undefined, read: readonly string[]) =>
  Object.keys(present(fields ?? {})).flatMap((name) => (read.includes(name) ? [] : [`${option}.${name}`]));

/** A body's top-level fields that its schema does not name and that ask for something. */
export const readOthers = (body: object, { shape }: { shape: object }): Record<string, unknown> =>
  present(Object.fromEntries(Object.entries(body).filter(([name]) => !Object.hasOwn(shape, name))));

/** Bounds the header `x-svc-unsupported`, as callers can invent names of fields. */
const maxNames = 40;
const toToken = (name: string): string => name.replace(/[^\w.-]/g, "_").slice(0, 80);

/** Names for the header: plain characters, each name once, a bounded number. */
export const listNames = (names: Iterable<string>): string[] =>
  [...new Set([...names].map(toToken))].slice(0, maxNames);

/** The form of a top-level field's name: unknown fields are kept, and the header names those that are left out. */
const fieldName = /^[\w.-]{1,64}$/;
const maxFields = 100;

/** Reports at the body itself that it has too many fields, or one whose name has another form. */
export function checkFieldNames(body: object, report: Report): void {
  const names = Object.keys(body);
  if (names.length <= maxFields && names.every((name) => fieldName.test(name))) return;
  report([], `takes at most ${maxFields} fields, each named by a plain word of at most 64 characters`);
}
