/**
 * Checks a JSON value against a caller's JSON Schema. Both are untrusted, so the work is bounded: keywords that can be slow
 * (patterns, formats, uniqueItems) are not checked, and a check that takes too many steps stops and accepts the answer.
 */
import { Validator } from "@cfworker/json-schema";

type Schema = Readonly<Record<string, unknown>>;

/** Visits of schema nodes for one request, repeated visits included: a few tenths of a second. */
const maxSteps = 50_000;
/**
 * Costs, in visits of a schema node: of reading a value of the answer; of a character of a text whose length is checked; of a character of
 * the `const` or `enum` that the validator writes into an error as JSON.
 */
const stepsPerRead = 1 / 8;
const stepsPerLetter = 1 / 1_000;
const stepsPerQuotedLetter = 1 / 250;
/**
 * The validator looks each part of a schema up by its path. V8 hashes a string of more than 16,383 characters by its length alone, so
 * all such paths collide: a name of 100,000 characters above 4,000 parts took four minutes. A character of a path may become nine,
 * since it is written as a URL.
 */
const maxPathLetters = 1_500;
const stepsPerPathLetter = 1 / 100;
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

/** The first keyword that the value breaks; undefined if it fits, or if the check cannot be completed. `steps`: how many it has taken. */
export type SchemaCheck = { (value: unknown): string | undefined; steps(): number };

/**
 * One check for all choices of a request. They share its budget of steps, which a schema of a kilobyte can use up for each of a hundred
 * choices, and its copy of the schema.
 */
export function createSchemaCheck(schema: Schema): SchemaCheck {
  let left = maxSteps;
  const count = (more: number) => {
    left -= more;
    if (left < 0) throw new OutOfSteps();
  };
  const budget: Budget = { count, longest: 0 };
  let validator: Validator | undefined;
  const check = (value: unknown) => {
    if (left < 0) return undefined;
    try {
      budget.longest = findLongestText(value);
      validator ??= new Validator(copySchema(schema, 0, budget) as object, "2020-12");
      const { valid, errors } = validator.validate(countReads(value, count));
      return valid ? undefined : (errors.at(-1)?.keyword ?? "schema");
    } catch {
      // The steps are used up, or the schema cannot be followed: an unknown $ref, or one that refers to itself.
      return undefined;
    }
  };
  return Object.assign(check, { steps: () => maxSteps - left });
}

type Count = (more: number) => void;
/** `longest`: length of the longest text of the answer that is being checked. */
type Budget = { count: Count; longest: number };

/** `path`: length of the names above it. */
function copySchema(schema: unknown, path: number, budget: Budget): unknown {
  if (path > maxPathLetters) throw new OutOfSteps();
  budget.count(1 + path * stepsPerPathLetter);
  if (Array.isArray(schema)) {
    const list = schema.map((inner) => copySchema(inner, path, budget));
    return countEntries(list, budget.count);
  }
  if (typeof schema !== "object" || schema === null) return schema;
  const { $id = "", id = "", $anchor = "" } = schema as Schema;
  // A name that a part gives itself stands before the paths below it.
  const own = path + `${$id}${id}${$anchor}`.length;
  const left = "patternProperties" in schema ? leftovers : undefined;
  const kept = Object.entries(schema).flatMap(([keyword, value]) =>
    unchecked.has(keyword) || left?.has(keyword) ? [] : [[keyword, copyKeyword(keyword, value, own, budget)]],
  );
  return countVisits(Object.fromEntries(kept), schema as Schema, budget);
}

function copyKeyword(keyword: string, value: unknown, path: number, budget: Budget): unknown {
  const { count } = budget;
  const below = path + keyword.length;
  if (plainData.has(keyword)) return Array.isArray(value) ? countEntries(value, count) : value;
  if (!maps.has(keyword) || typeof value !== "object" || value === null)
    return copySchema(value, below, budget);
  const inner = Object.entries(value).map(([name, schema]) => [
    name,
    copySchema(schema, below + name.length, budget),
  ]);
  return countEntries(Object.fromEntries(inner), count);
}

function findLongestText(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((most, inner) => Math.max(most, findLongestText(inner)), 0);
}

/**
 * Counts visits of a schema node: the validator reads `$ref` once on each visit. A visit may measure the answer's longest text, and
 * write what it compares with as JSON into an error.
 */
function countVisits(copy: Record<string, unknown>, schema: Schema, budget: Budget): object {
  const { $ref } = copy;
  const isMeasured = "minLength" in schema || "maxLength" in schema;
  const isQuoted = "const" in schema || "enum" in schema;
  const quoted = isQuoted ? JSON.stringify([schema.const, schema.enum]).length : 0;
  return Object.defineProperty(copy, "$ref", {
    enumerable: false,
    get: () => {
      const measured = isMeasured ? budget.longest : 0;
      budget.count(1 + measured * stepsPerLetter + quoted * stepsPerQuotedLetter);
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
