/** Tools and the choice among them as callers of POST /v1/responses send them, after OpenAI's API reference. */
import { z } from "zod";
import { JsonObject } from "../../json.ts";

/** Most tools of one request, including those in namespaces. */
export const maxTools = 1_000;

const fields = {
  type: z.string().min(1),
  name: z.string().min(1).max(128).optional(),
  description: z.string().nullish(),
  parameters: JsonObject.nullish(),
  strict: z.boolean().nullish(),
  format: JsonObject.nullish(),
};

export const isOwnTool = ({ type }: { type: string }): boolean => type === "function" || type === "custom";

/** A search for further tools; the model gets it as a function of this name. */
export const searchType = "tool_search";

/** A search that the caller runs: Codex offers the tools of MCP servers through it. */
export const isCallersSearch = ({ type, execution }: { type: string; execution?: unknown }): boolean =>
  type === searchType && execution === "client";

/** A group of the caller's own tools under one name: Codex sends each MCP server as one. */
export const isNamespace = ({ type }: { type: string }): boolean => type === "namespace";

function requireName(tool: { type: string; name?: string | undefined }, context: z.RefinementCtx): void {
  if ((isOwnTool(tool) || isNamespace(tool)) && tool.name === undefined)
    context.addIssue({ code: "custom", path: ["name"], message: "is required" });
}

const NestedTool = z.looseObject(fields).superRefine(requireName);
export type NestedTool = z.infer<typeof NestedTool>;

/** The caller's own tools; any other `type` is a tool that OpenAI runs. */
export const ToolInput = z
  .looseObject({ ...fields, tools: z.array(NestedTool).max(maxTools).nullish() })
  .superRefine(requireName);
export type ToolInput = z.infer<typeof ToolInput>;

export const tooManyTools = `takes at most ${maxTools} tools, those in namespaces and in items among them`;

export const ToolsInput = z.array(ToolInput).max(maxTools, { message: tooManyTools });

export const ToolChoiceInput = z.union([
  z.enum(["none", "auto", "required"]),
  z.looseObject({
    type: z.string().min(1),
    name: z.string().min(1).nullish(),
    namespace: z.string().nullish(),
    mode: z.enum(["auto", "required"]).optional(),
    tools: z.array(JsonObject).optional(),
  }),
]);
export type ToolChoiceInput = z.infer<typeof ToolChoiceInput>;
