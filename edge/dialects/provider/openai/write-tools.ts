/** Tools and the choice among them, in OpenAI's format. */
import type { ToolChoice, ToolDefinition } from "../../../../shared/chat.ts";
import { asObjectSchema, isClosedSchema, withoutRootUnion } from "../../parameter-schema.ts";
import { nameGrammars, type Omissions } from "../omissions.ts";
import type { WireFlavour } from "./flavour.ts";
import { type ContentContext, keepFields } from "./write-media.ts";

/** Which models refuse a union at the root of a schema: of the aggregator's only those of these vendors. */
const refusesRootUnion = (model: string, flavour: WireFlavour): boolean =>
  !flavour.servesVendors || /^~?(openai|anthropic)\//.test(model);

/** Adds an empty list of properties: OpenAI refuses an object without one, as MCP servers describe tools without arguments. */
function fitParameters(parameters: ToolDefinition["parameters"], unions: boolean, omissions: Omissions) {
  if (parameters === undefined) return undefined;
  const { schema, exact } = unions ? { schema: parameters, exact: true } : withoutRootUnion(parameters);
  if (!exact) omissions.add("toolParameters");
  return asObjectSchema(schema);
}

/** The field `tools`. */
export function writeTools(
  tools: readonly ToolDefinition[],
  model: string,
  flavour: WireFlavour,
  context: ContentContext,
) {
  const unions = !refusesRootUnion(model, flavour);
  // Anthropic's callers may have optional parameters in a strict tool, for which OpenAI refuses the request.
  const anyStrict = context.fromOpenai || flavour.openaiModel(model) === undefined;
  return tools.map((tool) => writeTool(tool, context, { unions, anyStrict }));
}

/** Whether the model takes a union at a schema's root, and a strict tool whose schema is not closed. */
type Accepted = { unions: boolean; anyStrict: boolean };

function writeTool(tool: ToolDefinition, context: ContentContext, { unions, anyStrict }: Accepted) {
  const { name, description, providerData, custom } = tool;
  if (context.customTools.has(name)) return { type: "custom", custom: { name, ...custom } };
  if (custom !== undefined) nameGrammars([tool], context.omissions);
  const parameters = fitParameters(tool.parameters, unions, context.omissions);
  const strict = tool.strict === true && !anyStrict && !isClosedSchema(parameters) ? undefined : tool.strict;
  if (strict !== tool.strict) context.omissions.add("strictTools");
  return {
    type: "function",
    function: {
      name,
      ...(description !== undefined && { description }),
      ...(parameters !== undefined && { parameters }),
      ...(strict !== undefined && { strict }),
    },
    ...keepFields(providerData, context),
  };
}

export function writeToolChoice(choice: ToolChoice, custom: ReadonlySet<string>) {
  if (choice.type !== "tool") return choice.type;
  const named = { name: choice.name };
  return custom.has(choice.name) ? { type: "custom", custom: named } : { type: "function", function: named };
}
