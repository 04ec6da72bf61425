/**
 * Checks a JSON value against a caller's JSON Schema. Both are untrusted, so the work is bounded: keywords that can be slow
 * (patterns, formats, uniqueItems) are not checked, and a check that takes too many steps stops and accepts the answer.
 */
import { Validator } from "@cfworker/json-schema";

type Schema = Readonly<Record<string, unknown>>;

/** Visits of schema nodes for one request, repeated visits included: a few tenths of a second. */
const maxSteps = 50_000;
/** What a read of the answer takes beside a visit, a letter of a text that is measured, and one of JSON that an error quotes. */
const stepsPerRead = 1 / 8;
const stepsPerLetter = 1 / 1_000;
const stepsPerQuotedLetter = 1 / 250;
/**
 * The validator keeps each part of a schema by its whole path. V8 hashes a text of more than 16,383 letters by its length alone, so
 * that every lookup compares all of them: a name of 100,000 letters above 4,000 parts took four minutes. A letter of a path may
 * become nine where it is written as a URL.
 */
const maxPathLetters = 1_500;
const stepsPerPathLetter = 1 / 100;
/** Lists and maps longer than this are counted by their entries. */
const shortLength = 16;

/** A caller's regular expression can run for ever on a text that the caller chose; uniqueItems compares all pairs of a list. */
const unchecked: ReadonlySet<string> = new Set(["pattern", "format", "uniqueItems", "patternProperties"]);
/** Keywords that say what is left over once `patternProperties` have been matched. */
const leftovers: ReadonlySet<string> = new Set(["additionalProperties", "unevaluatedProperties"]);
/** Keywords whose value has names of the caller's. */
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

/** The keyword that a value breaks first; undefined where it fits, or where that cannot be found out. */
export type SchemaCheck = (value: unknown) => string | undefined;

/**
 * One check for all choices of a request: they share its steps, as a schema of a kilobyte can use all of them for each of a hundred
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
  return (value) => {
    if (left < 0) return undefined;
    try {
      budget.longest = findLongestText(value);
      validator ??= new Validator(copySchema(schema, 0, budget) as object, "2020-12");
      const { valid, errors } = validator.validate(countReads(value, count));
      return valid ? undefined : (errors.at(-1)?.keyword ?? "schema");
    } catch {
      // Out of steps, or a schema that cannot be followed: an unknown $ref, one that refers to itself.
      return undefined;
    }
  };
}

type Count = (more: number) => void;
/** `longest`: letters of the longest text of the answer that is being checked. */
type Budget = { count: Count; longest: number };

/** `path`: letters of the names above it. */
function copySchema(schema: unknown, path: number, budget: Budget): unknown {
  if (path > maxPathLetters) throw new OutOfSteps();
  budget.count(1 + path * stepsPerPathLetter);
  if (Array.isArray(schema)) {
    const list = schema.map((inner) => copySchema(inner, path, budget));
    return countEntries(list, budget.count);
  }
  if (typeof schema !== "object" || schema === null) return schema;
  const { $id = "", id = "", $anchor = "" } = schema as Schema;
  // Names that a part gives itself stand before its path.
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
 * Counts visits of a schema by its `$ref`, which the validator reads each time it visits. A visit may measure the answer's texts, and
 * quotes in its errors what it compares with.
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

/** Counts reads of a long list or map: the validator goes through all of it for each value. */
const countEntries = <T extends object>(value: T, count: Count): T =>
  Object.keys(value).length <= shortLength ? value : countGets(value, count);

/** Counts reads of the answer: one visit may go through all of it. */
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
