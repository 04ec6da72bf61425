/**
 * Reads JSON, for every dialect, and names a body's fields that are left unread. Values from providers are read leniently: one of another
 * type counts as missing. Values from callers are validated strictly, in bounded time: the number of values in a text, not of its bytes,
 * decides what parsing and validating it costs.
 */
import { z } from "zod";
import type { ProviderData } from "../../shared/chat.ts";

export const JsonObject = z.record(z.string(), z.unknown());
export type JsonObject = Readonly<Record<string, unknown>>;

/** Undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function readObject(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An empty list, such as the citations of a text without any: leaving it out loses nothing. */
export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** A string that is not empty. */
export function readText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function readIndex(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** A finite number, also if it was sent as text. Negative numbers are kept: billing decides about them. */
export function readNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

type Present<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** Drops fields that are absent or `null`, which mean the same on every wire. */
export function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  ) as Present<T>;
}

/** The field of a part's own data, absent if there is none. */
export const withData = (providerData: ProviderData | undefined) =>
  providerData === undefined || Object.keys(providerData).length === 0 ? {} : { providerData };

/** The fields of an option beside those that are read, by their path in the body. */
export const listUnread = (option: string, fields: object | null | undefined, read: readonly string[]) =>
  Object.keys(present(fields ?? {})).flatMap((name) => (read.includes(name) ? [] : [`${option}.${name}`]));

/** A body's top-level fields that its schema does not name. */
export const readOthers = (body: object, known: object): Record<string, unknown> =>
  present(Object.fromEntries(Object.entries(body).filter(([name]) => !Object.hasOwn(known, name))));

/** Bounds the header `x-svc-unsupported`, as callers can invent names of fields. */
const maxNames = 40;
const toToken = (name: string): string => name.replace(/[^\w.-]/g, "_").slice(0, 80);

/** Names for the header: plain characters, each name once, a bounded number. */
export const listNames = (names: Iterable<string>): string[] =>
  [...new Set([...names].map(toToken))].slice(0, maxNames);

/** Fields of a validated body that its schema does not know and that ask for something. */
export const listUnknownFields = (body: object, { shape }: { shape: object }): string[] =>
  listNames(Object.entries(body).flatMap(([name, value]) => (name in shape || value == null ? [] : [name])));

/**
 * The form that names of a body's top-level fields must have: unknown fields are kept, and `x-svc-unsupported` names those that are left
 * out.
 */
const fieldName = /^[\w.-]{1,64}$/;
const maxFields = 100;

/** What is wrong with the names of a body's fields, worded as a validation error; undefined if nothing is. */
export function checkFieldNames(body: object): string | undefined {
  const names = Object.keys(body);
  return names.length <= maxFields && names.every((name) => fieldName.test(name))
    ? undefined
    : `takes at most ${maxFields} fields, each named by a plain word of at most 64 characters`;
}

/** Field under which arguments that are no JSON object are sent, so that the model still sees them. */
const rawArgumentsKey = "_raw";

/**
 * The arguments as an object. Other text (a model's broken call in the history) is wrapped as `{_raw: text}`, and `exact` is
 * false: providers refuse anything but an object, and dropping the text would hide the mistake from the model.
 */
export function readToolArguments(text: string): { value: JsonObject; exact: boolean } {
  const value = text.trim() === "" ? {} : readObject(parseJson(text));
  return value === undefined ? { value: { [rawArgumentsKey]: text }, exact: false } : { value, exact: true };
}

/**
 * Reads a provider's value by a schema whose fields are all optional. A field of another type is set to null: servers that
 * imitate a provider's wire format differ in details, and one odd field must not end an answer.
 *
 * Returns the value itself, changed in place; undefined when the outermost type is wrong. Copying it, or `catch` in the
 * schemas, costs twice as much.
 *
 * Cost, measured on streams of 500 OpenAI chunks: nothing when chunks are alike (chunk-json.ts asks 3 to 9 times in a recorded
 * stream), 0.3 us a chunk when each is different (6 % of the translation with two choices, 10 % with log probabilities).
 */
export function readLeniently<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.input<Schema> | undefined {
  if (schema.validate(value)) return value;
  for (const { path } of schema.safeParse(value).error?.issues ?? []) setNull(value, path);
  return schema.validate(value) ? value : undefined;
}

function setNull(value: unknown, path: readonly PropertyKey[]): void {
  const name = path.at(-1);
  if (name === undefined) return;
  let holder = value as Record<PropertyKey, unknown>;
  for (const key of path.slice(0, -1)) holder = holder[key] as typeof holder;
  holder[name] = null;
}

/** For a wrong body of at most this many values all errors are reported, for a larger one only the first. */
const maxFullyReportedValues = 2_000;

/** Ends the check of a list or object at its first wrong entry. */
const untilWrong: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true };

/**
 * Validates a caller's value in bounded time. Each error costs the validator 15 us: a body of fifty thousand empty objects (150 KB)
 * would block the edge for nearly a second to report errors that nobody reads.
 */
export function parseBounded<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  const parsed = schema.safeParse(value, untilWrong);
  return parsed.success || !isSmall(value) ? parsed : schema.safeParse(value);
}

/** For a `transform` that chooses the schema by the value: what this schema reads, or its issues. */
export function parseAs<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  context: z.RefinementCtx,
): z.output<Schema> {
  const parsed = parseBounded(schema, value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) context.addIssue({ ...issue });
  return z.NEVER;
}

/** The value, if it fits the schema. Nobody reads the errors, so the check ends at the first. */
export const readFitting = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> | undefined => schema.safeParse(value, untilWrong).data;

function isSmall(value: unknown): boolean {
  const waiting = [value];
  for (let count = 0; waiting.length > 0; count += 1) {
    if (count + waiting.length > maxFullyReportedValues) return false;
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    const inner = Object.values(next);
    if (inner.length > maxFullyReportedValues) return false;
    waiting.push(...inner);
  }
  return true;
}

/**
 * Most values of a body: enough for ten thousand turns with tool calls. For each wrong value the validator makes an issue of a kilobyte.
 */
export const maxBodyValues = 100_000;

/** Bound for JSON inside a string of the body, such as a seal: ten times the values of a real one. */
export const maxInnerValues = 20_000;

/** Characters of JSON, by their codes. */
export const [comma, quote, backslash] = [0x2c, 0x22, 0x5c];
export const [brace, bracket] = [0x7b, 0x5b];

/** Index of the quote that ends the string begun before `at`; the text's length if there is none. */
export function endString(text: string, at: number): number {
  for (let end = text.indexOf('"', at); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = end;
    while (text.charCodeAt(escapes - 1) === backslash) escapes--;
    if ((end - escapes) % 2 === 0) return end;
  }
  return text.length;
}

/** The number of arrays, objects and their items, at most `limit` + 1. One pass over the text, which need not be valid. */
export function countValues(text: string, limit: number): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endString(text, at + 1);
    else if ((code === comma || code === bracket || code === brace) && ++count > limit) return count;
  }
  return count;
}

export const holdsMoreValues = (text: string, limit: number): boolean => countValues(text, limit) > limit;
