/** Tools and the choice among them as callers of POST /v1/chat/completions send them, after OpenAI's API reference. */
import { z } from "zod";
import { JsonObject } from "../../json.ts";

const CustomToolInput = z.looseObject({
  type: z.literal("custom"),
  custom: z.looseObject({
    name: z.string().min(1).max(128),
    description: z.string().nullish(),
    format: JsonObject.nullish(),
  }),
});
const FunctionToolInput = z.looseObject({
  type: z.literal("function"),
  function: z.looseObject({
    name: z.string().min(1).max(128),
    description: z.string().nullish(),
    parameters: JsonObject.nullish(),
    strict: z.boolean().nullish(),
  }),
});
export const ToolInput = z.discriminatedUnion("type", [FunctionToolInput, CustomToolInput]);
export type ToolInput = z.infer<typeof ToolInput>;

const toolName = z.string().min(1);
const namedTool = [
  z.looseObject({ type: z.literal("function"), function: z.looseObject({ name: toolName }) }),
  z.looseObject({ type: z.literal("custom"), custom: z.looseObject({ name: toolName }) }),
] as const;
const NamedTool = z.discriminatedUnion("type", namedTool);
const AllowedTools = z.looseObject({
  type: z.literal("allowed_tools"),
  allowed_tools: z.looseObject({ mode: z.enum(["auto", "required"]), tools: z.array(NamedTool).min(1) }),
});
export const ToolChoiceInput = z.union([
  z.enum(["none", "auto", "required"]),
  z.discriminatedUnion("type", [...namedTool, AllowedTools]),
]);
export type ToolChoiceInput = z.infer<typeof ToolChoiceInput>;

export const readToolName = (tool: z.infer<typeof NamedTool>): string =>
  tool.type === "custom" ? tool.custom.name : tool.function.name;
