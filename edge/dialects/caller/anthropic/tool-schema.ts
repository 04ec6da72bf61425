/** Tools and the choice among them as callers of POST /v1/messages send them. */
import { z } from "zod";
import { JsonObject } from "../../json.ts";

/** Agents send all tools of all their servers; a provider's own limit may be lower. */
export const maxTools = 1_000;

/** A tool of the caller's own, or (with another `type`) one that Anthropic defines. */
export const ToolInput = z
  .looseObject({
    type: z.string().nullish(),
    name: z.string().min(1).max(200).optional(),
    description: z.string().nullish(),
    input_schema: JsonObject.optional(),
    strict: z.boolean().nullish(),
  })
  .superRefine((tool, context) => {
    // Any other type names a tool that Anthropic defines. Taken for one of those, a function would be left out and never called.
    if (tool.type === "function") {
      const message = "is a kind of OpenAI's: leave it out, and send name, description and input_schema";
      context.addIssue({ code: "custom", path: ["type"], message });
    }
    if (!isCustom(tool)) return;
    for (const name of ["name", "input_schema"] as const) {
      if (tool[name] === undefined)
        context.addIssue({ code: "custom", path: [name], message: "is required" });
    }
  });
export type ToolInput = z.infer<typeof ToolInput>;

export const isCustom = ({ type }: { type?: string | null | undefined }): boolean =>
  type === undefined || type === null || type === "custom";

const disableParallel = z.boolean().nullish();
export const ToolChoiceInput = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("auto"), disable_parallel_tool_use: disableParallel }),
  z.looseObject({ type: z.literal("any"), disable_parallel_tool_use: disableParallel }),
  z.looseObject({
    type: z.literal("tool"),
    name: z.string().min(1),
    disable_parallel_tool_use: disableParallel,
  }),
  z.looseObject({ type: z.literal("none") }),
]);
