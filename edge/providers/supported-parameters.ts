/**
 * Which parameters of a chat request reach a model: each is tried alone on the encoder of the model's own provider, which names
 * what it leaves out. So the list always agrees with what requests do.
 */
import type { ChatRequest } from "../../shared/chat.ts";
import type { CatalogModel } from "../catalog/model.ts";
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

const trials: Readonly<Record<string, Partial<ChatRequest>>> = {
  frequency_penalty: { frequencyPenalty: 0.5 },
  logit_bias: { logitBias: { "1": 1 } },
  logprobs: { logprobs: { top: 1 } },
  metadata: { metadata: { x: "y" } },
  parallel_tool_calls: { tools: [tool], parallelToolCalls: false },
  presence_penalty: { presencePenalty: 0.5 },
  reasoning_effort: { reasoning: { effort: "low" } },
  response_format: {
    responseFormat: { type: "json-schema", name: "x", schema: { type: "object", properties: {} } },
  },
  seed: { seed: 1 },
  service_tier: { serviceTier: "auto" },
  stop: { stop: ["x"] },
  temperature: { temperature: 0.5 },
  tool_choice: { tools: [tool], toolChoice: { type: "required" } },
  tools: { tools: [tool] },
  top_k: { topK: 5 },
  top_p: { topP: 0.5 },
  user: { endUser: "x" },
};

/** Names as in a chat completion's body, in order. */
export function listSupportedParameters(model: CatalogModel): string[] {
  const { dialect } = providers[model.provider];
  const formats = model.provider === "router" ? model.routerFormats : undefined;
  const target = {
    model: model.id,
    maxOutputTokens: 4096,
    outputLimit: model.outputLimit ?? 4096,
    ...(formats && { formats }),
  };
  const taken = Object.entries(trials).flatMap(([name, fields]) => {
    const { unsupported } = dialect.encodeRequest({ ...plain, ...fields }, target);
    return unsupported.length === 0 ? [name] : [];
  });
  return [...ownParameters, ...taken].sort();
}
