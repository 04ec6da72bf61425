/** A validated responses body as the hub's request, and the fields that concern only this service. */
import type { ChatRequest } from "../../../../shared/chat.ts";
import { GatewayError } from "../../../../shared/errors.ts";
import { createTable } from "../../../../shared/lookup-table.ts";
import { listNames, listUnread, readOthers } from "../../field-names.ts";
import { present } from "../../json.ts";
import { readFormat, schemaFields } from "../openai-requests.ts";
import { type AskedChat, toAskedChat } from "../svc-options.ts";
import { asksForCompaction } from "./compaction.ts";
import { readEcho } from "./read-echo.ts";
import { readInput } from "./read-message.ts";
import { gatherTools, type Note, readTools } from "./read-tools.ts";
import type { Echo } from "./reply-types.ts";
import { ResponsesRequest } from "./schema.ts";
import type { ToolNames } from "./tool-names.ts";

export type AskedResponse = AskedChat & {
  /** The request's fields that the response repeats. */
  echo: Echo;
  /** Converts between the caller's tool names and the hub's. */
  toolNames: ToolNames;
  /** Calls of `tool_search` are searches that the caller runs. */
  searches: boolean;
  /** The answer is to be a summary of the conversation. */
  compacts: boolean;
  /** Fields, tools and items that no provider is sent, by their names in this dialect. */
  unsupported: string[];
};

/** Fields of this API that chat completions do not have; OpenAI's models, too, are called through chat completions. */
const onlyHere: ReadonlySet<string> = new Set([
  "client_metadata",
  "context_management",
  "max_tool_calls",
  "moderation",
  "prompt_cache_diagnostics",
]);
/**
 * Fields of chat completions, left out and named as they were sent. Passed on, the first three would ask for several answers or an older
 * form of tools, which a response cannot hold, and the others would stand in for this API's own fields of another name.
 */
const onlyThere: ReadonlySet<string> = new Set([
  "function_call",
  "functions",
  "n",
  "reasoning_effort",
  "response_format",
]);
/** Fields that need kept requests. refuse-stateful.ts has refused any value; what is left is empty. */
const stateful: ReadonlySet<string> = new Set(["conversation", "prompt"]);

/** Top-level fields without a place in the hub that a provider of OpenAI's format may know. */
function readExtra(body: ResponsesRequest, note: Note): Record<string, unknown> {
  const extra: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(readOthers(body, ResponsesRequest))) {
    if (onlyHere.has(name) || onlyThere.has(name)) note(name);
    else if (!stateful.has(name)) extra[name] = value;
  }
  if (body.text?.verbosity) extra.verbosity = body.text.verbosity;
  return extra;
}

const logprobsField = "message.output_text.logprobs";
/** Values of `include` that ask for what our answers hold anyway, or that change the request. */
const included: ReadonlySet<string> = new Set([
  "reasoning.encrypted_content",
  "message.input_image.image_url",
  logprobsField,
]);

/** Fields of `reasoning` that are read, or ask for something that is always done. */
const reasoningFields: ReadonlySet<string> = new Set(["effort", "summary", "generate_summary"]);
/** Values of `context` and `mode` that ask for nothing special. */
const defaultModes: ReadonlySet<unknown> = new Set(["auto", "standard"]);

const isDeferred = ({ defer_loading: deferred }: Readonly<Record<string, unknown>>): boolean =>
  deferred === true;

function noteFields(body: ResponsesRequest, note: Note): void {
  const { include, store, truncation, stream_options, reasoning, text, tools } = body;
  listUnread("stream_options", stream_options, ["include_obfuscation"]).forEach(note);
  listUnread("text", text, ["format", "verbosity"]).forEach(note);
  listUnread("text.format", text?.format, ["type", ...schemaFields]).forEach(note);
  for (const [name, value] of Object.entries(present(reasoning ?? {})))
    if (!reasoningFields.has(name) && !defaultModes.has(value)) note(`reasoning.${name}`);
  for (const name of include ?? []) if (!included.has(name)) note(`include.${name}`);
  if (body.top_logprobs && !include?.includes(logprobsField)) note("top_logprobs");
  if (store) note("store");
  if (truncation === "auto") note("truncation");
  // The model is told of these tools at once. Those that a search has found are no longer deferred.
  if (tools?.some((tool) => [tool, ...(tool.tools ?? [])].some(isDeferred))) note("tools.defer_loading");
  // We never pad our events, so only a request for padding cannot be met.
  if (stream_options?.include_obfuscation) note("stream_options.include_obfuscation");
}

/** `body` must hold no item references. Throws GatewayError invalid_request. */
export function readResponsesRequest(body: ResponsesRequest): AskedResponse {
  const names = new Set<string>();
  const note: Note = (name) => void names.add(name);
  const { names: toolNames, searches, ...own } = readTools(gatherTools(body), body.tool_choice, note);
  const { instructions, text, reasoning } = body;
  const extra = readExtra(body, note);
  noteFields(body, note);
  const compacts = asksForCompaction(body.input);
  const system = instructions
    ? [{ role: "system" as const, parts: [{ type: "text" as const, text: instructions }] }]
    : [];
  const said = readInput(body.input, toolNames, note);
  // The request for a summary, which we have added, does not count.
  if (said.length === Number(compacts)) {
    const message = "input holds nothing to answer: send at least one message or tool output.";
    throw new GatewayError("invalid_request", message, { param: "input" });
  }
  const request: ChatRequest = {
    messages: [...system, ...said],
    ...own,
    // The tools stay: providers demand those that the history calls, and their prompt caches cover the tools.
    ...(compacts && own.tools.length > 0 && { toolChoice: { type: "none" as const } }),
    stream: body.stream ?? false,
    choices: 1,
    stop: [],
    callerDialect: "openai",
    ...(text?.format && !compacts && { responseFormat: readFormat(text.format) }),
    ...(reasoning?.effort && { reasoning: { effort: reasoning.effort } }),
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
  return {
    ...toAskedChat(body, request),
    ...(compacts && { svc: { plan: "off" } }),
    echo: readEcho(body),
    toolNames,
    searches,
    compacts,
    unsupported: listNames(names),
  };
}

/** Names of left-out fields that differ from those of chat completions. */
const namesHere = createTable({
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
