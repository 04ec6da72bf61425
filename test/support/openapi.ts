/**
 * The service's own OpenAPI document as a judge of real answers. Its schemas are open, so that clients survive a new field;
 * here every field of an answer must be in them.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { readSseData } from "./read-sse-data.ts";

type Json = Record<string, unknown>;
type MediaType = { schema: Json; examples?: Record<string, Json> };
export type Answer = { content?: Record<string, MediaType>; headers?: Record<string, unknown> };
export type OperationObject = {
  operationId: string;
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, Answer>;
};
export type OpenapiDocument = {
  openapi: string;
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Json>; examples: Record<string, { value: unknown }> };
};

export type Judge = {
  /** What is wrong with a value, by the schema at a place such as `#/components/schemas/Model`; [] for nothing. */
  problems(place: string, value: unknown): string[];
};

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Objects that list their properties take no others. Requests stay as they are: callers may send more. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (!isObject(schema)) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, close(value)]));
  return "properties" in schema && !("additionalProperties" in schema)
    ? { ...closed, additionalProperties: false }
    : closed;
}

const formats = {
  "date-time": (text: string) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)),
  date: /^\d{4}-\d\d-\d\d$/,
};

export function createJudge(document: OpenapiDocument): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats });
  ajv.addSchema({ $id: "svc", ...(close(document) as Json) });
  const compiled = new Map<string, ValidateFunction>();
  return {
    problems(place, value) {
      const validate = compiled.get(place) ?? ajv.compile({ $ref: `svc${place}` });
      compiled.set(place, validate);
      if (validate(value)) return [];
      return (validate.errors ?? []).map(
        ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
      );
    },
  };
}

const escapePart = (part: string): string =>
  encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

/** The place of a schema in the document. */
export const placeOf = (...parts: string[]): string => `#/${parts.map(escapePart).join("/")}`;

/** Every example with the place of its schema. */
export function* listExamples({ paths, components }: OpenapiDocument) {
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, { requestBody, responses }] of Object.entries(item)) {
      const at = ["paths", path, method];
      const contents: [string[], Answer][] = [
        ...(requestBody ? [[[...at, "requestBody"], requestBody] as [string[], Answer]] : []),
        ...Object.entries(responses).map(([status, answer]): [string[], Answer] => [
          [...at, "responses", status],
          answer,
        ]),
      ];
      for (const [where, { content = {} }] of contents) {
        for (const [type, { examples = {} }] of Object.entries(content)) {
          for (const [name, example] of Object.entries(examples)) {
            const shared = typeof example.$ref === "string" ? example.$ref.split("/").at(-1)! : undefined;
            const value = shared === undefined ? example.value : components.examples[shared]?.value;
            yield {
              name: `${method} ${where.slice(3).join(" ")} ${path}: ${name}`,
              place: placeOf(...where, "content", type, "schema"),
              value,
            };
          }
        }
      }
    }
  }
}

/** The JSON of a stream's events, the end mark left out. */
export const readEvents = (text: string): unknown[] =>
  readSseData(text)
    .filter((data) => data !== "[DONE]")
    .map((data) => JSON.parse(data));
