/**
 * OpenAI's `custom` tools take free text. In the hub, and at every other provider, they are functions with one string argument,
 * `input`. This file converts both ways.
 */
import type { ToolDefinition } from "../../shared/chat.ts";
import { type JsonObject, parseJson, present, readObject, readText } from "./json.ts";

const parameters = {
  type: "object",
  properties: { input: { type: "string", description: "The whole text given to the tool." } },
  required: ["input"],
  additionalProperties: false,
};

export type CustomToolInput = {
  name: string;
  description?: string | null | undefined;
  format?: JsonObject | null | undefined;
};

/** A grammar in the form of chat completions, which the hub has: its fields in `grammar`. Responses have them beside the type. */
function nestGrammar(format: JsonObject): JsonObject {
  const { type, syntax, definition, ...rest } = format;
  const isFlat = type === "grammar" && definition !== undefined && format.grammar === undefined;
  return isFlat ? { type, grammar: present({ definition, syntax }), ...rest } : format;
}

/** A JSON schema cannot express a grammar, so the model reads it in the description. */
function describe(description: string | null | undefined, format: JsonObject | undefined): string {
  const grammar = readObject(format?.grammar);
  const definition = readText(grammar?.definition);
  const syntax = readText(grammar?.syntax) ?? "";
  const rule =
    definition === undefined ? "" : `The input must match this ${syntax} grammar exactly:\n${definition}`;
  return [description ?? "", rule].filter((text) => text !== "").join("\n\n");
}

/** The tool as the hub has it: a function whose one argument is the text. Its description also tells the grammar. */
export function readCustomTool({ name, description, format: given }: CustomToolInput): ToolDefinition {
  const format = given ? nestGrammar(given) : undefined;
  return {
    name,
    description: describe(description, format),
    parameters,
    custom: present({ description, format }),
  };
}

/** Names of the custom tools, whose calls carry their text in `input`. */
export const listCustomTools = (tools: readonly ToolDefinition[]): ReadonlySet<string> =>
  new Set(tools.flatMap(({ name, custom }) => (custom === undefined ? [] : [name])));

/** Free text as the arguments of such a function. */
export const wrapInput = (input: string): string => JSON.stringify({ input });

/** The free text in a call's arguments; the whole arguments if they have another form. */
export function unwrapInput(text: string): string {
  const input = readObject(parseJson(text))?.input;
  return typeof input === "string" ? input : text;
}
