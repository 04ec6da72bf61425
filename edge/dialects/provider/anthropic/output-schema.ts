/**
 * Converts a caller's schema into the part of JSON Schema that Anthropic's structured outputs accept, and reports whether
 * anything was lost (platform.claude.com/docs/en/build-with-claude/structured-outputs).
 */

type Schema = Readonly<Record<string, unknown>>;
type Loss = { lost: boolean };

/** Keywords that are sent as they are. */
const plainKeywords = new Set([
  "$ref",
  "const",
  "default",
  "description",
  "enum",
  "pattern",
  "required",
  "title",
  "type",
]);
/** Keywords that do not constrain the value: leaving them out loses nothing. */
const silentKeywords = new Set(["$schema", "$id", "$comment", "examples"]);
const formats = new Set([
  "date",
  "date-time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "time",
  "uri",
  "uuid",
]);

/** Keywords whose value is a map of schemas. */
const schemaMaps = new Set(["$defs", "definitions", "properties"]);
/** Keywords whose value is a list of schemas, each with the keyword that is sent for it. */
const schemaLists = new Map([
  ["anyOf", "anyOf"],
  ["allOf", "allOf"],
  ["oneOf", "anyOf"],
]);

/**
 * `exact` is false if a constraint could not be kept. It is then written into the description, so that the model reads it.
 * Objects are closed (`additionalProperties: false`), as the provider demands.
 */
export function adaptSchema(schema: Schema): { schema: Schema; exact: boolean } {
  const loss: Loss = { lost: false };
  return { schema: adapt(schema, loss), exact: !loss.lost };
}

/**
 * The schema of a strict tool, as it is but for the dialect's name (`$schema`, which OpenAI's helper for zod writes); undefined if the
 * provider would refuse it.
 */
export function toStrictSchema({ $schema: _dialect, ...schema }: Schema): Schema | undefined {
  const adapted = adaptSchema(schema);
  const isSame = JSON.stringify(sortKeys(adapted.schema)) === JSON.stringify(sortKeys(schema));
  return adapted.exact && isSame && !isRecursive(schema) ? schema : undefined;
}

/**
 * Whether a `$ref` leads back to where it stands. The provider then refuses the request: "Circular reference detected in schema definitions"
 * (github.com/egonSchiele/agency-lang/issues/487). A list instead of recursion: a chain of ten thousand references overflows the stack.
 */
export function isRecursive(root: Schema): boolean {
  const open = new Set<unknown>();
  const done = new Set<unknown>();
  const path: unknown[] = [root];
  while (path.length > 0) {
    const value = path.at(-1);
    // The second time, all that it holds has been read.
    if (typeof value !== "object" || value === null || done.has(value) || open.delete(value)) {
      done.add(path.pop());
      continue;
    }
    open.add(value);
    const { $ref: ref } = value as Schema;
    const target = typeof ref === "string" ? resolve(root, ref) : undefined;
    for (const inner of [target, ...Object.values(value)]) {
      if (open.has(inner)) return true;
      path.push(inner);
    }
  }
  return false;
}

/** What a reference inside the schema points at; undefined for any other reference. */
function resolve(root: Schema, ref: string): unknown {
  const [start, ...path] = ref.split("/");
  let at: unknown = start === "#" ? root : undefined;
  for (const name of path) {
    if (typeof at !== "object" || at === null) return undefined;
    const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
    at = Object.hasOwn(at, key) ? (at as Schema)[key] : undefined;
  }
  return at;
}

/** Limits of the strict schemas of one request (…/build-with-claude/structured-outputs, complexity limits). */
const maxStrict = { tools: 20, optional: 24, unions: 16 };

/**
 * Returns whether the limits still allow the tool's schema to be strict, called once for each in order. Above a limit the provider
 * refuses the whole request. `format`: the schema of the answer, which counts too.
 */
export function createStrictBudget(format: unknown): (schema: Schema) => boolean {
  const left = { ...maxStrict };
  const take = (schema: unknown, tools: number): boolean => {
    const { optional, unions } = measure(schema);
    if (tools > left.tools || optional > left.optional || unions > left.unions) return false;
    left.tools -= tools;
    left.optional -= optional;
    left.unions -= unions;
    return true;
  };
  take(format, 0);
  return (schema) => take(schema, 1);
}

type Cost = { optional: number; unions: number };

/** Counts parameters that are not required, and schemas with several types. */
function measure(schema: unknown): Cost {
  if (!isSchema(schema)) return { optional: 0, unions: 0 };
  const { properties, required, anyOf, oneOf, type } = schema;
  const needed: ReadonlySet<unknown> = new Set(Array.isArray(required) ? required : []);
  const names = isSchema(properties) ? Object.keys(properties) : [];
  const inner = Object.entries(schema).flatMap(([keyword, value]): unknown[] => {
    if (schemaMaps.has(keyword) && isSchema(value)) return Object.values(value);
    return schemaLists.has(keyword) && Array.isArray(value) ? value : keyword === "items" ? [value] : [];
  });
  const own = {
    optional: names.filter((name) => !needed.has(name)).length,
    unions: [anyOf, oneOf, type].some(Array.isArray) ? 1 : 0,
  };
  return inner
    .map(measure)
    .reduce<Cost>(
      (sum, cost) => ({ optional: sum.optional + cost.optional, unions: sum.unions + cost.unions }),
      own,
    );
}

function adapt(schema: Schema, loss: Loss): Schema {
  const kept: Record<string, unknown> = {};
  const left: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (plainKeywords.has(keyword)) kept[keyword] = value;
    else if (schemaMaps.has(keyword) && isSchema(value)) {
      kept[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, adaptAny(inner, loss)]),
      );
    } else if (schemaLists.has(keyword) && Array.isArray(value)) {
      kept[schemaLists.get(keyword) ?? keyword] = value.map((inner) => adaptAny(inner, loss));
      if (keyword === "oneOf") loss.lost = true;
    } else if (keyword === "items") kept.items = adaptAny(value, loss);
    else if (keyword === "format" && typeof value === "string" && formats.has(value)) kept.format = value;
    else if (keyword === "minItems" && (value === 0 || value === 1)) kept.minItems = value;
    else if (keyword === "additionalProperties" && value === false) kept[keyword] = false;
    else if (!silentKeywords.has(keyword)) left[keyword] = value;
  }
  if (kept.type === "object" || kept.properties !== undefined) kept.additionalProperties = false;
  if (Object.keys(left).length > 0) {
    loss.lost = true;
    const said = typeof kept.description === "string" ? `${kept.description}\n\n` : "";
    kept.description = `${said}Constraints: ${JSON.stringify(left)}`;
  }
  return kept;
}

function adaptAny(value: unknown, loss: Loss): unknown {
  return isSchema(value) ? adapt(value, loss) : value;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isSchema(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  );
}
