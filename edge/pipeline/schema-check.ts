/**
 * Checks a JSON value against a caller's JSON Schema. Both are untrusted, so the work is bounded: keywords that can be slow
 * (patterns, formats, uniqueItems) are not checked, and a check that takes too many steps stops and accepts the answer.
 */
import { Validator } from "@cfworker/json-schema";

type Schema = Readonly<Record<string, unknown>>;

/** Visits of schema nodes for one request, repeated visits included: a few tenths of a second. */
const maxSteps = 50_000;
/** Cost of reading a value of the answer, and of a character of a text that is measured or compared, in visits of a schema node. */
const stepsPerRead = 1 / 8;
const stepsPerLetter = 1 / 1_000;
/** For longer lists and maps every read of an entry is counted. */
const shortLength = 16;

/** A caller's regular expression can run for ever on a chosen text, and uniqueItems compares all pairs of a list. */
const unchecked: ReadonlySet<string> = new Set(["pattern", "format", "uniqueItems", "patternProperties"]);
/** Keywords about the properties that `patternProperties` did not match: unknown here, since patterns are not checked. */
const leftovers: ReadonlySet<string> = new Set(["additionalProperties", "unevaluatedProperties"]);
/** Keywords whose value is a map from names to schemas or lists. */
const maps: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);
/** Keywords whose value is plain data. */
const plainData: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);

class OutOfSteps extends Error {}

/**
 * Steps left for all checks of one request. Without this common budget a schema of a kilobyte could use all of `maxSteps` for
 * each of a hundred choices.
 */
export type Steps = { left: number };

export const createSteps = (): Steps => ({ left: maxSteps });

/** The first keyword that the value breaks; undefined if it fits, or if the check cannot be completed. */
export function findBrokenKeyword(
  schema: Schema,
  value: unknown,
  steps: Steps = createSteps(),
): string | undefined {
  if (steps.left < 0) return undefined;
  const count = (more: number) => {
    steps.left -= more;
    if (steps.left < 0) throw new OutOfSteps();
  };
  try {
    const longest = findLongestText(value);
    const copy = copySchema(schema, { count, longest }) as object;
    const { valid, errors } = new Validator(copy, "2020-12").validate(countReads(value, count));
    return valid ? undefined : (errors.at(-1)?.keyword ?? "schema");
  } catch {
    // The steps are used up, or the schema cannot be followed: an unknown $ref, or one that refers to itself.
    return undefined;
  }
}

type Count = (more: number) => void;
/** `longest`: length of the answer's longest text. */
type Budget = { count: Count; longest: number };

function copySchema(schema: unknown, budget: Budget): unknown {
  if (Array.isArray(schema)) {
    const list = schema.map((inner) => copySchema(inner, budget));
    return countEntries(list, budget.count);
  }
  if (typeof schema !== "object" || schema === null) return schema;
  const left = "patternProperties" in schema ? leftovers : undefined;
  const kept = Object.entries(schema).flatMap(([keyword, value]) =>
    unchecked.has(keyword) || left?.has(keyword) ? [] : [[keyword, copyKeyword(keyword, value, budget)]],
  );
  const letters = countLetters(schema as Schema, budget.longest);
  return countVisits(Object.fromEntries(kept), budget.count, 1 + letters * stepsPerLetter);
}

function copyKeyword(keyword: string, value: unknown, budget: Budget): unknown {
  const { count } = budget;
  if (plainData.has(keyword)) return Array.isArray(value) ? countEntries(value, count) : value;
  if (!maps.has(keyword) || typeof value !== "object" || value === null) return copySchema(value, budget);
  const inner = Object.entries(value).map(([name, schema]) => [name, copySchema(schema, budget)]);
  return countEntries(Object.fromEntries(inner), count);
}

/** Most characters that one visit reads: measuring reads a whole text, comparing only texts of the same length. */
function countLetters(schema: Schema, longest: number): number {
  const measures = "minLength" in schema || "maxLength" in schema;
  const compared = findLongestText([schema.const, schema.enum]);
  return measures ? longest : Math.min(longest, compared);
}

function findLongestText(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((most, inner) => Math.max(most, findLongestText(inner)), 0);
}

/** Counts visits of a schema node: the validator reads `$ref` once on each visit. */
function countVisits(schema: Record<string, unknown>, count: Count, cost: number): object {
  const { $ref } = schema;
  return Object.defineProperty(schema, "$ref", {
    enumerable: false,
    get: () => {
      count(cost);
      return $ref;
    },
  });
}

/** Counts reads of a long list or map in the schema: the validator goes through all of it for each value. */
const countEntries = <T extends object>(value: T, count: Count): T =>
  Object.keys(value).length <= shortLength ? value : countGets(value, count);

/** Counts reads of the answer: one visit may go through the whole of a long list or map. */
function countReads(value: unknown, count: Count): unknown {
  if (typeof value !== "object" || value === null) return value;
  const countRead: Count = (more) => count(more * stepsPerRead);
  const inner = Array.isArray(value)
    ? value.map((entry) => countReads(entry, count))
    : Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, countReads(entry, count)]));
  return countGets(inner, countRead);
}

function countGets<T extends object>(value: T, count: Count): T {
  return new Proxy(value, {
    get(target, key, receiver) {
      count(1);
      return Reflect.get(target, key, receiver);
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target);
      count(keys.length);
      return keys;
    },
  });
}
