/**
 * A chat request as the body of `generateContent` and `streamGenerateContent`. Owns generationConfig and
 * tools; content and reasoning have files of their own. What the model refuses is left out and named.
 * ai.google.dev/api/generate-content
 */
import type { ChatRequest, ToolChoice } from "../../../../shared/chat.ts";
import { present } from "../../json.ts";
import { asObjectSchema } from "../../parameter-schema.ts";
import type { ProviderRequest, ProviderTarget } from "../dialect.ts";
import {
  asksForTool,
  createOmissions,
  fitToolChoice,
  nameAsked,
  nameGrammars,
  nameMarks,
  type Omissions,
} from "../omissions.ts";
import { type ModelQuirks, readModelQuirks } from "./model-quirks.ts";
import { writeMessages } from "./write-messages.ts";
import { writeReasoning } from "./write-reasoning.ts";

const maxStopSequences = 5;
const noMarks: ReadonlySet<string> = new Set();
/** `seed` is an int32 here; OpenAI's is an int64. */
const seedLimit = 2 ** 31;

/** The key never goes into the path: the provider registry puts it in a header. */
export function writeRequest(request: ChatRequest, target: ProviderTarget): ProviderRequest {
  const quirks = readModelQuirks(target.model);
  const omissions = createOmissions(request, "gemini");
  const { system, contents } = writeMessages(request, quirks, omissions);
  noteUnsupported(request, omissions);
  const generationConfig = writeGenerationConfig(request, target, quirks, omissions);
  const body = {
    ...(request.callerDialect === "gemini" ? request.extra : {}),
    contents,
    ...(system.length > 0 ? { systemInstruction: { parts: system } } : {}),
    ...writeTools(request, quirks, omissions),
    ...(Object.keys(generationConfig).length > 0 ? { generationConfig } : {}),
    ...writeServiceTier(request, omissions),
  };
  const method = request.stream ? "streamGenerateContent?alt=sse" : "generateContent";
  return {
    path: `/models/${encodeURIComponent(target.model)}:${method}`,
    body,
    headers: {},
    unsupported: omissions.list(),
  };
}

/** Names fields that this API does not have, unless their value has no effect. */
function noteUnsupported(request: ChatRequest, omissions: Omissions): void {
  const { logitBias, endUser, metadata, tools, parallelToolCalls } = request;
  nameAsked({ logitBias, endUser, metadata, ...(tools.length > 0 && { parallelToolCalls }) }, omissions);
}

/**
 * The tiers beside the standard one, which applies if none is named
 * (ai.google.dev/gemini-api/docs/optimization).
 */
function writeServiceTier({ serviceTier }: ChatRequest, omissions: Omissions) {
  if (serviceTier === "flex" || serviceTier === "priority") return { serviceTier };
  if (serviceTier !== undefined && serviceTier !== "auto" && serviceTier !== "default")
    omissions.add("serviceTier");
  return {};
}

function writeGenerationConfig(
  request: ChatRequest,
  target: ProviderTarget,
  quirks: ModelQuirks,
  omissions: Omissions,
): Record<string, unknown> {
  const { temperature, topP, presencePenalty, frequencyPenalty } = request;
  const maxOutputTokens = smaller(request.maxOutputTokens, target.maxOutputTokens);
  const stop = request.stop.filter((sequence) => sequence !== "");
  if (stop.length > maxStopSequences) omissions.add("stop");
  const seedFits = request.seed !== undefined && request.seed >= -seedLimit && request.seed < seedLimit;
  if (request.seed !== undefined && !seedFits) omissions.add("seed");
  return present({
    maxOutputTokens,
    // A `top_k` of 0 means none (OpenRouter's default), and is refused here: the smallest is 1.
    ...takeIf(quirks.sampling, { temperature, topP, topK: request.topK || undefined }, omissions),
    seed: seedFits ? request.seed : undefined,
    stopSequences: stop.length > 0 ? stop.slice(0, maxStopSequences) : undefined,
    ...takeIf(quirks.penalties, { presencePenalty, frequencyPenalty }, omissions),
    ...writeLogprobs(request, quirks, omissions),
    ...writeResponseFormat(request, quirks, omissions),
    thinkingConfig: writeReasoning(request.reasoning, quirks, maxOutputTokens, omissions),
  });
}

/** The settings, whose names are the same in this API, if the model takes them; else nothing, and they are named. */
function takeIf(taken: boolean, settings: Parameters<typeof nameAsked>[0], omissions: Omissions) {
  if (taken) return settings;
  nameAsked(settings, omissions);
  return {};
}

function writeLogprobs({ logprobs }: ChatRequest, quirks: ModelQuirks, omissions: Omissions) {
  if (logprobs === undefined) return {};
  if (quirks.logprobs) return { responseLogprobs: true, logprobs: logprobs.top || undefined };
  omissions.add("logprobs");
  return {};
}

const takesFormat = ({ tools }: ChatRequest, quirks: ModelQuirks): boolean =>
  tools.length === 0 || quirks.jsonWithTools;

/** Whether the provider itself enforces the format asked for. */
export const enforcesFormat = (request: ChatRequest, { model }: ProviderTarget): boolean =>
  takesFormat(request, readModelQuirks(model));

/** The schema is sent whole, as JSON Schema: the API itself ignores keywords it does not know. */
function writeResponseFormat(request: ChatRequest, quirks: ModelQuirks, omissions: Omissions) {
  const { responseFormat } = request;
  if (responseFormat === undefined || responseFormat.type === "text") return {};
  if (!takesFormat(request, quirks)) {
    omissions.add("responseFormat");
    return {};
  }
  const responseMimeType = "application/json";
  if (responseFormat.type === "json") return { responseMimeType };
  const { schema, description } = responseFormat;
  return { responseMimeType, responseJsonSchema: { ...present({ description }), ...schema } };
}

/** `parametersJsonSchema` keeps a schema whole; the older `parameters` has no $ref and no unions. */
function writeTools(
  request: ChatRequest,
  quirks: ModelQuirks,
  omissions: Omissions,
): Record<string, unknown> {
  const { tools } = request;
  if (tools.length === 0) {
    if (asksForTool(request)) omissions.add("toolChoice");
    return {};
  }
  const functionDeclarations = tools.map(({ name, description, parameters }) =>
    present({ name, description, parametersJsonSchema: parameters && asObjectSchema(parameters) }),
  );
  for (const tool of tools) nameMarks(tool, noMarks, omissions);
  nameGrammars(tools, omissions);
  const strict = tools.some((tool) => tool.strict === true);
  if (strict && !quirks.validatedMode) omissions.add("strictTools");
  const functionCallingConfig = writeToolChoice(
    fitToolChoice(request, omissions),
    strict && quirks.validatedMode,
  );
  return {
    tools: [{ functionDeclarations }],
    ...(functionCallingConfig === undefined ? {} : { toolConfig: { functionCallingConfig } }),
  };
}

/** ANY enforces the schema of calls; VALIDATED does so while the model may also answer in text. */
function writeToolChoice(toolChoice: ToolChoice | undefined, validated: boolean) {
  if (toolChoice?.type === "none") return { mode: "NONE" };
  if (toolChoice?.type === "required") return { mode: "ANY" };
  if (toolChoice?.type === "tool") return { mode: "ANY", allowedFunctionNames: [toolChoice.name] };
  if (validated) return { mode: "VALIDATED" };
  return toolChoice === undefined ? undefined : { mode: "AUTO" };
}

function smaller(wanted: number | undefined, cap: number | undefined): number | undefined {
  return wanted === undefined || cap === undefined ? (wanted ?? cap) : Math.min(wanted, cap);
}
