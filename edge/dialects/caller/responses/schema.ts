/**
 * The body of POST /v1/responses as callers send it, after OpenAI's API reference. A wrong known field is an error. An item or a
 * tool of a kind that only OpenAI runs is kept, so that it can be named as left out.
 */
import { z } from "zod";
import { createTable } from "../../../../shared/lookup-table.ts";
import { checkFieldNames } from "../../field-names.ts";
import { createReport, JsonObject, parseAs } from "../../json.ts";
import { AudioContent, EffortInput, ImageDetail, RefusalContent } from "../openai-requests.ts";
import { FallbackModels, SvcOptions } from "../svc-options.ts";
import { isBareReference } from "./item-ids.ts";
import { gatherTools, listOwnTools } from "./read-tools.ts";
import { nameTools } from "./tool-names.ts";
import { isOwnTool, maxTools, ToolChoiceInput, ToolsInput, tooManyTools } from "./tool-schema.ts";

/** Text of the user or the model: clients send answers back as `output_text`, some as `input_text`. */
const TextPart = z.looseObject({
  type: z.enum(["input_text", "output_text", "text"]),
  text: z.string(),
});
const ImagePart = z.looseObject({
  type: z.literal("input_image"),
  image_url: z.string().nullish(),
  file_id: z.string().nullish(),
  detail: ImageDetail,
});
const FilePart = z
  .looseObject({
    type: z.literal("input_file"),
    file_data: z.string().nullish(),
    file_id: z.string().nullish(),
    file_url: z.string().nullish(),
    filename: z.string().nullish(),
  })
  .refine(({ file_data: data, file_id: id, file_url: url }) => data || id || url, {
    message: "needs file_data, file_url or file_id",
  });
export const ContentPart = z.discriminatedUnion("type", [
  TextPart,
  RefusalContent,
  ImagePart,
  FilePart,
  AudioContent,
]);
export type ContentPartInput = z.infer<typeof ContentPart>;

const content = z.union([z.string(), z.array(ContentPart)]);
const id = z.string().nullish();

export const MessageItem = z.looseObject({
  type: z.literal("message"),
  id,
  role: z.enum(["user", "assistant", "system", "developer"]),
  content,
});
export type MessageItem = z.infer<typeof MessageItem>;
/** `namespace` is the tool's, if it has one. */
const call = { id, call_id: z.string().min(1), name: z.string().min(1), namespace: z.string().nullish() };
const FunctionCallItem = z.looseObject({ type: z.literal("function_call"), ...call, arguments: z.string() });
const CustomCallItem = z.looseObject({ type: z.literal("custom_tool_call"), ...call, input: z.string() });
/** Codex delivers messages of other threads and of automations as outputs without a call, by the tool's name alone. */
const outputOf = <Type extends string>(type: Type) =>
  z
    .looseObject({
      type: z.literal(type),
      id,
      call_id: z.string().nullish(),
      name: z.string().nullish(),
      output: content,
    })
    .refine(({ call_id: call, name }) => call || name, { path: ["call_id"], message: "is required" });
const FunctionOutputItem = outputOf("function_call_output");
const CustomOutputItem = outputOf("custom_tool_call_output");
const thought = z.array(z.looseObject({ text: z.string() })).nullish();
export const ReasoningItem = z.looseObject({
  type: z.literal("reasoning"),
  id,
  summary: thought,
  content: thought,
  encrypted_content: z.string().nullish(),
});
export type ReasoningItem = z.infer<typeof ReasoningItem>;
const ReferenceItem = z.looseObject({ type: z.literal("item_reference"), id: z.string().min(1) });
const ImageItem = z.looseObject({
  type: z.literal("image_generation_call"),
  id,
  result: z.string().nullish(),
});

/** Tools as an input item: newer Codex sends this instead of the field `tools`. */
const AdditionalToolsItem = z.looseObject({ type: z.literal("additional_tools"), tools: ToolsInput });
const search = { id, call_id: z.string().min(1).nullish(), execution: z.string().nullish() };
const SearchCallItem = z.looseObject({
  type: z.literal("tool_search_call"),
  ...search,
  arguments: z.unknown(),
});
const SearchOutputItem = z.looseObject({
  type: z.literal("tool_search_output"),
  ...search,
  tools: ToolsInput,
});

/** Both are described in compaction.ts. */
const TriggerItem = z.looseObject({ type: z.literal("compaction_trigger") });
const CompactionItem = z.looseObject({ type: z.literal("compaction"), id, encrypted_content: z.string() });

export const itemSchemas = {
  message: MessageItem,
  function_call: FunctionCallItem,
  custom_tool_call: CustomCallItem,
  function_call_output: FunctionOutputItem,
  custom_tool_call_output: CustomOutputItem,
  reasoning: ReasoningItem,
  item_reference: ReferenceItem,
  image_generation_call: ImageItem,
  additional_tools: AdditionalToolsItem,
  tool_search_call: SearchCallItem,
  tool_search_output: SearchOutputItem,
  compaction_trigger: TriggerItem,
  compaction: CompactionItem,
} as const;

/** An item of a tool that only OpenAI runs. */
export type OtherItem = { type: "other"; name: string };
export type InputItem = z.output<(typeof itemSchemas)[keyof typeof itemSchemas]> | OtherItem;

const schemas = createTable<z.ZodType>(itemSchemas);

/** `type` selects the schema of an item; a message may leave it out, and so may a reference, which then is an id alone. */
export const InputItem = z
  .looseObject({ type: z.string().nullish(), role: z.string().nullish() })
  .transform((item, context): InputItem => {
    const type = item.type ?? (item.role ? "message" : isBareReference(item) ? "item_reference" : "");
    const schema = schemas[type];
    if (schema === undefined && type !== "") return { type: "other", name: type };
    return parseAs(schema ?? MessageItem, { ...item, type }, context) as InputItem;
  });

const TextFormat = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({ type: z.literal("json_object") }),
  z.looseObject({
    type: z.literal("json_schema"),
    name: z.string().min(1),
    schema: JsonObject,
    description: z.string().nullish(),
    strict: z.boolean().nullish(),
  }),
]);
export type TextFormatInput = z.infer<typeof TextFormat>;

export const ResponsesRequest = z
  .looseObject({
    model: z.string().min(1),
    input: z.union([z.string().min(1), z.array(InputItem).min(1)]),
    instructions: z.string().nullish(),
    max_output_tokens: z.int().min(1).nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    top_logprobs: z.int().min(0).max(20).nullish(),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_obfuscation: z.boolean().nullish() }).nullish(),
    tools: ToolsInput.nullish(),
    tool_choice: ToolChoiceInput.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    text: z
      .looseObject({ format: TextFormat.nullish(), verbosity: z.enum(["low", "medium", "high"]).nullish() })
      .nullish(),
    reasoning: z.looseObject({ effort: EffortInput, summary: z.string().nullish() }).nullish(),
    include: z.array(z.string()).nullish(),
    metadata: JsonObject.nullish(),
    service_tier: z.string().nullish(),
    truncation: z.enum(["auto", "disabled"]).nullish(),
    store: z.boolean().nullish(),
    background: z.boolean().nullish(),
    previous_response_id: z.string().nullish(),
    user: z.string().nullish(),
    models: FallbackModels,
    svc: SvcOptions,
  })
  .superRefine((body, context) => {
    const report = createReport(context);
    checkFieldNames(body, report);
    const own = listOwnTools(gatherTools(body));
    if (own.length > maxTools) report(["tools"], tooManyTools);
    const forced = typeof body.tool_choice === "object" ? body.tool_choice : null;
    if (forced === null || !isOwnTool(forced)) return;
    const { name, namespace } = forced;
    const found = nameTools(own).find({ name: name ?? "", namespace });
    if (found.length === 0) report(["tool_choice", "name"], "names a tool that is not in tools");
    if (found.length > 1)
      report(["tool_choice", "name"], "names tools of several namespaces: add the field namespace");
  });
export type ResponsesRequest = z.infer<typeof ResponsesRequest>;
