/**
 * The body of POST /v1/messages: types and ranges of every field we know, and the few rules about turns
 * that every provider has. A wrong known field is an error; an unknown top-level one is kept.
 */
import { z } from "zod";
import { ContentBlockInput, TextBlockInput } from "./content-block-input.ts";

const JsonObject = z.record(z.string(), z.unknown());

export const MessageInput = z.looseObject({
  role: z.enum(["user", "assistant", "system"]),
  content: z.union([z.string(), z.array(ContentBlockInput)]),
});
export type MessageInput = z.infer<typeof MessageInput>;

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
    if (!isCustom(tool)) return;
    for (const name of ["name", "input_schema"] as const) {
      if (tool[name] === undefined)
        context.addIssue({ code: "custom", path: [name], message: "is required" });
    }
  });
export type ToolInput = z.infer<typeof ToolInput>;

export const isCustom = ({ type }: { type?: string | null | undefined }): boolean =>
  type === undefined || type === null || type === "custom";

const alone = z.boolean().nullish();
const ToolChoiceInput = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("auto"), disable_parallel_tool_use: alone }),
  z.looseObject({ type: z.literal("any"), disable_parallel_tool_use: alone }),
  z.looseObject({ type: z.literal("tool"), name: z.string().min(1), disable_parallel_tool_use: alone }),
  z.looseObject({ type: z.literal("none") }),
]);

const ThinkingConfig = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1024) }),
  z.looseObject({ type: z.literal("disabled") }),
  z.looseObject({ type: z.literal("between_tools") }),
  z.looseObject({ type: z.literal("adaptive") }),
]);

const OutputConfig = z.looseObject({
  effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
  format: z.looseObject({ type: z.literal("json_schema"), schema: JsonObject }).nullish(),
});

/** Unknown fields are named in a response header, so their names have to fit there. */
const fieldName = /^[\w.-]{1,64}$/;
const maxFields = 100;

/** Fields of a prompt: what counting its tokens takes too. */
const promptFields = {
  model: z.string().min(1),
  messages: z.array(MessageInput).min(1),
  system: z.union([z.string(), z.array(TextBlockInput)]).nullish(),
  tools: z.array(ToolInput).max(100).nullish(),
  tool_choice: ToolChoiceInput.nullish(),
  thinking: ThinkingConfig.nullish(),
  output_config: OutputConfig.nullish(),
};

export const CountTokensRequest = z.looseObject(promptFields).superRefine(checkTurns);
export type CountTokensRequest = z.infer<typeof CountTokensRequest>;

export const MessagesRequest = z
  .looseObject({
    ...promptFields,
    /** The interface's limit (Limits: 1 to 4096). */
    max_tokens: z.int().min(1).max(4096, "must be at most 4096, this service's limit for /v1/messages"),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    top_k: z.int().min(0).nullish(),
    stream: z.boolean().nullish(),
    stop_sequences: z.array(z.string()).nullish(),
    metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
    service_tier: z.enum(["auto", "standard_only"]).nullish(),
    /** This service's own options; strict, so that a misspelt one is told. */
    svc: z
      .strictObject({
        plan: z.enum(["off", "on"]).nullish(),
        max_llm_calls: z.int().min(2).max(10).nullish(),
      })
      .nullish(),
  })
  .superRefine(checkTurns);
export type MessagesRequest = z.infer<typeof MessagesRequest>;

function checkTurns(body: CountTokensRequest, context: z.RefinementCtx): void {
  const report = (path: (string | number)[], message: string) =>
    context.addIssue({ code: "custom", path, message });
  if (!Object.keys(body).every((name) => fieldName.test(name)) || Object.keys(body).length > maxFields) {
    report([], `takes at most ${maxFields} fields, each named by a plain word of at most 64 characters`);
  }
  const forced = body.tool_choice?.type === "tool" ? body.tool_choice.name : undefined;
  if (forced !== undefined && !body.tools?.some(({ name }) => name === forced)) {
    report(["tool_choice", "name"], "names a tool that is not in tools");
  }
  const called = new Set<string>();
  for (const [index, { role, content }] of body.messages.entries()) {
    if (typeof content === "string") continue;
    for (const [position, block] of content.entries()) {
      const path = ["messages", index, "content", position];
      if (block.type === "tool_use" || /_tool_use$/.test(block.type)) called.add(String(block.id));
      if (block.type !== "tool_result") continue;
      if (role !== "user") report([...path, "type"], "a tool_result belongs in a user message");
      else if (!called.has(String(block.tool_use_id)))
        report([...path, "tool_use_id"], "answers no tool_use of an earlier assistant message");
    }
  }
}
