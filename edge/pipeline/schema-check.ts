/**
 * Checks a JSON value against a caller's JSON Schema. Both are untrusted, so the work is bounded: keywords that can be slow
 * (patterns, formats, uniqueItems) are not checked, and a check that takes too many steps stops and accepts the answer.
 */
import { Validator } from "@cfworker/json-schema";

type Schema = Readonly<Record<string, unknown>>;

/** Visits of schema nodes in one check, repeated visits included: a few tenths of a second. */
const mostSteps = 50_000;
/** Lists and maps longer than this are counted by their entries. */
const shortLength = 16;

/** A caller's regular expression can run for ever on a text he chose; uniqueItems compares all pairs of a list. */
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

/** The keyword the value breaks first; undefined where it fits, or where that cannot be found out. */
export function findBrokenKeyword(schema: Schema, value: unknown): string | undefined {
  let steps = 0;
  const count = (more: number) => {
    steps += more;
    if (steps > mostSteps) throw new OutOfSteps();
  };
  try {
    const { valid, errors } = new Validator(copySchema(schema, count) as object, "2020-12").validate(value);
    return valid ? undefined : (errors.at(-1)?.keyword ?? "schema");
  } catch {
    // Out of steps, or a schema that cannot be followed: an unknown $ref, one that refers to itself.
    return undefined;
  }
}

type Count = (more: number) => void;

function copySchema(schema: unknown, count: Count): unknown {
  if (Array.isArray(schema)) {
    const list = schema.map((inner) => copySchema(inner, count));
    return countEntries(list, count);
  }
  if (typeof schema !== "object" || schema === null) return schema;
  const left = "patternProperties" in schema ? leftovers : undefined;
  const kept = Object.entries(schema).flatMap(([keyword, value]) =>
    unchecked.has(keyword) || left?.has(keyword) ? [] : [[keyword, copyKeyword(keyword, value, count)]],
  );
  return countVisits(Object.fromEntries(kept), count);
}

function copyKeyword(keyword: string, value: unknown, count: Count): unknown {
  if (plainData.has(keyword)) return Array.isArray(value) ? countEntries(value, count) : value;
  if (!maps.has(keyword) || typeof value !== "object" || value === null) return copySchema(value, count);
  const inner = Object.entries(value).map(([name, schema]) => [name, copySchema(schema, count)]);
  return countEntries(Object.fromEntries(inner), count);
}

/** Counts visits of a schema by its `$ref`, which the validator reads each time it visits. */
function countVisits(schema: Record<string, unknown>, count: Count): object {
  const { $ref } = schema;
  return Object.defineProperty(schema, "$ref", {
    enumerable: false,
    get: () => {
      count(1);
      return $ref;
    },
  });
}

/** Counts reads of a long list or map: the validator goes through all of it for each value. */
function countEntries<T extends object>(value: T, count: Count): T {
  if (Object.keys(value).length <= shortLength) return value;
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
