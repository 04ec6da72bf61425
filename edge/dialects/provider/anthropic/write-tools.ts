/** Tools and the choice among them, for the Messages API (…/docs/en/agents-and-tools/tool-use). */
import type { ChatRequest, ToolDefinition } from "../../../../shared/chat.ts";
import type { JsonObject } from "../../json.ts";
import { asObjectSchema, withoutRootUnion } from "../../parameter-schema.ts";
import { asksForTool, nameGrammars, type Omissions } from "../omissions.ts";
import type { ModelQuirks } from "./model-quirks.ts";
import { createStrictBudget, toStrictSchema } from "./output-schema.ts";
import { keepFields } from "./write-media.ts";

export type WrittenTools = { tools?: Record<string, unknown>[]; tool_choice?: Record<string, unknown> };

/** `tools` and `tool_choice`; a choice without tools is refused by the API and left out. */
export function writeTools(request: ChatRequest, quirks: ModelQuirks, omissions: Omissions): WrittenTools {
  const own = request.callerDialect === "anthropic" ? (request.providerTools ?? []) : [];
  if (request.tools.length + own.length === 0) {
    if (asksForTool(request)) omissions.add("toolChoice");
    return {};
  }
  const choice = writeToolChoice(request, quirks, omissions);
  const { responseFormat: format } = request;
  const takesStrict = createStrictBudget(format?.type === "json-schema" ? format.schema : undefined);
  const tools: Record<string, unknown>[] = request.tools.map((tool) =>
    writeTool(tool, request, (schema) => quirks.structuredOutput && takesStrict(schema), omissions),
  );
  nameGrammars(request.tools, omissions);
  for (const { at, data } of own) tools.splice(at, 0, data);
  return {
    tools,
    ...(choice === undefined ? {} : { tool_choice: choice }),
  };
}

/** True if the caller demands a tool call and the model accepts that. */
export function forcesTool(request: ChatRequest, quirks: ModelQuirks): boolean {
  return (
    request.tools.length + (request.providerTools?.length ?? 0) > 0 &&
    asksForTool(request) &&
    quirks.forcedTool !== "no"
  );
}

function writeTool(
  tool: ToolDefinition,
  request: ChatRequest,
  takesStrict: (schema: JsonObject) => boolean,
  omissions: Omissions,
) {
  const fromAnthropic = request.callerDialect === "anthropic";
  // A tool without parameters still needs a schema.
  const given = fromAnthropic ? (tool.parameters ?? {}) : fitParameters(tool, omissions);
  const fitting = fromAnthropic || tool.strict !== true ? given : toStrictSchema(given);
  const strict = tool.strict === true && fitting !== undefined && (fromAnthropic || takesStrict(fitting));
  if (tool.strict === true && !strict) omissions.add("strictTools");
  const schema = strict ? fitting : given;
  return {
    ...keepFields(tool.providerData, { fromAnthropic, omissions }),
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    input_schema: "type" in schema ? schema : { type: "object", ...schema },
    ...(strict ? { strict: true } : {}),
  };
}

function fitParameters({ parameters }: ToolDefinition, omissions: Omissions) {
  const { schema, exact } = withoutRootUnion(parameters ?? {});
  if (!exact) omissions.add("toolParameters");
  return asObjectSchema(schema);
}

function writeToolChoice(
  { toolChoice, parallelToolCalls }: ChatRequest,
  quirks: ModelQuirks,
  omissions: Omissions,
) {
  const alone = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (toolChoice?.type === "none") return { type: "none" };
  if (toolChoice === undefined || toolChoice.type === "auto") {
    return toolChoice === undefined && parallelToolCalls !== false ? undefined : { type: "auto", ...alone };
  }
  if (quirks.forcedTool === "no") {
    omissions.add("toolChoice");
    return { type: "auto", ...alone };
  }
  return toolChoice.type === "tool"
    ? { type: "tool", name: toolChoice.name, ...alone }
    : { type: "any", ...alone };
}
