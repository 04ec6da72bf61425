/**
 * What single OpenAI models refuse, as data: the parameter is not sent to them and is named to the caller.
 * Rows are matched against OpenAI's model id; several may apply to one model.
 */

export type ModelQuirk = {
  models: RegExp;
  /** Wire names of OpenAI that these models refuse. */
  refuses: readonly string[];
  /** These models take the parameters after all when the caller turns reasoning off. */
  exceptWithoutReasoning?: RegExp;
};

const sampling = [
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "logprobs",
  "top_logprobs",
  "logit_bias",
] as const;

const quirks: readonly ModelQuirk[] = [
  // Reasoning models have no sampling parameters; from 5.1 to 5.x effort "none" gives them back.
  // platform.openai.com/docs/guides/reasoning#limitations, …/docs/guides/latest-model (parameter compatibility)
  {
    models: /^(o\d|codex-mini|gpt-([5-9]|\d\d)(?!-chat))/,
    refuses: sampling,
    exceptWithoutReasoning: /^gpt-5\.\d/,
  },
  // API reference of `stop`: not supported with o3 and o4-mini; gpt-5 answers 400 unsupported_parameter.
  { models: /^(o3(?!-mini)|o4|gpt-([5-9]|\d\d)(?!-chat))/, refuses: ["stop"] },
  // The o series answers 400 unsupported_parameter (github.com/langchain-ai/langchain/issues/29704).
  { models: /^o\d/, refuses: ["parallel_tool_calls"] },
  // Search models sample on their own (platform.openai.com/docs/guides/tools-web-search, chat completions).
  { models: /^gpt-\w+(-mini)?-search/, refuses: sampling },
  // Effort belongs to reasoning models (API reference of `reasoning_effort`).
  { models: /^(gpt-[34]|chatgpt-|gpt-5-chat)/, refuses: ["reasoning_effort"] },
];

/** Parameters `model` refuses. `reasoningOff`: the caller asked for effort "none". */
export function findRefusedParameters(model: string, reasoningOff: boolean): ReadonlySet<string> {
  const refused = new Set<string>();
  for (const { models, refuses, exceptWithoutReasoning } of quirks) {
    if (!models.test(model) || (reasoningOff && exceptWithoutReasoning?.test(model))) continue;
    for (const name of refuses) refused.add(name);
  }
  return refused;
}
