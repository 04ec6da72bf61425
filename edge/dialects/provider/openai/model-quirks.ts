/**
 * What some OpenAI models refuse, as data: the parameter is not sent to them and is named to the caller. Rows are matched against
 * OpenAI's model id; several may apply to one model. Every row names its source.
 */
import { type Effort, efforts } from "../../efforts.ts";

export type ModelQuirk = {
  models: RegExp;
  /** Parameters that these models refuse, by OpenAI's names. */
  refuses?: readonly string[];
  /** Models among these that accept the parameters when reasoning is turned off. */
  exceptWithoutReasoning?: RegExp;
  /** The only efforts of these models; a later matching row replaces an earlier one's. */
  efforts?: readonly Effort[];
  /** These models refuse function tools on chat completions unless their effort is "none", which is not their default. */
  toolsWithoutReasoning?: true;
  source: string;
};

const sampling = ["temperature", "top_p", "logprobs", "top_logprobs"] as const;
const penalties = ["presence_penalty", "frequency_penalty", "logit_bias"] as const;

const docs = "platform.openai.com/docs";
const effortReference = `${docs}/api-reference/chat/create (reasoning_effort)`;

const quirks: readonly ModelQuirk[] = [
  {
    // Reasoning models have no sampling parameters; from 5.1 to 5.x effort "none" gives these back, but no penalties.
    models: /^(o\d|codex-mini|gpt-([5-9]|\d\d)(?!-chat))/,
    refuses: sampling,
    exceptWithoutReasoning: /^gpt-5\.\d/,
    source: `${docs}/guides/reasoning (limitations), ${docs}/guides/latest-model (parameter compatibility)`,
  },
  {
    models: /^(o\d|codex-mini|gpt-([5-9]|\d\d)(?!-chat))/,
    refuses: penalties,
    source: `${docs}/guides/latest-model (parameter compatibility), github.com/vercel/ai/issues/10932`,
  },
  {
    // gpt-5 answers 400 unsupported_parameter.
    models: /^(o3(?!-mini)|o4|gpt-([5-9]|\d\d)(?!-chat))/,
    refuses: ["stop"],
    source: `${docs}/api-reference/chat/create (stop: not supported with o3 and o4-mini)`,
  },
  {
    // 400 unsupported_parameter.
    models: /^o\d/,
    refuses: ["parallel_tool_calls"],
    source: "github.com/langchain-ai/langchain/issues/29704",
  },
  {
    // Replaced by `prompt_cache_options`; 400 unsupported_parameter.
    models: /^gpt-(5\.([6-9]|\d\d)|[6-9]|\d\d)(?!.*-chat)/,
    refuses: ["prompt_cache_retention"],
    source: "github.com/NousResearch/hermes-agent/issues/91164",
  },
  {
    models: /^gpt-\w+(-mini)?-search/,
    refuses: [...sampling, ...penalties],
    source: `${docs}/guides/tools-web-search (chat completions)`,
  },
  {
    models: /^(gpt-[34]|chatgpt-|gpt-5-chat)/,
    refuses: ["reasoning_effort"],
    source: `${effortReference}: reasoning models`,
  },
  { models: /^o\d/, efforts: ["low", "medium", "high"], source: effortReference },
  { models: /^gpt-5(?!\.|-chat)/, efforts: ["minimal", "low", "medium", "high"], source: effortReference },
  { models: /^gpt-5\.1/, efforts: ["none", "low", "medium", "high"], source: effortReference },
  {
    models: /^(gpt-5\.1-codex-max|gpt-5\.([2-9]|\d\d)|gpt-([6-9]|\d\d))/,
    efforts: ["none", "low", "medium", "high", "xhigh"],
    source: effortReference,
  },
  {
    models: /^gpt-(5\.([6-9]|\d\d)|[6-9]|\d\d)/,
    efforts: ["none", "low", "medium", "high", "xhigh", "max"],
    source: "github.com/anomalyco/opencode/issues/36135, github.com/enricoros/big-AGI/issues/1159",
  },
  {
    // Responses takes "max" for some of them; "none" is refused everywhere.
    models: /^gpt-(6-astra|6\.1-sol|6\.([2-9]|\d\d)|[7-9]|\d\d)/,
    efforts: ["low", "medium", "high", "xhigh"],
    source: "github.com/BerriAI/litellm-docs/pull/1173, github.com/genkit-ai/genkit/pull/6303",
  },
  { models: /^gpt-5-pro/, efforts: ["high"], source: effortReference },
  {
    // 5.4 and 5.5 refuse an effort beside tools, from 5.6 on the default effort is refused too.
    models: /^gpt-(5\.([4-9]|\d\d)|[6-9]|\d\d)(?!.*-chat)/,
    toolsWithoutReasoning: true,
    source: "github.com/openai/openai-openapi/issues/541, github.com/BerriAI/litellm/pull/34569",
  },
];

/**
 * Models whose own effort is "none", so that they take sampling parameters unless another is asked for. (`…-pro` and `…-codex` think in any
 * case; github.com/BerriAI/litellm/pull/17011, github.com/langchain-ai/langchain/pull/35424)
 */
const restsByDefault = /^gpt-5\.[124](?!\d|.*-(?:chat|codex|pro))/;

/** Parameters `model` refuses. `reasoningOff`: whether its effort will be "none"; undefined leaves that to the model. */
export function findRefusedParameters(
  model: string,
  reasoningOff = restsByDefault.test(model),
): ReadonlySet<string> {
  const refused = new Set<string>();
  for (const { models, refuses, exceptWithoutReasoning } of quirks) {
    if (!models.test(model) || (reasoningOff && exceptWithoutReasoning?.test(model))) continue;
    for (const name of refuses ?? []) refused.add(name);
  }
  return refused;
}

/**
 * Whether `model` takes function tools on chat completions only with reasoning turned off. Of models that
 * cannot turn it off, OpenAI refuses tools there in any case (providers/refusal.ts says what to do then).
 */
export const needsReasoningOff = (model: string): boolean =>
  quirks.some(({ models, toolsWithoutReasoning }) => toolsWithoutReasoning === true && models.test(model)) &&
  fitEffort(model, "none") === "none";

/** The effort of `model` nearest to `wanted`, rather higher than lower. A word that is no effort stays as it is. */
export function fitEffort(model: string, wanted: unknown): unknown {
  const known = quirks.findLast(
    ({ models, efforts }) => efforts !== undefined && models.test(model),
  )?.efforts;
  const rank = efforts.indexOf(wanted as Effort);
  if (known === undefined || rank === -1 || known.includes(efforts[rank]!)) return wanted;
  const distance = (effort: Effort) => Math.abs(efforts.indexOf(effort) - rank);
  return known.reduce((best, effort) => (distance(effort) <= distance(best) ? effort : best));
}

/** Models that take custom tools as they are (platform.openai.com/docs/guides/function-calling, custom tools). */
export const takesCustomTools = (model: string): boolean => /^gpt-([5-9]|\d\d)(?!-chat)/.test(model);
