/** A success and a refusal of every endpoint, as requests: what test/system/openapi/answers.test.ts sends. */
import type { FakeScript } from "../../support/fake-provider.ts";

export type Asked = {
  name: string;
  /** As the document names it, such as `/v1/models/{id}`. */
  path: string;
  /** The path that is sent, if it differs. */
  url?: string;
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  body?: unknown;
  headers?: Record<string, string>;
  /** How the provider of gpt-4o answers (through the pool: the router). */
  provider?: FakeScript;
  /** How Anthropic's counter answers. */
  counter?: FakeScript;
  /**
   * The request's key: one that may manage keys (default), one that may not (`plain`), an unknown one, none, or a key without the word
   * Bearer in front (`bare`).
   */
  key?: "manage" | "plain" | "wrong" | "none" | "bare";
  status: number;
};

const model = "svc-x1ac-base-gpt-4o";
const goal = "find me a flight to Oslo";
const messages = [{ role: "user", content: goal }];
const weather = {
  name: "get_weather",
  description: "Weather of a city",
  parameters: { type: "object", properties: {} },
};
const called: FakeScript = { toolCalls: [{ name: weather.name, arguments: { city: "Oslo" } }] };
const thought: FakeScript = { text: "Oslo it is.", reasoning: "A flight is meant." };
const anthropic = { "anthropic-version": "2023-06-01" };

const chat: Asked[] = ["/v1/chat/completions", "/v1/responses", "/v1/messages"].flatMap((path) => {
  const prompt = path === "/v1/responses" ? { input: goal } : { messages };
  const body = { model, ...prompt, ...(path === "/v1/messages" && { max_tokens: 100 }) };
  const tool = {
    "/v1/chat/completions": { type: "function", function: weather },
    "/v1/responses": { type: "function", ...weather },
    "/v1/messages": { name: weather.name, input_schema: weather.parameters },
  }[path];
  const ask = (name: string, fields: Partial<Asked>): Asked => ({
    name: `${path}: ${name}`,
    path,
    method: "POST",
    body,
    status: 200,
    ...fields,
  });
  return [
    ask("text with reasoning", { provider: thought }),
    ask("a stream", { provider: thought, body: { ...body, stream: true } }),
    ask("a stream that breaks", {
      // The status is 200 as soon as a word is there or 40 ms have gone.
      provider: { ...thought, frameDelayMs: 60, cutAfter: 5 },
      body: { ...body, stream: true },
    }),
    ...[413, 502].map((code) =>
      ask(`an answer that is refused late with ${code}, and what was left out`, {
        provider: { json: { error: { message: "no capacity", code } } },
        body: { ...body, top_k: 5, banana: 1 },
        status: code,
      }),
    ),
    ask("a tool call", { provider: called, body: { ...body, tools: [tool] } }),
    ask("a streamed tool call", { provider: called, body: { ...body, tools: [tool], stream: true } }),
    ask("Claude's own words", {
      body: { ...body, model: "svc-x1ac-base-claude-sonnet-4-5" },
      headers: { "x-beta-key": "sk-ant-own-0123456789" },
    }),
    ask("Gemini's own words", {
      body: { ...body, model: "svc-x1ac-base-gemini-2.5-flash", stream: true },
      headers: { "x-gamma-key": "AIzaOwn-0123456789abcdef" },
    }),
    ask("an unknown key", { key: "wrong", status: 401 }),
    ask("no key", { key: "none", status: 401 }),
    ask("an unknown model", { body: { ...body, model: "svc-x1ac-base-gpt-none" }, status: 404 }),
    ask("a size that is not loaded", { body: { ...body, model: "svc-x1ac-xl-gpt-4o" }, status: 503 }),
    ask("a wrong type", {
      body: { ...body, temperature: "warm" },
      status: path === "/v1/messages" ? 400 : 422,
    }),
    ask("a provider that limits", { provider: { status: 429, text: "slow down" }, status: 429 }),
    ask("a provider that fails", { provider: { status: 500 }, status: 502 }),
  ];
});

const worldModel: Asked[] = [
  { path: "/v1/embeddings", body: { model: "svc-x1ac-base", input: ["a", "b"] }, status: 200 },
  {
    path: "/v1/embeddings",
    body: { model: "svc-x1ac-base", input: "a", encoding_format: "base64" },
    status: 200,
  },
  { path: "/v1/embeddings", body: { model: "svc-x1ac-base", input: [] }, status: 400 },
  { path: "/v1/rollout", body: { goal, max_steps: 3 }, status: 200 },
  { path: "/v1/rollout", body: { goal, actions: [10, 30] }, status: 200 },
  { path: "/v1/rollout", body: { goal, actions: [903] }, status: 422 },
  { path: "/v1/rollout", body: { goal, return_intermediate: false }, status: 500 },
].map((asked) => ({ name: `${asked.path} ${asked.status}`, method: "POST" as const, ...asked }));

const models: Asked[] = [
  { path: "/v1/models", status: 200 },
  { path: "/v1/models", url: "/v1/models?size=tiny", status: 400 },
  { path: "/v1/models", headers: anthropic, status: 200 },
  { path: "/v1/models", url: "/v1/models?limit=0", headers: anthropic, status: 400 },
  { path: "/v1/models/{id}", url: `/v1/models/${model}`, status: 200 },
  { path: "/v1/models/{id}", url: `/v1/models/${model}`, headers: anthropic, status: 200 },
  { path: "/v1/models/{id}", url: "/v1/models/svc-x1ac-xl", status: 200 },
  { path: "/v1/models/{id}", url: "/v1/models/svc-x1ac-base-openai%2Fgpt-4o", status: 200 },
  { path: "/v1/models/{id}", url: "/v1/models/none", status: 404 },
  { path: "/v1/models/{id}", url: "/v1/models/none", headers: anthropic, status: 404 },
].map((asked) => ({ name: `${asked.url ?? asked.path} ${asked.status}`, ...asked }));

/** A request to count tokens that Anthropic's own counter refuses. */
const counted = (refused: number, status: number): Omit<Asked, "name"> => ({
  path: "/v1/messages/count_tokens",
  method: "POST",
  body: { model: "svc-x1ac-base-claude-sonnet-4-5", messages },
  headers: { "x-beta-key": "sk-ant-own-0123456789" },
  counter: { status: refused },
  status,
});

const account: Asked[] = [
  { path: "/v1/messages/count_tokens", method: "POST" as const, body: { model, messages }, status: 200 },
  { path: "/v1/messages/count_tokens", method: "POST" as const, body: { model }, status: 400 },
  { path: "/v1/responses/input_tokens", method: "POST" as const, body: { model, input: "go" }, status: 200 },
  { path: "/v1/responses/input_tokens", method: "POST" as const, body: { model }, status: 422 },
  { path: "/v1/responses/compact", method: "POST" as const, body: { model, input: messages }, status: 200 },
  { path: "/v1/responses/compact", method: "POST" as const, body: { model }, status: 422 },
  counted(429, 429),
  counted(500, 502),
  counted(408, 504),
  { path: "/v1/generation", url: "/v1/generation?id=none", status: 404 },
  { path: "/v1/generation", status: 400 },
  { path: "/v1/account/balance", key: "bare" as const, status: 200 },
  { path: "/v1/account/balance", key: "wrong" as const, status: 401 },
  { path: "/v1/account/usage", url: "/v1/account/usage?group_by=model", status: 200 },
  { path: "/v1/account/usage", url: "/v1/account/usage?from=yesterday", status: 400 },
  { path: "/v1/account/llm-keys", status: 200 },
  { path: "/v1/account/llm-keys", key: "none" as const, status: 401 },
  { path: "/v1/account/llm-keys", method: "POST" as const, body: { alpha_key: "AIza" }, status: 400 },
  {
    path: "/v1/account/llm-keys",
    method: "POST" as const,
    body: { alpha_key: "sk-proj-own-0123" },
    status: 200,
  },
  { path: "/v1/account/llm-keys", method: "DELETE" as const, status: 200 },
  {
    path: "/v1/account/llm-keys",
    url: "/v1/account/llm-keys?provider=delta",
    method: "DELETE" as const,
    status: 400,
  },
  { path: "/v1/account/api-keys", status: 200 },
  { path: "/v1/account/api-keys", key: "plain" as const, status: 403 },
  { path: "/v1/account/api-keys", method: "POST" as const, body: {}, status: 400 },
  {
    path: "/v1/account/api-keys/{id}",
    url: "/v1/account/api-keys/none",
    method: "PATCH" as const,
    body: {},
    status: 404,
  },
  {
    path: "/v1/account/api-keys/{id}",
    url: "/v1/account/api-keys/none",
    method: "DELETE" as const,
    status: 404,
  },
  { path: "/v1/account/tokens", method: "POST" as const, body: { ttl_seconds: 60 }, status: 201 },
  { path: "/v1/account/tokens", method: "POST" as const, body: { ttl_seconds: 1 }, status: 422 },
  { path: "/health", key: "none" as const, status: 200 },
  { path: "/openapi.json", key: "none" as const, status: 200 },
].map((asked) => ({ name: `${asked.method ?? "GET"} ${asked.url ?? asked.path} ${asked.status}`, ...asked }));

export const asked: readonly Asked[] = [...chat, ...worldModel, ...models, ...account];
