/** A validated messages body as the hub's request, and the fields that concern only this service. */
import type {
  ChatMessage,
  ChatRequest,
  ProviderTool,
  ResponseFormat,
  ToolChoice,
  ToolDefinition,
} from "../../../../shared/chat.ts";
import { anthropicVersion } from "../../anthropic-version.ts";
import { readOthers } from "../../field-names.ts";
import { present, withData } from "../../json.ts";
import { isClosedSchema } from "../../parameter-schema.ts";
import { type AskedChat, toAskedChat } from "../svc-options.ts";
import { readContent, readTextBlock } from "./read-message.ts";
import { type CountTokensRequest, type MessageInput, MessagesRequest } from "./schema.ts";
import { isCustom, type ToolInput } from "./tool-schema.ts";

function readMessage({ role, content, ...fields }: MessageInput): ChatMessage {
  return { role, parts: readContent(content ?? ""), ...withData(present(fields)) };
}

function readSystem(system: CountTokensRequest["system"]): ChatMessage[] {
  if (system === null || system === undefined) return [];
  const parts = typeof system === "string" ? readContent(system) : system.map(readTextBlock);
  return parts.length === 0 ? [] : [{ role: "system", parts }];
}

function readTool(tool: ToolInput): ToolDefinition {
  const { type: _type, name, description, input_schema: parameters, strict, ...rest } = tool;
  return { name: name ?? "", ...present({ description, parameters, strict }), ...withData(present(rest)) };
}

/** Separates the caller's own tools from those that Anthropic defines; each keeps its place. */
function readTools(tools: readonly ToolInput[]) {
  const providerTools = tools.flatMap((tool, at): ProviderTool[] =>
    isCustom(tool) ? [] : [{ at, type: tool.type ?? "", data: tool }],
  );
  return {
    tools: tools.filter(isCustom).map(readTool),
    ...(providerTools.length > 0 && { providerTools }),
  };
}

function readToolChoice(choice: NonNullable<CountTokensRequest["tool_choice"]>): ToolChoice {
  if (choice.type === "tool") return { type: "tool", name: choice.name };
  return { type: choice.type === "any" ? "required" : choice.type };
}

/**
 * `adaptive` without an effort is what other providers' reasoning models call medium: as much as the
 * question needs. `between_tools` has no equal elsewhere, so it counts as off.
 */
function readReasoning({ thinking, output_config }: CountTokensRequest): ChatRequest["reasoning"] {
  const effort = output_config?.effort ?? undefined;
  if (thinking === null || thinking === undefined) return effort && { effort };
  if (thinking.type === "enabled") return { budgetTokens: thinking.budget_tokens, ...(effort && { effort }) };
  if (thinking.type === "adaptive") return { effort: effort ?? "medium" };
  return { effort: "none" };
}

/** Fields without a place in the hub: how thinking is shown, thinking between tool calls only, and what `output_config` asks beside. */
function listUntranslated({ thinking, output_config }: CountTokensRequest): string[] {
  const { effort: _effort, format: _format, ...others } = present(output_config ?? {});
  const isHidden = thinking && "display" in thinking && thinking.display === "omitted";
  return [
    ...(thinking?.type === "between_tools" ? ["thinking"] : isHidden ? ["thinking.display"] : []),
    ...Object.keys(others).map((name) => `output_config.${name}`),
  ];
}

/** The output settings. The beta's older field counts if the newer one is absent. */
function readOutputConfig({ output_config, output_format }: CountTokensRequest) {
  return output_format && !output_config?.format
    ? { ...output_config, format: output_format }
    : output_config;
}

function readFormat(body: CountTokensRequest): ResponseFormat | undefined {
  const format = readOutputConfig(body)?.format;
  if (!format) return undefined;
  const { schema } = format;
  // Other providers enforce no other schemas.
  return { type: "json-schema", name: "answer", schema, ...(isClosedSchema(schema) && { strict: true }) };
}

/** The part of a request that makes up the prompt: also what a token count needs. */
export function readPrompt(body: CountTokensRequest): ChatRequest {
  const { tool_choice: toolChoice } = body;
  const alone =
    toolChoice && "disable_parallel_tool_use" in toolChoice && toolChoice.disable_parallel_tool_use;
  const untranslated = listUntranslated(body);
  const verbatim = present({ thinking: body.thinking, output_config: readOutputConfig(body) });
  return {
    messages: [...readSystem(body.system), ...body.messages.map(readMessage)],
    ...readTools(body.tools ?? []),
    stream: false,
    choices: 1,
    stop: [],
    extra: readOthers(body, MessagesRequest),
    callerDialect: "anthropic",
    ...present({
      toolChoice: toolChoice ? readToolChoice(toolChoice) : undefined,
      parallelToolCalls: typeof alone === "boolean" ? !alone : undefined,
      responseFormat: readFormat(body),
      reasoning: readReasoning(body),
      untranslated: untranslated.length > 0 ? untranslated : undefined,
      verbatim: Object.keys(verbatim).length > 0 ? verbatim : undefined,
    }),
  };
}

/** `headers`: those that are passed on to this dialect's own provider. */
export function readMessagesRequest(
  body: MessagesRequest,
  headers: ChatRequest["providerHeaders"] = {},
): AskedChat {
  const { user_id: endUser, ...metadata } = body.metadata ?? {};
  const tier = body.service_tier;
  return toAskedChat(body, {
    ...readPrompt(body),
    stream: body.stream ?? false,
    stop: body.stop_sequences ?? [],
    maxOutputTokens: body.max_tokens,
    ...present({
      temperature: body.temperature,
      topP: body.top_p,
      topK: body.top_k,
      endUser,
      metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
      serviceTier: tier === "standard_only" ? "default" : tier,
      providerHeaders: Object.keys(headers).length > 0 ? headers : undefined,
    }),
  });
}

/**
 * The name under which a field that was left out is reported: the one that the body used. Effort and format may each have come in either of
 * two fields.
 */
export function renameOmission({ thinking, output_config }: MessagesRequest, name: string): string {
  if (name === "thinking" && (thinking ?? null) === null) return "output_config.effort";
  const isOlder = name.startsWith("output_config.format") && (output_config?.format ?? null) === null;
  return isOlder ? name.replace("output_config.format", "output_format") : name;
}

/** The SDK sends its parameters `workspace_id` and `user_profile_id` in these headers. */
const passedOn = ["anthropic-workspace-id", "anthropic-user-profile-id"];

/** Headers that only the provider of this dialect understands: the betas, a version other than ours, and whose request it is. */
export function readProviderHeaders(headers: Headers): Record<string, string> {
  const beta = headers.get("anthropic-beta");
  const version = headers.get("anthropic-version");
  return {
    ...(beta !== null && beta !== "" && { "anthropic-beta": beta }),
    ...(version !== null && version !== anthropicVersion && { "anthropic-version": version }),
    ...Object.fromEntries(
      passedOn.flatMap((name) => {
        const value = headers.get(name);
        return value ? [[name, value]] : [];
      }),
    ),
  };
}
