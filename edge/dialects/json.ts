/**
 * Reads values of JSON. Those from providers are read leniently: one of another type counts as missing. Those from callers are validated
 * strictly, in bounded time.
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

/** Undefined for a list, null, or anything else that is no object. */
export function readObject(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

/** Empty for anything that is no list. */
export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An empty list, such as the citations of a text without any: leaving it out loses nothing. */
export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** A string that is not empty. */
export function readText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A whole number from 0 on. */
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

/** Notes what is wrong with the field at a path of a body. */
export type Report = (path: PropertyKey[], message: string) => void;

/** For a `superRefine`. */
export const createReport =
  (context: z.RefinementCtx): Report =>
  (path, message) =>
    context.addIssue({ code: "custom", path, message });

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
