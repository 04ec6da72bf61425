/**
 * A tool's parameters in the form that OpenAI and Anthropic accept: an object at the root, without union
 * keywords, closed if strict.
 */
import { isEmptyList, type JsonObject, readList, readObject } from "./json.ts";

/** Keywords that are accepted inside a schema. At its root they make the provider refuse the whole request. */
export const unionKeywords = ["anyOf", "oneOf", "allOf"] as const;

/** The schema with what every provider requires: a type, a list of properties, which may be empty, and `items` of every array. */
export function asObjectSchema(given: JsonObject): JsonObject {
  const schema = completed(given) as JsonObject;
  const { type, properties } = schema;
  const listed = properties !== undefined || unionKeywords.some((keyword) => Array.isArray(schema[keyword]));
  if (type === "object" ? listed : type != null) return schema;
  return { ...schema, type: "object", ...(!listed && { properties: {} }) };
}

/** Keywords whose values are not schemas, and keywords whose values are schemas by names of the caller's. */
const valueKeywords: ReadonlySet<string> = new Set(["const", "default", "enum", "examples", "required"]);
const mapKeywords: ReadonlySet<string> = new Set(["$defs", "definitions", "patternProperties", "properties"]);

/** Keywords for which an empty object is as good as none. */
const voidIfEmpty: ReadonlySet<string> = new Set([...mapKeywords, "additionalProperties", "items"]);

/** Keywords for which `null` is a value. */
const nullable: ReadonlySet<string> = new Set(["const", "default"]);

/**
 * Whether a keyword says nothing and is refused: Go's servers write `"required": null`, PHP's an empty list for an empty object
 * (`"properties": []`, `"items": []`) and the reverse.
 */
function isVoid(keyword: string, value: unknown): boolean {
  if (value === null) return !nullable.has(keyword);
  if (voidIfEmpty.has(keyword)) return isEmptyList(value);
  return keyword === "required" && Object.keys(readObject(value) ?? { value }).length === 0;
}

/** Deeper than the schema of any tool. What is below is not changed, so that a caller's depth cannot exhaust the stack. */
const maxDepth = 64;

/**
 * Adds an empty `items` to arrays without one, which means the same, and removes keywords that are void: OpenAI refuses a schema with
 * either fault, at any depth. Returns the value itself if nothing changes. `named`: the value is not a schema but a map from names to
 * schemas.
 */
function completed(value: unknown, named = false, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > maxDepth) return value;
  let changed = false;
  const complete = (keyword: string, inner: unknown): unknown => {
    if (!named && valueKeywords.has(keyword)) return inner;
    // A name may be required, so it stays, with a schema that takes any value.
    const given = named && (inner === null || isEmptyList(inner)) ? {} : inner;
    const outcome = completed(given, !named && mapKeywords.has(keyword), depth + 1);
    changed ||= outcome !== inner;
    return outcome;
  };
  if (Array.isArray(value)) {
    const list = value.map((inner) => complete("", inner));
    return changed ? list : value;
  }
  const entries = Object.entries(value);
  const kept = entries.filter(([name, inner]) => named || !isVoid(name, inner));
  changed = kept.length < entries.length;
  const schema = Object.fromEntries(kept.map(([name, inner]) => [name, complete(name, inner)]));
  if (!named && isArrayType(schema.type) && schema.items === undefined) return { ...schema, items: {} };
  return changed ? schema : value;
}

const isArrayType = (type: unknown): boolean => type === "array" || readList(type).includes("array");

/**
 * The schema without unions at its root, as one object with the properties of all branches. A property is required if the root or
 * a branch of `allOf` requires it, or all branches of another union do. `exact` is false if there was a union; its other
 * constraints are lost. The result is no longer than the schema, since the hold was computed from that.
 */
export function withoutRootUnion(schema: JsonObject): { schema: JsonObject; exact: boolean } {
  const unions = unionKeywords.filter((keyword) => Array.isArray(schema[keyword]));
  if (unions.length === 0) return { schema, exact: true };
  const rest = Object.fromEntries(
    Object.entries(schema).filter(([name]) => !unions.some((keyword) => keyword === name)),
  );
  const properties: Record<string, unknown> = Object.create(null);
  const required = new Set<unknown>(readList(schema.required));
  Object.assign(properties, readObject(schema.properties));
  for (const keyword of unions) {
    const branches = readList(schema[keyword]).map((branch) => readObject(branch) ?? {});
    for (const branch of branches)
      for (const [name, value] of Object.entries(readObject(branch.properties) ?? {}))
        properties[name] ??= value;
    for (const name of listRequired(branches, keyword === "allOf")) required.add(name);
  }
  const names = [...required].filter((name) => Object.hasOwn(properties, String(name)));
  const { required: _required, ...others } = rest;
  return {
    schema: { ...others, type: "object", properties, ...(names.length > 0 && { required: names }) },
    exact: false,
  };
}

/** The names that some branch requires (`any`), or that all branches require. */
function listRequired(branches: readonly JsonObject[], any: boolean): unknown[] {
  const lists = branches.map((branch) => new Set(readList(branch.required)));
  const names = [...new Set(lists.flatMap((list) => [...list]))];
  return any ? names : names.filter((name) => lists.every((list) => list.has(name)));
}

/**
 * Whether each object of the schema is closed and requires all its properties: OpenAI takes only such a schema as strict. `named`: the
 * value is not a schema but a map from names to schemas.
 */
export function isClosedSchema(value: unknown, named = false, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth > maxDepth) return false;
  const isClosed = ([keyword, inner]: [string, unknown]): boolean =>
    (!named && valueKeywords.has(keyword)) ||
    isClosedSchema(inner, !named && mapKeywords.has(keyword), depth + 1);
  if (!Object.entries(value).every(isClosed)) return false;
  const { type, properties, required, additionalProperties } = value as JsonObject;
  const isObject = properties !== undefined || type === "object" || readList(type).includes("object");
  if (named || !isObject) return true;
  const names = new Set(readList(required));
  return (
    additionalProperties === false &&
    Object.keys(readObject(properties) ?? {}).every((name) => names.has(name))
  );
}
