/** The two providers that speak OpenAI's chat completions: OpenAI itself (alpha), whose flavour is here, and the aggregator (router). */
import type { Effort } from "../../efforts.ts";
import type { ProviderDialect } from "../dialect.ts";
import { generation, placeCacheMark, routerFlavour, writeRouting } from "./aggregator.ts";
import type { WireFlavour } from "./flavour.ts";
import { createStreamReader, readReply } from "./read-answer.ts";
import { readRefusal } from "./read-error.ts";
import { enforcesFormat, openaiNames, writeRequest } from "./write-request.ts";

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

const alphaFlavour: WireFlavour = {
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

const createDialect = (flavour: WireFlavour): ProviderDialect => ({
  name: "openai",
  takesChoices: flavour.takesChoices,
  toolNames: openaiNames,
  writeRequest: (request, target) => writeRequest(request, target, flavour),
  enforcesFormat: (request, target) => enforcesFormat(request, target, flavour),
  createStreamReader,
  readReply,
  readRefusal,
});

export const alphaDialect: ProviderDialect = createDialect(alphaFlavour);
export const routerDialect: ProviderDialect = {
  ...createDialect(routerFlavour),
  writeRequest: (request, target) =>
    writeRouting(writeRequest(placeCacheMark(request, target.model), target, routerFlavour), target),
  generation,
};
