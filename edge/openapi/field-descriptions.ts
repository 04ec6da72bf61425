/** Descriptions of fields, by the schema's name; types and bounds are in the zod schemas. */

const sampling = {
  temperature: "0 to 2. Only the LLM's answer depends on it; planning is deterministic.",
  top_p: "0 to 1.",
};
const stream = "true: server-sent events.";
const model = "svc-x1ac-{size}-{llm}, as GET /v1/models lists it.";
const fallbacks =
  "Up to eight names of models of the same size, to go on with where the provider of model fails.";
const cost = "Credits that this request cost its caller.";
const keyLimits = {
  expires_at: "When the key ends; null for never.",
  monthly_budget: "Credits it may spend in a calendar month (UTC); null for no bound.",
  models: "Names of models it may use; null for all.",
};

type Descriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

const requestDescriptions: Descriptions = {
  ChatCompletionRequest: {
    ...sampling,
    stream,
    model,
    models: fallbacks,
    messages:
      "The conversation. The last user message is the goal; system messages and what happened since are the state.",
    max_tokens: "Most tokens of the answer; max_completion_tokens is the same.",
    stream_options: "include_usage: the last chunk has usage.",
    usage: "OpenRouter's form of stream_options: include.",
    stop: "One sequence or several at which the answer ends.",
    n: "How many answers. Where the provider has no n, it is called n times.",
    tools: "Up to 100 tools. The plan names which of them to use.",
    tool_choice: "none, auto (default), required, one tool by name, or allowed_tools.",
    response_format: "text, json_object, or a JSON schema.",
    reasoning_effort: "How much a reasoning model thinks.",
    reasoning: "OpenRouter's form of reasoning_effort.",
    user: "Whom the answer is for, to the provider.",
    svc: "This service's own switches.",
  },
  MessagesRequest: {
    ...sampling,
    stream,
    model,
    models: fallbacks,
    messages: "Turns of user and assistant. The last user text is the goal.",
    max_tokens: "Required. 1 to 4096, or to the operator's MESSAGES_MAX_TOKENS.",
    system: "Instructions: the state that planning begins with.",
    tools: "Up to 1,000. Anthropic's own go to Claude alone.",
    stop_sequences: "Sequences at which the answer ends.",
    thinking: "Extended thinking; elsewhere than at Claude a budget becomes an effort.",
    svc: "This service's own switches.",
  },
  CountTokensRequest: { model, messages: "As for POST /v1/messages." },
  ResponsesRequest: {
    ...sampling,
    stream,
    model,
    models: fallbacks,
    input: "A text, or items: messages, calls and their outputs, reasoning, references to items.",
    instructions: "What a system message says.",
    max_output_tokens: "Most tokens of the answer, reasoning included.",
    tools:
      "Up to 1,000: function, custom, and namespace with either. Tools that OpenAI runs itself are left out and named in x-svc-unsupported.",
    text: "format: text, json_object, or a JSON schema.",
    reasoning: "effort: how much a reasoning model thinks.",
    store: "true is refused: nothing is kept here.",
    previous_response_id: "Refused: send the earlier items in input.",
    background: "true is refused.",
    svc: "This service's own switches.",
  },
  SvcOptions: {
    plan: "off: the plan stays out of the LLM's prompt and the LLM is not kept waiting for it. It is still made and in the answer's svc: in a stream at the latest in the last chunk.",
    max_llm_calls: "2 to 10: the service works through the plan in several LLM calls, 5 at most.",
  },
  EmbeddingRequest: {
    model: "svc-x1ac-{size}, without an LLM.",
    input: "One text, or 1 to 100 of up to 2,048 tokens each.",
    encoding_format: "float (default), or base64 of little-endian 32-bit floats.",
    dimensions: "Only the model's own number is taken.",
  },
  RolloutRequest: {
    goal: "What is to be reached.",
    max_steps: "Actions to plan at most (default 5).",
    actions: "Ids of actions to predict, in order, in place of planning.",
    return_intermediate: "Must not be false: that is a 500, as the interface has it.",
    initial_state: "Where it begins, in words; without it the checkpoint's neutral state.",
    mode: "Any value; it has no effect.",
  },
  NewApiKeyRequest: { name: "What people call the key.", ...keyLimits },
  ApiKeyChanges: { name: "What people call the key.", ...keyLimits },
  NewTokenRequest: {
    ttl_seconds: "How long it lives (default 600).",
    endpoints: "What it may be used for (default: all of them).",
    models: "Names of models it may use; without it those of its key.",
    max_credits: "Credits it may spend; requests that run count.",
  },
};

const replyDescriptions: Descriptions = {
  SvcMetadata: {
    svc_model: "The world model that planned.",
    execution_llm: "The LLM that answered: of model, or of the first of models that did.",
    action_sequence: "The plan: names of actions, or of tools where the request has tools.",
    predicted_state_changes: "How far each action is predicted to move the state.",
    confidence_labels: "How sure the model is of each action.",
    overall_confidence: "Of the first action, 0 to 1.",
    steps_to_goal: "Length of the plan.",
    execution_time_ms: "Of all LLM calls; known when the answer has ended.",
    total_steps_executed: "LLM calls that were made.",
    execution_trace: "Steps already taken, with the beginning of what came back.",
    brain_signal:
      "The next action, what the model sees after it, why no tool is recommended or that the action is a guess (abstention), and with tools the few of which one is likely next (likely_tools).",
    key_source: "Who pays the LLM's provider: the caller's own key, or the pool.",
    pool_markup_applied: "0.25 on the pool, else null.",
    credits_charged: cost,
  },
  CompletionUsage: { cost },
  ChatCompletion: { svc: "The plan, who answered, what it cost." },
  ChatCompletionChunk: { svc: "On the first chunk (the plan) and on the last one (complete)." },
  ResponseObject: { svc: "The plan, who answered, what it cost." },
  Model: {
    loaded: "Whether a gpu-worker has this size now.",
    pricing: "Credits per 1M tokens, as charged on the pool; request and image are per piece.",
    supported_parameters: "Parameters of a chat completion that reach this model.",
  },
  ApiKey: {
    prefix: "How the key begins; the key itself is told once.",
    spent_this_month: "Credits, by calendar month (UTC).",
    manage: "Whether it may manage keys.",
  },
  NewApiKey: { api_key: "The key. It is told this once." },
  AccessToken: { token: "Used as a Bearer key." },
  Generation: { data: "What a past request used, cost and took; no texts." },
  Balance: { balance: "Credits; 1 is 1 US dollar." },
};

export const fieldDescriptions: Descriptions = { ...requestDescriptions, ...replyDescriptions };
