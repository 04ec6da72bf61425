/**
 * How the servers that speak OpenAI's format differ: OpenAI's own API, and the aggregator's (OpenRouter, or a local server in its
 * place). The rest of the format is the same.
 */
import type { ChatRequest } from "../../../../shared/chat.ts";
import type { Effort } from "../../efforts.ts";

export type WireFlavour = {
  /** Takes `n` > 1 in one call. */
  takesChoices: boolean;
  outputLimit: "max_completion_tokens" | "max_tokens";
  takesTopK: boolean;
  /** Takes `custom` tools for models that have them. */
  takesCustomTools: boolean;
  /** Serves many vendors' models: what each takes is read from its list, or known of the vendor. */
  servesVendors: boolean;
  /** Takes function tools together with reasoning for every model: the aggregator calls OpenAI's Responses API. */
  takesToolsWithReasoning: boolean;
  /** Longest `user`; a longer one is refused with 400. */
  maxUserChars: number;
  /** Body fields that ask for usage, beside `stream_options`. */
  usage: Readonly<Record<string, unknown>>;
  writeReasoning(reasoning: ChatRequest["reasoning"], extra: ChatRequest["extra"]): Record<string, unknown>;
  /** Which fields without a place in the hub are sent on. */
  takesExtra(name: string): boolean;
  /** The OpenAI model id behind the provider's, for the quirks of OpenAI's models. */
  openaiModel(model: string): string | undefined;
  messages: MessageFlavour;
};

export type MessageFlavour = {
  /** Takes the role `developer`; otherwise `system`, its older name, is sent. */
  developerRole: boolean;
  /** Takes reasoning of earlier turns, and Gemini's thought signatures. */
  reasoning: boolean;
  /** Some models or servers refuse a history with calls whose arguments are not a JSON object. */
  objectArguments: boolean;
  /** Takes pictures of earlier answers (`images`). */
  answerImages: boolean;
  /** Fields of a content part or tool that are not the hub's, sent on under their own names. */
  partFields: ReadonlySet<string>;
  /** Takes files by URL; OpenAI takes only data and its own file ids. */
  fileUrls: boolean;
  fileIds: boolean;
  /** Takes `original`, the highest detail of a picture. */
  originalDetail: boolean;
  /** Audio formats of `input_audio`; undefined where the list depends on the model. */
  audioFormats: ReadonlySet<string> | undefined;
};

/** OpenAI has no token budget for reasoning: returns an effort instead, by the budgets that OpenRouter gives to efforts. */
function nearestEffort(budgetTokens: number): Effort {
  if (budgetTokens < 1_024) return "minimal";
  if (budgetTokens < 4_096) return "low";
  return budgetTokens < 16_384 ? "medium" : "high";
}

/** Fields of OpenAI's API reference that have no place in the hub. */
const openaiFields: ReadonlySet<string> = new Set([
  "audio",
  "modalities",
  "moderation",
  "prediction",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "safety_identifier",
  "store",
  "verbosity",
  "web_search_options",
]);

export const alphaFlavour: WireFlavour = {
  takesChoices: true,
  outputLimit: "max_completion_tokens",
  takesTopK: false,
  takesCustomTools: true,
  servesVendors: false,
  takesToolsWithReasoning: false,
  // github.com/maximhq/bifrost/pull/1000
  maxUserChars: 64,
  usage: {},
  writeReasoning(reasoning) {
    const budget = reasoning?.budgetTokens;
    return {
      reasoning_effort: reasoning?.effort ?? (budget === undefined ? undefined : nearestEffort(budget)),
    };
  },
  takesExtra: (name) => openaiFields.has(name),
  openaiModel: (model) => model,
  messages: {
    developerRole: true,
    reasoning: false,
    objectArguments: false,
    answerImages: false,
    partFields: new Set(["prompt_cache_breakpoint"]),
    fileUrls: false,
    fileIds: true,
    originalDetail: true,
    audioFormats: new Set(["wav", "mp3"]),
  },
};

export const routerFlavour: WireFlavour = {
  takesChoices: false,
  outputLimit: "max_tokens",
  takesTopK: true,
  takesCustomTools: false,
  servesVendors: true,
  takesToolsWithReasoning: true,
  // github.com/ujisati/claude-code-provider-proxy/pull/11
  maxUserChars: 128,
  usage: { usage: { include: true } },
  writeReasoning(reasoning, extra) {
    const { effort, budgetTokens } = reasoning ?? {};
    // Only one of the two can be sent: the budget is more exact.
    const asked =
      budgetTokens !== undefined ? { max_tokens: budgetTokens } : effort !== undefined ? { effort } : {};
    const rest = typeof extra.reasoning === "object" ? extra.reasoning : {};
    const fields = { ...rest, ...asked };
    return Object.keys(fields).length === 0 ? {} : { reasoning: fields };
  },
  // OpenRouter ignores what a model does not take; local servers have fields of their own. `reasoning` is written above. `usage`
  // and `stream_options` are set by us, since billing depends on them.
  takesExtra: (name) => !/^(reasoning(_effort)?|(usage|stream_options|response_format)(\..*)?)$/.test(name),
  openaiModel: (model) => (model.startsWith("openai/") ? model.slice("openai/".length) : undefined),
  messages: {
    developerRole: false,
    reasoning: true,
    objectArguments: true,
    answerImages: true,
    partFields: new Set(["cache_control", "prompt_cache_breakpoint"]),
    fileUrls: true,
    fileIds: false,
    originalDetail: false,
    audioFormats: undefined,
  },
};
