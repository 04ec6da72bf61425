/**
 * Which parameters of a chat request reach a model: a request with each parameter alone is written for the model's own provider, and
 * its body is looked at. So the list always agrees with what requests do.
 */
import type { ChatRequest } from "../../shared/chat.ts";
import type { CatalogModel } from "../catalog/model.ts";
import type { ProviderDialect, ProviderTarget } from "../dialects/provider/dialect.ts";
import { type Setting, settingNames } from "../dialects/provider/omissions.ts";
import { providers } from "./registry.ts";

const plain: ChatRequest = {
  messages: [{ role: "user", parts: [{ type: "text", text: "x" }] }],
  tools: [],
  stream: false,
  choices: 1,
  stop: [],
  maxOutputTokens: 4096,
  extra: {},
  callerDialect: "openai",
};
const tool = { name: "x", description: "x", parameters: { type: "object", properties: {} } };

/** Parameters that the service itself implements, for any provider. */
const ownParameters = ["max_tokens", "max_completion_tokens", "n", "stream", "stream_options"];

/** A value of each setting that most providers take, with the other fields that the setting needs. */
const trials: Readonly<Record<Setting, Partial<ChatRequest>>> = {
  endUser: { endUser: "x" },
  frequencyPenalty: { frequencyPenalty: 0.5 },
  logitBias: { logitBias: { "1": 1 } },
  logprobs: { logprobs: { top: 1 } },
  metadata: { metadata: { x: "y" } },
  parallelToolCalls: { tools: [tool], parallelToolCalls: false },
  presencePenalty: { presencePenalty: 0.5 },
  reasoning: { reasoning: { effort: "low" } },
  responseFormat: {
    responseFormat: { type: "json-schema", name: "x", schema: { type: "object", properties: {} } },
  },
  seed: { seed: 1 },
  serviceTier: { serviceTier: "auto" },
  stop: { stop: ["x"] },
  temperature: { temperature: 0.5 },
  toolChoice: { tools: [tool], toolChoice: { type: "required" } },
  tools: { tools: [tool] },
  topK: { topK: 5 },
  topP: { topP: 0.5 },
};
/** Every setting. */
export const settings = Object.keys(trials) as Setting[];

/** A further value of a setting, of which some providers take one value and some the other. */
export const otherTrials: Partial<Record<Setting, Partial<ChatRequest>>> = {
  serviceTier: { serviceTier: "flex" },
};

/**
 * Whether a provider's body has the setting, and what it names as left out. A default (`service_tier: "auto"`) may be neither
 * sent nor named. `fields`: another value than that of the trials.
 */
export function trySetting(
  { writeRequest }: ProviderDialect,
  target: ProviderTarget,
  setting: Setting,
  fields = trials[setting],
): { isSent: boolean; unsupported: readonly string[] } {
  const { [setting]: _tried, ...others } = fields;
  const { body, unsupported } = writeRequest({ ...plain, ...fields }, target);
  const without = writeRequest({ ...plain, ...others }, target).body;
  return { isSent: JSON.stringify(body) !== JSON.stringify(without), unsupported };
}

/** Names as in a chat completion's body, in order. */
export function listSupportedParameters(model: CatalogModel): string[] {
  const { dialect } = providers[model.provider];
  const formats = model.provider === "router" ? model.routerFacts?.formats : undefined;
  const target = {
    model: model.id,
    maxOutputTokens: 4096,
    outputLimit: model.outputLimit ?? 4096,
    ...(formats && { formats }),
  };
  const takes = (setting: Setting, fields: Partial<ChatRequest> | undefined) => {
    const { isSent, unsupported } = trySetting(dialect, target, setting, fields);
    return isSent && unsupported.length === 0;
  };
  const taken = settings.filter(
    (setting) => takes(setting, trials[setting]) || takes(setting, otherTrials[setting]),
  );
  return [...ownParameters, ...taken.map((setting) => settingNames[setting])].sort();
}
