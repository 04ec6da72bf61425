/** Descriptions of fields, by the schema's name; types and bounds are in the zod schemas. */

const sampling = {
  temperature: "0 to 2. Only the LLM's answer depends on it; planning is deterministic.",
  top_p: "0 to 1.",
};
const stream = "true: server-sent events.";
const model = "svc-x1ac-{size}-{llm}, as GET /v1/models lists it.";
const fallbacks =
  "Up to eight fallback models of the same size, tried in order when the provider of model fails.";
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
    max_tokens: "The maximum number of output tokens; max_completion_tokens is the same.",
    stream_options: "include_usage: the last chunk has usage.",
    usage: "OpenRouter's form of stream_options: include.",
    stop: "One or several sequences at which the answer stops.",
    n: "The number of choices. A provider without n is called n times.",
    tools: "Up to 100 tools. The plan names which of them to use.",
    tool_choice: "none, auto (default), required, one tool by name, or allowed_tools.",
    response_format: "text, json_object, or a JSON schema.",
    reasoning_effort: "How much a reasoning model thinks.",
    reasoning: "OpenRouter's form of reasoning_effort.",
    user: "An id of your end user, passed on to the provider.",
    svc: "This service's own switches.",
  },
  MessagesRequest: {
    ...sampling,
    stream,
    model,
    models: fallbacks,
    messages: "Turns of user and assistant. The last user text is the goal.",
    max_tokens: "Required. 1 to 4096, or to the operator's MESSAGES_MAX_TOKENS.",
    system: "The system prompt. Planning takes it as the current situation.",
    tools: "Up to 1,000. Anthropic's own go to Claude alone.",
    stop_sequences: "Sequences at which the answer stops.",
    thinking: "Extended thinking. For models other than Claude a token budget is sent as a reasoning effort.",
    svc: "This service's own switches.",
  },
  CountTokensRequest: { model, messages: "As for POST /v1/messages." },
  ResponsesRequest: {
    ...sampling,
    stream,
    model,
    models: fallbacks,
    input: "A text, or items: messages, calls and their outputs, reasoning, references to items.",
    instructions: "The system prompt.",
    max_output_tokens: "The maximum number of output tokens, reasoning included.",
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
    plan: "off: the plan is not put into the LLM's prompt, and the LLM does not wait for it. It is still made and returned in svc; in a stream with the last chunk at the latest.",
    max_llm_calls: "2 to 10: the service works through the plan in several LLM calls, 5 at most.",
  },
  EmbeddingRequest: {
    model: "svc-x1ac-{size}, without an LLM.",
    input: "One text, or 1 to 100 of up to 2,048 tokens each.",
    encoding_format: "float (default), or base64 of little-endian 32-bit floats.",
    dimensions: "Only the model's own number of dimensions is accepted.",
  },
  RolloutRequest: {
    goal: "The goal to plan for.",
    max_steps: "The maximum number of planned actions (default 5).",
    actions: "Ids of actions whose effect is predicted, in order; nothing is planned then.",
    return_intermediate: "false is refused with 500.",
    initial_state: "The situation at the start, in words. Default: the checkpoint's neutral state.",
    mode: "Any value; it has no effect.",
  },
  NewApiKeyRequest: { name: "What people call the key.", ...keyLimits },
  ApiKeyChanges: { name: "What people call the key.", ...keyLimits },
  NewTokenRequest: {
    ttl_seconds: "Seconds until it expires (default 600).",
    endpoints: "What it may be used for (default: all of them).",
    models: "Names of models it may use; without it those of its key.",
    max_credits: "Credits it may spend, those held for running requests included.",
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
    prefix: "The first characters of the key; the whole key is shown only once, when it is created.",
    spent_this_month: "Credits, by calendar month (UTC).",
    manage: "Whether it may manage keys.",
  },
  NewApiKey: { api_key: "The key. It is shown only in this answer." },
  AccessToken: { token: "Sent as a Bearer token." },
  Generation: { data: "What a past request used, cost and took; no texts." },
  Balance: { balance: "Credits; 1 is 1 US dollar." },
};

export const fieldDescriptions: Descriptions = { ...requestDescriptions, ...replyDescriptions };
