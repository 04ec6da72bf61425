/**
 * Makes a value that fits a JSON Schema from the words of a goal: the arguments of the offline responder's tool calls. Only
 * required properties are filled in; nothing is validated.
 */

export type JsonSchema = Readonly<Record<string, unknown>>;

type Context = { goal: string; root: JsonSchema; name: string; depth: number; budget: Budget };
/** Characters that may still be written, or read as references. */
type Budget = { left: number };
type Maker = (schema: JsonSchema, context: Context) => unknown;

/** Of objects and arrays in one another. */
const maxDepth = 12;
/** From here on what a schema lets be empty is empty: so a schema that contains itself ends before `maxDepth`, at a value that fits it. */
const endingDepth = 5;
/**
 * Bound of the whole value, in characters: an object of 300 required properties that each refer to it would be made 27 million
 * times, and a default of five megabytes that ninety properties refer to would be written ninety times.
 */
const maxCharacters = 200_000;
/** Counted for each value, beside what the schema itself gives: names, defaults, choices, references. */
const valueCharacters = 100;
const maxTextLength = 200;

const byFormat: ReadonlyMap<string, string> = new Map([
  ["date", "2026-01-01"],
  ["time", "12:00:00Z"],
  ["date-time", "2026-01-01T12:00:00Z"],
  ["email", "someone@example.com"],
  ["uri", "https://example.com/"],
  ["url", "https://example.com/"],
  ["uuid", "00000000-0000-4000-8000-000000000000"],
]);

const makers: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ["string", makeString],
  ["integer", (schema, context) => Math.trunc(makeNumber(schema, context))],
  ["number", makeNumber],
  ["boolean", () => true],
  ["null", () => null],
  ["array", makeArray],
  ["object", makeObject],
]);

/** A value for `schema`; `{}` if the schema is empty. */
export function makePlaceholder(schema: JsonSchema, goal: string): unknown {
  return make(schema, { goal, root: schema, name: "", depth: 0, budget: { left: maxCharacters } });
}

function make(schema: JsonSchema, context: Context): unknown {
  if (!spend(context.budget, valueCharacters) || context.depth > maxDepth) return null;
  const isEnding = context.depth >= endingDepth;
  if ("const" in schema) return give(schema.const, context);
  if ("default" in schema) return give(schema.default, context);
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return choose(schema.enum, context);
  if (typeof schema.$ref === "string") {
    if (!spend(context.budget, schema.$ref.length)) return null;
    return make(findReference(context.root, schema.$ref), context);
  }
  const parts = [schema.anyOf, schema.oneOf, schema.allOf].find(
    (part) => Array.isArray(part) && part.length > 0,
  );
  if (parts) {
    const choices = (parts as unknown[]).map(asSchema);
    if (isEnding && choices.some(({ type }) => type === "null")) return null;
    return make(choices[0]!, context);
  }
  const types: unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (isEnding && types.includes("null")) return null;
  const maker = isText(types[0]) ? makers.get(types[0]) : undefined;
  const inner = { ...context, depth: context.depth + 1 };
  return (maker ?? ("items" in schema ? makeArray : makeObject))(schema, inner);
}

/** False once the budget is used up, and from then on. */
function spend(budget: Budget, characters: number): boolean {
  budget.left -= characters;
  return budget.left >= 0;
}

/** A value of the schema's own; null if it is too large. */
const give = (value: unknown, { budget }: Context): unknown =>
  spend(budget, JSON.stringify(value).length) ? value : null;

function makeObject(schema: JsonSchema, context: Context): unknown {
  const properties = asSchema(schema.properties);
  const made: [string, unknown][] = [];
  for (const name of Array.isArray(schema.required) ? schema.required : []) {
    if (!spend(context.budget, isText(name) ? name.length : 1)) break;
    if (isText(name)) made.push([name, make(asSchema(properties[name]), { ...context, name })]);
  }
  return Object.fromEntries(made);
}

function makeArray(schema: JsonSchema, context: Context): unknown {
  const least = context.depth > endingDepth ? 0 : 1;
  const length = Math.min(10, typeof schema.minItems === "number" ? Math.max(least, schema.minItems) : least);
  return Array.from({ length }, () => make(asSchema(schema.items ?? { type: "string" }), context));
}

function makeNumber(schema: JsonSchema, { goal }: Context): number {
  const least = typeof schema.minimum === "number" ? schema.minimum : Number.NEGATIVE_INFINITY;
  const most = typeof schema.maximum === "number" ? schema.maximum : Number.POSITIVE_INFINITY;
  const wanted = Number(/-?\d+(?:\.\d+)?/.exec(goal)?.[0] ?? 1);
  return Math.min(most, Math.max(least, wanted));
}

const place = /city|location|place|country|address|destination/i;
/** Capitalised words after a preposition: "weather in New York". */
const placeInGoal = /\b(?:in|at|for|from|to|near)\s+(\p{Lu}[\p{L}-]*(?:\s+\p{Lu}[\p{L}-]*)*)/u;

function makeString(schema: JsonSchema, { goal, name }: Context): string {
  const formatted = isText(schema.format) ? byFormat.get(schema.format) : undefined;
  if (formatted !== undefined) return formatted;
  const quoted = /"([^"]+)"|“([^”]+)”/.exec(goal);
  const found = quoted?.[1] ?? quoted?.[2] ?? (place.test(name) ? placeInGoal.exec(goal)?.[1] : undefined);
  const most =
    typeof schema.maxLength === "number" ? Math.min(schema.maxLength, maxTextLength) : maxTextLength;
  return (found ?? goal).slice(0, most);
}

/** The first choice that the goal mentions, or the first of all. A goal is short, so few of many long choices are compared. */
function choose(choices: readonly unknown[], context: Context): unknown {
  if (!spend(context.budget, choices.length)) return null;
  const text = context.goal.toLowerCase();
  const isNamed = (choice: unknown) =>
    typeof choice !== "object" &&
    String(choice).length <= text.length &&
    text.includes(String(choice).toLowerCase());
  return give(choices.find(isNamed) ?? choices[0], context);
}

/** `#/$defs/name` inside the same schema. */
function findReference(root: JsonSchema, reference: string): JsonSchema {
  const steps = reference.split("/").slice(1);
  return steps.reduce<JsonSchema>(
    (schema, step) => asSchema(Object.hasOwn(schema, step) ? schema[step] : {}),
    root,
  );
}

function asSchema(value: unknown): JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonSchema) : {};
}

const isText = (value: unknown): value is string => typeof value === "string";
