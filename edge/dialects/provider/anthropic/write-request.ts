/**
 * A chat request as the body of `POST /messages`, and of the request that counts its tokens. Owns the scalar fields; content,
 * tools and reasoning have files of their own. What the model refuses is left out and named, never dropped in silence.
 */
import { z } from "zod";
import type { ChatRequest } from "../../../../shared/chat.ts";
import { createTable } from "../../../../shared/lookup-table.ts";
import { anthropicVersion } from "../../anthropic-version.ts";
import { present, readObject } from "../../json.ts";
import type { ProviderRequest, ProviderTarget } from "../dialect.ts";
import { createOmissions, nameAsked, type Omissions } from "../omissions.ts";
import { type ModelQuirks, readModelQuirks } from "./model-quirks.ts";
import { adaptSchema, isRecursive } from "./output-schema.ts";
import { type Turn, writeMessages } from "./write-messages.ts";
import { fitThinking, keepDisplay, takesThinking, writeReasoning } from "./write-reasoning.ts";
import { forcesTool, writeTools } from "./write-tools.ts";

/** `max_tokens` if neither caller, pool nor catalogue gives a number: every Claude accepts it. */
const fallbackMaxTokens = 4_096;

/** platform.claude.com/docs/en/api/messages */
export function writeRequest(request: ChatRequest, target: ProviderTarget): ProviderRequest {
  const quirks = readModelQuirks(target.model);
  const omissions = createOmissions(request, "anthropic");
  const fromAnthropic = request.callerDialect === "anthropic";
  const maxTokens = resolveMaxTokens(request, target);
  const { system, turns } = writeMessages(request, quirks, omissions);
  const setting = { maxTokens, forcesTool: forcesTool(request, quirks), turns };
  const own: Readonly<Record<string, unknown>> = (fromAnthropic && request.verbatim) || {};
  const isOwn = ("thinking" in own || "output_config" in own) && takesThinking(own.thinking, quirks);
  const { thinking, effort } = isOwn
    ? keepReasoning(own, request, maxTokens, omissions)
    : keepDisplay(writeReasoning(request.reasoning, quirks, setting, omissions), own.thinking);
  const thinks = thinking?.type === "enabled" || thinking?.type === "adaptive";
  const stop = request.stop.filter((sequence) => sequence.trim() !== "");
  if (stop.length < request.stop.length) omissions.add("stop");
  noteUnsupported(request, omissions);
  const extra: Readonly<Record<string, unknown>> = fromAnthropic ? keepCacheMark(request, turns) : {};
  const { effort: _effort, ...format } =
    "output_config" in own
      ? fitOutputConfig(own.output_config, request, quirks, omissions)
      : writeResponseFormat(request, quirks, omissions);
  const outputConfig = { ...present({ effort }), ...format };
  const metadata = { ...(fromAnthropic ? request.metadata : {}), ...writeEndUser(request, omissions) };
  const body = {
    ...extra,
    model: target.model,
    max_tokens: maxTokens,
    stream: request.stream,
    ...(system.length > 0 ? { system } : {}),
    messages: turns.map(writeTurn),
    ...writeTools(request, quirks, omissions),
    ...writeSampling(request, quirks, thinks, omissions),
    ...(stop.length > 0 ? { stop_sequences: stop } : {}),
    ...(thinking === undefined ? {} : { thinking }),
    ...(Object.keys(outputConfig).length > 0 ? { output_config: outputConfig } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...writeServiceTier(request, omissions),
  };
  return {
    path: "/messages",
    body,
    headers: { "anthropic-version": anthropicVersion, ...(fromAnthropic ? request.providerHeaders : {}) },
    unsupported: omissions.list(),
  };
}

/**
 * The caller's other fields. Anthropic would put a `cache_control` among them on the last block. If that is ours, no later request has it,
 * so the mark goes onto the caller's own last block, in `turns`.
 */
function keepCacheMark({ extra, added }: ChatRequest, turns: Turn[]): ChatRequest["extra"] {
  const { cache_control: cacheControl, ...others } = extra;
  const at = turns.findLastIndex(({ role }) => role === "user");
  const own = (turns[at]?.content.length ?? 0) - (added?.texts.length ?? 0) - 1;
  if (cacheControl == null || added === undefined || own < 0) return extra;
  const { content, ...turn } = turns[at]!;
  const marked = { cache_control: cacheControl, ...content[own]! };
  turns[at] = { ...turn, content: content.with(own, marked) };
  return others;
}

const writeTurn = ({ role, content, own }: Turn) =>
  own === undefined ? { role, content } : { role, ...own, ...(content.length > 0 && { content }) };

function resolveMaxTokens({ maxOutputTokens }: ChatRequest, target: ProviderTarget): number {
  const wanted = maxOutputTokens ?? target.maxOutputTokens ?? target.outputLimit ?? fallbackMaxTokens;
  return Math.min(wanted, target.maxOutputTokens ?? wanted);
}

/** The caller's own thinking and effort, with the budget below the output limit. */
function keepReasoning(
  { thinking, output_config }: Readonly<Record<string, unknown>>,
  request: ChatRequest,
  maxTokens: number,
  omissions: Omissions,
) {
  return {
    thinking: interleaves(request) ? readObject(thinking) : fitThinking(thinking, maxTokens, omissions),
    effort: readObject(output_config)?.effort,
  };
}

/**
 * With this beta the budget covers all thinking of a turn, so it may exceed the output limit
 * (…/docs/en/build-with-claude/extended-thinking).
 */
const interleaves = ({ providerHeaders }: ChatRequest): boolean =>
  /interleaved-thinking/.test(providerHeaders?.["anthropic-beta"] ?? "");

/** Names fields that the Messages API does not have, unless their value has no effect. */
function noteUnsupported(request: ChatRequest, omissions: Omissions): void {
  const { seed, logprobs, logitBias, presencePenalty, frequencyPenalty, callerDialect, metadata } = request;
  nameAsked({ seed, logprobs, logitBias, presencePenalty, frequencyPenalty }, omissions);
  if (callerDialect !== "anthropic") nameAsked({ metadata }, omissions);
}

/**
 * Longest `metadata.user_id`, and what it must not look like: the API refuses the request
 * (github.com/BerriAI/litellm/issues/10106).
 */
const maxUserChars = 256;
const personal = /\S@\S+\.\S|^\+\d[\d\s().-]{6,}$/;

/**
 * The caller's end user. Of other dialects' callers it may be an e-mail address or a telephone number, which
 * OpenAI takes.
 */
function writeEndUser({ endUser, callerDialect }: ChatRequest, omissions: Omissions) {
  if (endUser === undefined) return {};
  const fits = endUser.length <= maxUserChars && !personal.test(endUser);
  if (fits || callerDialect === "anthropic") return { user_id: endUser };
  omissions.add("endUser");
  return {};
}

/** The caller's own `output_config`, without a format that the model would refuse. */
function fitOutputConfig(
  config: unknown,
  request: ChatRequest,
  quirks: ModelQuirks,
  omissions: Omissions,
): Record<string, unknown> {
  const { format, ...others } = config as Record<string, unknown>;
  if (format == null || takesFormat(request, quirks)) return config as Record<string, unknown>;
  omissions.add("responseFormat");
  return others;
}

/**
 * Temperature goes up to 1 here, with OpenAI up to 2. With thinking, and for the newest models, only default values are accepted:
 * these are left out without being named. Some models accept one of temperature and top_p: temperature is kept, unless it is the
 * default.
 */
function writeSampling(request: ChatRequest, quirks: ModelQuirks, thinks: boolean, omissions: Omissions) {
  const { temperature: wanted, topK } = request;
  const temperature = wanted === undefined ? undefined : Math.min(wanted, 1);
  if (temperature !== wanted) omissions.add("temperature");
  const topP = request.topP === 1 ? undefined : request.topP;
  const onlyDefaults = thinks || quirks.sampling === "none";
  if (onlyDefaults) {
    nameAsked({ temperature, topP, topK }, omissions);
    return {};
  }
  const rival = quirks.sampling === "one-of" && topP !== undefined && temperature !== undefined;
  const keepTemperature = temperature !== undefined && !(rival && temperature === 1);
  const keepTopP = topP !== undefined && !(rival && keepTemperature);
  if (topP !== undefined && !keepTopP) omissions.add("topP");
  return present({
    temperature: keepTemperature ? temperature : undefined,
    top_p: keepTopP ? topP : undefined,
    top_k: topK,
  });
}

/** A recursive schema goes to the API only as its own caller sent it. */
function takesFormat({ responseFormat: format, callerDialect }: ChatRequest, quirks: ModelQuirks): boolean {
  if (!quirks.structuredOutput || format?.type === "json") return false;
  if (format?.type !== "json-schema" || callerDialect === "anthropic") return true;
  return !isRecursive(adaptSchema(format.schema).schema);
}

/** Whether the provider itself enforces the format asked for. */
export const enforcesFormat = (request: ChatRequest, { model }: ProviderTarget): boolean =>
  takesFormat(request, readModelQuirks(model));

/** The provider enforces a JSON schema. It has no form for "any JSON", and its oldest models none at all. */
function writeResponseFormat(
  request: ChatRequest,
  quirks: ModelQuirks,
  omissions: Omissions,
): Record<string, unknown> {
  const { responseFormat } = request;
  if (responseFormat === undefined || responseFormat.type === "text") return {};
  if (responseFormat.type === "json" || !takesFormat(request, quirks)) {
    omissions.add("responseFormat");
    return {};
  }
  const { schema, exact } = adaptSchema(responseFormat.schema);
  if (!exact) omissions.add("responseSchema");
  const described =
    responseFormat.description === undefined ? {} : { description: responseFormat.description };
  return { format: { type: "json_schema", schema: { ...described, ...schema } } };
}

const serviceTiers = createTable<string>({
  auto: "auto",
  default: "standard_only",
  standard_only: "standard_only",
});

function writeServiceTier({ serviceTier }: ChatRequest, omissions: Omissions) {
  if (serviceTier === undefined) return {};
  const tier = serviceTiers[serviceTier];
  if (tier === undefined) omissions.add("serviceTier");
  return tier === undefined ? {} : { service_tier: tier };
}

/** Fields of an answer, which the token counter refuses. */
const answerFields = [
  "max_tokens",
  "stream",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "metadata",
  "service_tier",
];

const Reply = z.looseObject({ input_tokens: z.int().min(0) });

export const tokenCounter = {
  writeRequest(request: ChatRequest, target: ProviderTarget): ProviderRequest {
    const written = writeRequest(request, target);
    const body = Object.fromEntries(
      Object.entries(written.body).filter(([name]) => !answerFields.includes(name)),
    );
    return { ...written, path: "/messages/count_tokens", body };
  },
  readReply: (body: unknown): number | undefined => Reply.safeParse(body).data?.input_tokens,
};
