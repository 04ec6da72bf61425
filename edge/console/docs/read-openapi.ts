/** Converts an OpenAPI document into flat lists for a page. Pure; missing or odd parts are left out. */

export type Field = { name: string; type: string; required: boolean; words: string };
export type Operation = {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  parameters: Field[];
  body: unknown;
  answers: Field[];
};

const methods = ["get", "post", "put", "patch", "delete"];
const jsonType = "application/json";

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const recordAt = (value: unknown, key: string): Record<string, unknown> =>
  isRecord(value) && isRecord(value[key]) ? value[key] : {};
const textAt = (value: unknown, key: string): string =>
  isRecord(value) && typeof value[key] === "string" ? value[key] : "";
const listAt = (value: unknown, key: string): unknown[] =>
  isRecord(value) && Array.isArray(value[key]) ? value[key] : [];

export function listOperations(document: unknown): Operation[] {
  return Object.entries(recordAt(document, "paths")).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = recordAt(item, method);
      if (Object.keys(operation).length === 0) return [];
      return [
        {
          id: `${method}${path.replaceAll(/[^\w]+/g, "-")}`,
          method: method.toUpperCase(),
          path,
          summary: textAt(operation, "summary"),
          description: textAt(operation, "description"),
          parameters: listAt(operation, "parameters")
            .map((parameter) => resolve(parameter, document))
            .map((parameter) => ({
              name: textAt(parameter, "name"),
              type: `${describeType(recordAt(parameter, "schema"), document)}, in ${textAt(parameter, "in")}`,
              required: isRecord(parameter) && parameter.required === true,
              words: textAt(parameter, "description"),
            })),
          body: recordAt(recordAt(recordAt(operation, "requestBody"), "content"), jsonType).schema,
          answers: Object.entries(recordAt(operation, "responses")).map(([status, answer]) => ({
            name: status,
            type: Object.keys(recordAt(answer, "content")).join(", "),
            required: false,
            words: textAt(answer, "description"),
          })),
        },
      ];
    }),
  );
}

/** Follows `$ref` inside the document, once. */
function resolve(schema: unknown, document: unknown): unknown {
  const reference = textAt(schema, "$ref");
  if (!reference.startsWith("#/")) return schema;
  return reference
    .slice(2)
    .split("/")
    .reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), document);
}

/** The fields of an object schema; none for anything else. */
export function describeSchema(schema: unknown, document: unknown): Field[] {
  const object = resolve(schema, document);
  const required = listAt(object, "required");
  return Object.entries(recordAt(object, "properties")).map(([name, property]) => ({
    name,
    type: describeType(property, document),
    required: required.includes(name),
    words: textAt(resolve(property, document), "description"),
  }));
}

function describeType(given: unknown, document: unknown): string {
  const schema = resolve(given, document);
  const choices = [...listAt(schema, "anyOf"), ...listAt(schema, "oneOf")];
  if (choices.length > 0)
    return [...new Set(choices.map((choice) => describeType(choice, document)))].join(" or ");
  const values = listAt(schema, "enum");
  if (values.length > 0) return values.map((value) => JSON.stringify(value)).join(", ");
  if (isRecord(schema) && Array.isArray(schema.type)) return schema.type.join(" or ");
  const type = textAt(schema, "type");
  return type === "array" ? `array of ${describeType(recordAt(schema, "items"), document)}` : type || "any";
}
