/**
 * A request of the hub as the body of an OpenAI-format chat completion, and whether the server itself enforces the format asked
 * for. What the provider or the model refuses is not sent, and is named unless it states a default.
 */
import type { ChatRequest, ResponseFormat } from "../../../../shared/chat.ts";
import type { ResponseFormats } from "../../../catalog/model.ts";
import { listCustomTools } from "../../custom-tools.ts";
import type { ProviderRequest, ProviderTarget, ToolNameRule } from "../dialect.ts";
import { toFittingName } from "../fit-tools.ts";
import {
  asksForTool,
  createOmissions,
  fitToolChoice,
  type Omissions,
  type Setting,
  settingDefaults,
  settingNames,
  writePlainMessages,
} from "../omissions.ts";
import { refuseEmptied } from "../refuse-emptied.ts";
import { readsMarks } from "./aggregator.ts";
import type { WireFlavour } from "./flavour.ts";
import { findRefusedParameters, fitEffort, needsReasoningOff, takesCustomTools } from "./model-quirks.ts";
import { type ContentContext, writeUserPart } from "./write-media.ts";
import { writeMessages } from "./write-messages.ts";
import { writeToolChoice, writeTools } from "./write-tools.ts";

/** Settings by wire name, to name in `x-svc-unsupported` what a model refuses. */
const settingsByName: Readonly<Record<string, Setting>> = {
  ...Object.fromEntries(Object.entries(settingNames).map(([setting, name]) => [name, setting as Setting])),
  top_logprobs: "logprobs",
  reasoning: "reasoning",
};

/** Values that mean the same as leaving the parameter out, by wire name. */
const defaults: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(
    Object.entries(settingDefaults).map(([setting, value]) => [settingNames[setting as Setting], value]),
  ),
  reasoning_effort: "none",
};

const noTools: ReadonlySet<string> = new Set();

/** The API takes at most this many stop sequences (API reference of `stop`). */
const maxStops = 4;

/** Google refuses a JSON format together with tools before Gemini 3 (ai.google.dev/gemini-api/docs/gemini-3). */
const refusesFormatWithTools = /gemini-[12]\b/;

/**
 * These vendors refuse a history of calls without `reasoning_content`, which others refuse as an unknown field
 * (api-docs.deepseek.com/guides/thinking_mode, github.com/decolua/9router/issues/355).
 */
const namesReasoningContent = /deepseek|kimi|mimo/i;

/** Which formats the server enforces for this request. */
function findEnforcedFormats(
  { tools }: ChatRequest,
  { model, formats }: ProviderTarget,
  flavour: WireFlavour,
): ResponseFormats {
  if (!flavour.servesVendors) return "schema";
  if (tools.length > 0 && refusesFormatWithTools.test(model)) return "none";
  return formats ?? "schema";
}

/** Whether the server itself enforces the format asked for. */
export function enforcesFormat(request: ChatRequest, target: ProviderTarget, flavour: WireFlavour): boolean {
  const { responseFormat: format } = request;
  if (format === undefined || format.type === "text") return true;
  const enforced = findEnforcedFormats(request, target, flavour);
  return enforced === "schema" || (enforced === "json" && format.type === "json");
}

/** Where a request goes, and what is left out of it on the way. */
type Destination = { target: ProviderTarget; flavour: WireFlavour; omissions: Omissions };

/** The part of the format that the model takes; what is left out is named. */
function writeResponseFormat(request: ChatRequest, { target, flavour, omissions }: Destination) {
  const { responseFormat: format } = request;
  if (format === undefined || enforcesFormat(request, target, flavour)) return format && writeFormat(format);
  if (findEnforcedFormats(request, target, flavour) === "json") {
    omissions.add("responseSchema");
    return writeFormat({ type: "json" });
  }
  omissions.add("responseFormat");
  return undefined;
}

/** API reference, tools.function.name and response_format.json_schema.name. */
export const openaiNames: ToolNameRule = { fits: /^[\w-]{1,64}$/, maxChars: 64, first: /^[\w-]/ };

function writeFormat(format: ResponseFormat) {
  if (format.type !== "json-schema") return { type: format.type === "json" ? "json_object" : "text" };
  const { type: _type, name, ...schema } = format;
  // The answer does not repeat the name, so a fitted one needs no way back.
  return { type: "json_schema", json_schema: { name: toFittingName(name, openaiNames), ...schema } };
}

/** The reasoning budget, kept below the output limit that includes it: the aggregator refuses a larger one. */
function fitReasoning({ reasoning, maxOutputTokens }: ChatRequest, target: ProviderTarget) {
  const limit = target.maxOutputTokens ?? maxOutputTokens;
  const budget = reasoning?.budgetTokens;
  if (limit === undefined || budget === undefined || budget < limit) return reasoning;
  return { ...reasoning, budgetTokens: limit - 1 };
}

/** Parameters by wire name; undefined ones are not sent. */
function writeParameters(request: ChatRequest, custom: ReadonlySet<string>, destination: Destination) {
  const { target, flavour, omissions } = destination;
  const { logprobs, stop, tools } = request;
  const hasTools = tools.length > 0;
  // Without tools a choice has no meaning, and the API refuses it.
  const toolChoice = hasTools ? fitToolChoice(request, omissions) : undefined;
  return {
    [flavour.outputLimit]: target.maxOutputTokens ?? request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    top_k: request.topK,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    stop: stop.length > 0 ? stop.slice(0, maxStops) : undefined,
    seed: request.seed,
    n: flavour.takesChoices && request.choices > 1 ? request.choices : undefined,
    logprobs: logprobs && true,
    top_logprobs: logprobs?.top,
    logit_bias: request.logitBias,
    service_tier: request.serviceTier,
    response_format: writeResponseFormat(request, destination),
    tool_choice: toolChoice && writeToolChoice(toolChoice, custom),
    parallel_tool_calls: hasTools ? request.parallelToolCalls : undefined,
    ...flavour.writeReasoning(fitReasoning(request, target), request.extra),
  };
}

/** What OpenAI's model takes of the request. For another vendor's, `model` is undefined: it takes all but what the flavour leaves out. */
function findLimits({ tools, reasoning }: ChatRequest, target: ProviderTarget, flavour: WireFlavour) {
  const model = flavour.openaiModel(target.model);
  const native = flavour.takesCustomTools && model !== undefined && takesCustomTools(model);
  const onlyOff =
    model !== undefined && tools.length > 0 && !flavour.takesToolsWithReasoning && needsReasoningOff(model);
  const reasoningOff = onlyOff || (reasoning && reasoning.effort === "none");
  const refused = new Set(model === undefined ? [] : findRefusedParameters(model, reasoningOff));
  if (!flavour.takesTopK) refused.add("top_k");
  const toEffort = (effort: unknown) =>
    onlyOff ? "none" : model === undefined ? effort : fitEffort(model, effort);
  return { model, refused, toEffort, customTools: native ? listCustomTools(tools) : noTools };
}

const fitsUser = ({ endUser }: ChatRequest, { maxUserChars }: WireFlavour): boolean =>
  endUser !== undefined && endUser.length <= maxUserChars;

/** Names what is left out, or changed, whatever the model is. */
function nameOmitted(request: ChatRequest, { target, flavour, omissions }: Destination) {
  const { stop, tools, reasoning, endUser } = request;
  if (stop.length > maxStops) omissions.add("stop");
  if (tools.length === 0 && asksForTool(request)) omissions.add("toolChoice");
  if (fitReasoning(request, target) !== reasoning) omissions.add("reasoning");
  if (endUser !== undefined && !fitsUser(request, flavour)) omissions.add("endUser");
}

export function writeRequest(
  request: ChatRequest,
  target: ProviderTarget,
  flavour: WireFlavour,
): ProviderRequest {
  const fromOpenai = request.callerDialect === "openai";
  const omissions = createOmissions(request, "openai");
  const destination = { target, flavour, omissions };
  const { model, refused, toEffort, customTools } = findLimits(request, target, flavour);
  const context: ContentContext = {
    flavour: flavour.messages,
    fromOpenai,
    omissions,
    userTextAsParts: request.userTextAsParts,
    customTools,
    namesReasoningContent: namesReasoningContent.test(target.model),
    refusesLongIds: model !== undefined,
    marksResults: readsMarks.test(target.model),
  };
  nameOmitted(request, destination);
  refuseEmptied(request, "openai", (part) => writeUserPart(part, context), omissions);
  const { tools } = request;
  const body: Record<string, unknown> = {
    model: target.model,
    ...(fitsUser(request, flavour) && { user: request.endUser }),
    messages: writeMessages(writePlainMessages(request, "openai", omissions), context),
    ...(tools.length > 0 && { tools: writeTools(tools, target.model, flavour, context) }),
  };
  const parameters = writeParameters(request, customTools, destination);
  for (const [name, given] of Object.entries(parameters)) {
    const value = name === "reasoning_effort" ? toEffort(given) : given;
    if (value === undefined) continue;
    if (given !== undefined && value !== given && !refused.has(name)) omissions.add("reasoning");
    if (!refused.has(name)) body[name] = value;
    else if (value !== defaults[name]) omissions.add(settingsByName[name] ?? "opaqueContent");
  }
  const takesField = (name: string) => flavour.takesExtra(name) && !refused.has(name);
  if (fromOpenai) addOwnFields(body, request, takesField, omissions);
  else if (Object.keys(request.metadata ?? {}).some((name) => name !== "user_id")) omissions.add("metadata");
  const stream = request.stream ? { stream: true, stream_options: { include_usage: true } } : {};
  return {
    path: "/chat/completions",
    body: { ...body, ...stream, ...flavour.usage },
    headers: {},
    unsupported: omissions.list(),
  };
}

/**
 * Adds the fields that only callers of this format send: metadata, and fields without a place in the hub. None replaces what has been
 * written: `messages` in a body of Responses would be another conversation than the one that was planned over.
 */
function addOwnFields(
  body: Record<string, unknown>,
  { metadata, extra }: ChatRequest,
  takesField: (name: string) => boolean,
  omissions: Omissions,
): void {
  if (metadata !== undefined) body.metadata = metadata;
  for (const [name, value] of Object.entries(extra)) {
    const isWritten = name in body;
    if (takesField(name) && !isWritten) body[name] = value;
    else if (takesField(name) || !isWritten) omissions.name(name);
  }
}
