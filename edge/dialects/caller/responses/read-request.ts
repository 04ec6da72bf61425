/** A validated responses body as the hub's request, and what of it concerns only this service. */
import type { ChatRequest, ResponseFormat } from "../../../../shared/chat.ts";
import { GatewayError } from "../../../../shared/errors.ts";
import { present } from "../../json.ts";
import { listNames } from "../../omissions.ts";
import { asksForCompaction } from "./compaction.ts";
import { gatherTools } from "./list-tools.ts";
import { readEcho } from "./read-echo.ts";
import { type Note, readInput } from "./read-message.ts";
import { readTools } from "./read-tools.ts";
import type { Echo } from "./reply-types.ts";
import { ResponsesRequest, type TextFormatInput } from "./schema.ts";
import type { ToolNames } from "./tool-names.ts";

export type DecodedResponsesRequest = {
  /** The model name as the caller wrote it, and those to go on with. */
  model: string;
  fallbacks: readonly string[];
  request: ChatRequest;
  /** What the response says again. */
  echo: Echo;
  /** What the hub calls the request's tools. */
  toolNames: ToolNames;
  /** Calls of `tool_search` are the caller's own search for tools. */
  searches: boolean;
  /** A summary of the conversation is asked for in place of an answer. */
  compacts: boolean;
  /** Fields, tools and items that no provider is given, by their names here. */
  unsupported: string[];
  svc: { plan: "on" | "off" /** 2 to 10. */; maxLlmCalls?: number };
};

function readFormat(format: TextFormatInput): ResponseFormat {
  if (format.type !== "json_schema") return { type: format.type === "text" ? "text" : "json" };
  const { name, schema, description, strict } = format;
  return { type: "json-schema", name, schema, ...present({ description, strict }) };
}

/** Fields of this API without a place in a chat completion, which is how OpenAI itself is called. */
const onlyHere: ReadonlySet<string> = new Set([
  "client_metadata",
  "context_management",
  "max_tool_calls",
  "moderation",
  "prompt_cache_diagnostics",
]);
/** Refused where they say something (refuse-kept.ts). */
const kept: ReadonlySet<string> = new Set(["conversation", "prompt"]);

/** Top-level fields without a place in the hub, which a provider of OpenAI's format may know. */
function readExtra(body: ResponsesRequest, note: Note): Record<string, unknown> {
  const known = ResponsesRequest.shape;
  const extra: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    if (Object.hasOwn(known, name) || kept.has(name) || value === null || value === undefined) continue;
    if (onlyHere.has(name)) note(name);
    else extra[name] = value;
  }
  if (body.text?.verbosity) extra.verbosity = body.text.verbosity;
  if (body.reasoning?.effort === "max") extra.reasoning_effort = "max";
  return extra;
}

const logprobsField = "message.output_text.logprobs";
/** What of `include` is always there, or asked for here. */
const included: ReadonlySet<string> = new Set([
  "reasoning.encrypted_content",
  "message.input_image.image_url",
  logprobsField,
]);

/** Fields of `reasoning` that are read, or ask for what is always so here. */
const reasoningFields: ReadonlySet<string> = new Set(["effort", "summary", "generate_summary"]);
/** Of its `context` and `mode`. */
const defaultModes: ReadonlySet<unknown> = new Set(["auto", "standard"]);

function noteFields({ include, truncation, stream_options, reasoning }: ResponsesRequest, note: Note): void {
  for (const [name, value] of Object.entries(present(reasoning ?? {})))
    if (!reasoningFields.has(name) && !defaultModes.has(value)) note(`reasoning.${name}`);
  for (const name of include ?? []) if (!included.has(name)) note(`include.${name}`);
  if (truncation === "auto") note("truncation");
  // We never pad our events, so only a request for padding cannot be met.
  if (stream_options?.include_obfuscation) note("stream_options.include_obfuscation");
}

/** `body` has no item references any more. Throws GatewayError invalid_request. */
export function decodeResponsesRequest(body: ResponsesRequest): DecodedResponsesRequest {
  const names = new Set<string>();
  const note: Note = (name) => void names.add(name);
  const { names: toolNames, searches, ...own } = readTools(gatherTools(body), body.tool_choice, note);
  const { instructions, text, reasoning } = body;
  const effort = reasoning?.effort === "max" ? "xhigh" : reasoning?.effort;
  const extra = readExtra(body, note);
  noteFields(body, note);
  const compacts = asksForCompaction(body.input);
  const system = instructions
    ? [{ role: "system" as const, parts: [{ type: "text" as const, text: instructions }] }]
    : [];
  const request: ChatRequest = {
    messages: [...system, ...readInput(body.input, toolNames, note)],
    ...own,
    // The tools stay: providers want those of the history, and their caches are of the whole beginning.
    ...(compacts && own.tools.length > 0 && { toolChoice: { type: "none" as const } }),
    stream: body.stream ?? false,
    choices: 1,
    stop: [],
    callerDialect: "openai",
    ...(text?.format && !compacts && { responseFormat: readFormat(text.format) }),
    ...(effort && { reasoning: { effort } }),
    ...(body.include?.includes(logprobsField) && { logprobs: present({ top: body.top_logprobs }) }),
    ...present({
      maxOutputTokens: body.max_output_tokens,
      temperature: body.temperature,
      topP: body.top_p,
      parallelToolCalls: body.parallel_tool_calls,
      endUser: body.user,
      serviceTier: body.service_tier,
    }),
    extra,
  };
  // The request for a summary is ours.
  if (request.messages.filter(({ role }) => role !== "system").length === Number(compacts)) {
    const message = "input holds nothing to answer: send at least one message or tool output.";
    throw new GatewayError("invalid_request", message, { param: "input" });
  }
  const { plan, max_llm_calls: maxLlmCalls } = body.svc ?? {};
  return {
    model: body.model,
    fallbacks: body.models ?? [],
    request,
    echo: readEcho(body),
    toolNames,
    searches,
    compacts,
    unsupported: listNames(names),
    svc: compacts ? { plan: "off" } : { plan: plan ?? "on", ...present({ maxLlmCalls }) },
  };
}

/** Where the hub's omissions are named as in a chat completion, and here otherwise. */
const namesHere: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  reasoning_effort: "reasoning.effort",
  reasoning_content: "input.reasoning",
  response_format: "text.format",
  "response_format.json_schema.schema": "text.format.schema",
  verbosity: "text.verbosity",
  logprobs: `include.${logprobsField}`,
  "image_url.detail": "input_image.detail",
  file: "input_file",
  "file.filename": "input_file.filename",
  "messages.images": "input.image_generation_call",
  "tool_calls.function.arguments": "input.function_call.arguments",
  "tools.custom.format": "tools.format",
});

export const renameOmission = (name: string): string => namesHere[name] ?? name;
