/** A validated chat completion body as the hub's request, and the fields that concern only this service. */
import type { ChatRequest, ToolChoice, ToolDefinition } from "../../../../shared/chat.ts";
import { readCustomTool } from "../../custom-tools.ts";
import { listUnread, readOthers } from "../../field-names.ts";
import { present, withData } from "../../json.ts";
import { readFormat, schemaFields } from "../openai-requests.ts";
import { type AskedChat, toAskedChat } from "../svc-options.ts";
import { readMessage } from "./read-message.ts";
import { ChatCompletionRequest } from "./schema.ts";
import { readToolName, type ToolInput } from "./tool-schema.ts";

export type AskedCompletion = AskedChat & {
  /** The caller of a stream asked for a usage chunk; JSON answers always carry usage. */
  includeUsage: boolean;
};

function readTool(given: ToolInput): ToolDefinition {
  if (given.type === "custom") return readCustomTool(given.custom);
  const { type: _type, function: tool, ...rest } = given;
  const { name, description, parameters, strict, ...inner } = tool;
  return {
    name,
    ...present({ description, parameters, strict }),
    // LiteLLM's clients put the cache mark inside `function`.
    ...withData({ ...present(inner), ...rest }),
  };
}

type Choice = { toolChoice?: ToolChoice; tools: ToolDefinition[] };

/** `allowed_tools` is implemented by leaving the other tools out: only OpenAI has the field. */
function readTools({ tools: given, tool_choice: choice }: ChatCompletionRequest): Choice {
  const tools = (given ?? []).map(readTool);
  if (choice === null || choice === undefined) return { tools };
  if (typeof choice === "string") return { tools, toolChoice: { type: choice } };
  if (choice.type !== "allowed_tools") {
    return { tools, toolChoice: { type: "tool", name: readToolName(choice) } };
  }
  const { mode, tools: listed } = choice.allowed_tools;
  const allowed = new Set(listed.map(readToolName));
  return { tools: tools.filter(({ name }) => allowed.has(name)), toolChoice: { type: mode } };
}

/**
 * The name under which a field that was left out is reported: the one that the body used. The effort may have come in either of two fields.
 */
export const renameOmission = ({ reasoning_effort: effort }: ChatCompletionRequest, name: string): string =>
  name === "reasoning_effort" && (effort ?? null) === null ? "reasoning" : name;

function readReasoning({ reasoning_effort, reasoning }: ChatCompletionRequest) {
  const effort = reasoning_effort ?? reasoning?.effort ?? undefined;
  const { effort: _effort, max_tokens: budgetTokens, ...rest } = reasoning ?? {};
  const fields = present({ effort, budgetTokens });
  return {
    ...(Object.keys(fields).length > 0 && { reasoning: fields }),
    extra: { ...(Object.keys(rest).length > 0 && { reasoning: rest }) },
  };
}

/** Fields of options that no provider is sent: they are kept under their paths, so that they can be named. */
function keepUnread({ stream_options, usage, response_format: format }: ChatCompletionRequest) {
  const schema = format?.type === "json_schema" ? format.json_schema : undefined;
  // We never pad our chunks, so only a request for padding cannot be met.
  const read = ["include_usage", ...(stream_options?.include_obfuscation ? [] : ["include_obfuscation"])];
  const paths = [
    ...listUnread("stream_options", stream_options, read),
    ...listUnread("usage", usage, ["include"]),
    ...listUnread("response_format", format, schema ? ["type", "json_schema"] : ["type"]),
    ...listUnread("response_format.json_schema", schema, schemaFields),
  ];
  return Object.fromEntries(paths.map((path) => [path, true]));
}

/** The largest integer that both an int64 and a JavaScript number hold: 2^63 - 1 is parsed as 2^63, which providers would refuse. */
const largestSeed = 2 ** 63 - 1024;

const readSeed = (seed: number): number => Math.max(-largestSeed, Math.min(seed, largestSeed));

const listStops = (stop: ChatCompletionRequest["stop"]): string[] =>
  typeof stop === "string" ? [stop] : (stop ?? []);

export function readChatRequest(body: ChatCompletionRequest): AskedCompletion {
  const { response_format: format } = body;
  const { extra, ...reasoning } = readReasoning(body);
  const request: ChatRequest = {
    messages: body.messages.map(readMessage),
    ...readTools(body),
    stream: body.stream ?? false,
    choices: body.n ?? 1,
    stop: listStops(body.stop),
    callerDialect: "openai",
    ...(format && {
      responseFormat: readFormat(
        format.type === "json_schema" ? { ...format.json_schema, type: format.type } : format,
      ),
    }),
    ...(body.seed != null && { seed: readSeed(body.seed) }),
    ...(body.logprobs && { logprobs: present({ top: body.top_logprobs }) }),
    ...reasoning,
    ...present({
      maxOutputTokens: body.max_completion_tokens ?? body.max_tokens,
      temperature: body.temperature,
      topP: body.top_p,
      topK: body.top_k,
      presencePenalty: body.presence_penalty,
      frequencyPenalty: body.frequency_penalty,
      parallelToolCalls: body.parallel_tool_calls,
      logitBias: body.logit_bias,
      endUser: body.user,
      metadata: body.metadata,
      serviceTier: body.service_tier,
    }),
    extra: {
      ...readOthers(body, ChatCompletionRequest),
      ...extra,
      ...keepUnread(body),
    },
  };
  const includeUsage = (body.stream_options?.include_usage || body.usage?.include) ?? false;
  return { ...toAskedChat(body, request), includeUsage };
}
