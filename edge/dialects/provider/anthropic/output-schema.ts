/**
 * Converts a caller's schema into the part of JSON Schema that Anthropic's structured outputs accept, and reports whether
 * anything was lost (platform.claude.com/docs/en/build-with-claude/structured-outputs).
 */

type Schema = Readonly<Record<string, unknown>>;
type Loss = { lost: boolean };

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

/** True for a schema that can be sent unchanged. */
export function isStrictSchema(schema: Schema): boolean {
  const adapted = adaptSchema(schema);
  return adapted.exact && JSON.stringify(sortKeys(adapted.schema)) === JSON.stringify(sortKeys(schema));
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
