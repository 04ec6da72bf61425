/** A tool's parameters in the form that OpenAI and Anthropic take: an object at the root, of which no keyword speaks of several. */
import { type JsonObject, readList, readObject } from "./json.ts";

/** Taken inside a schema, but refused at its root, and the whole request with it. */
const unionKeywords = ["anyOf", "oneOf", "allOf"] as const;

/**
 * As it stands, or with what else every provider wants of it: a type, and a list of properties, empty where none is given, and
 * `items` of every array.
 */
export function asObjectSchema(given: JsonObject): JsonObject {
  const schema = withItems(given) as JsonObject;
  const { type, properties } = schema;
  const listed = properties !== undefined || unionKeywords.some((keyword) => Array.isArray(schema[keyword]));
  if (type === "object" ? listed : type != null) return schema;
  return { ...schema, type: "object", ...(!listed && { properties: {} }) };
}

/** Keywords whose values are no schemas, and keywords whose values have names of the caller's where a schema has keywords. */
const valueKeywords: ReadonlySet<string> = new Set(["const", "default", "enum", "examples", "required"]);
const mapKeywords: ReadonlySet<string> = new Set(["$defs", "definitions", "patternProperties", "properties"]);

/** Deeper schemas than any tool has: what is below stays as it is, as a caller's depth must not exhaust the stack. */
const maxDepth = 64;

/** The same value where nothing is missing. OpenAI refuses an array without `items` at any depth; an empty schema says the same. */
function withItems(value: unknown, named = false, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > maxDepth) return value;
  let changed = false;
  const complete = (keyword: string, inner: unknown): unknown => {
    if (!named && valueKeywords.has(keyword)) return inner;
    const outcome = withItems(inner, !named && mapKeywords.has(keyword), depth + 1);
    changed ||= outcome !== inner;
    return outcome;
  };
  if (Array.isArray(value)) {
    const list = value.map((inner) => complete("", inner));
    return changed ? list : value;
  }
  const schema = Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, complete(name, inner)]),
  );
  if (!named && isArrayType(schema.type) && schema.items === undefined) return { ...schema, items: {} };
  return changed ? schema : value;
}

const isArrayType = (type: unknown): boolean => type === "array" || readList(type).includes("array");

/**
 * The same without unions at its root: one object with the properties of all their branches, of which those are required that each
 * branch requires. `exact` is false where it had one. What the branches say beside that is lost. The result is no longer than the
 * schema was, as the hold for a prompt is counted before.
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

/** Of the names that branches require those that one of them does (`any`), or that all do. */
function listRequired(branches: readonly JsonObject[], any: boolean): unknown[] {
  const lists = branches.map((branch) => new Set(readList(branch.required)));
  const names = [...new Set(lists.flatMap((list) => [...list]))];
  return any ? names : names.filter((name) => lists.every((list) => list.has(name)));
}
