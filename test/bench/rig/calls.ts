/** The requests that are measured: the same chat to the provider directly, and through the service. */
import type { Call } from "../client.ts";
import type { AnswerKind } from "./provider.ts";

export type ChatOptions = { stream: boolean; answer: AnswerKind };

const messages = [
  { role: "system", content: "You help people plan trips. The traveller has not booked anything yet." },
  { role: "user", content: "Find a cheap flight to Lisbon in May and a quiet hotel near the river" },
];

const writeBody = (model: string, { stream, answer }: ChatOptions) =>
  JSON.stringify({
    model,
    messages,
    max_tokens: 64,
    user: answer,
    ...(stream && { stream, stream_options: { include_usage: true } }),
  });

const jsonHeaders = { "content-type": "application/json" };

/** What a caller without a gateway sends. */
export const directCall = (providerUrl: string, options: ChatOptions): Call => ({
  url: `${providerUrl}/router/chat/completions`,
  headers: { ...jsonHeaders, authorization: "Bearer sk-bench" },
  body: writeBody("openai/gpt-4o-mini", options),
});

/** The same through the service; with `ownKey` on the caller's key (alpha), else on the pool (router). */
export const serviceCall = (
  service: { url: string; demoKey: string },
  options: ChatOptions & { ownKey?: boolean },
): Call => ({
  url: `${service.url}/v1/chat/completions`,
  headers: {
    ...jsonHeaders,
    authorization: `Bearer ${service.demoKey}`,
    ...(options.ownKey && { "x-alpha-key": "sk-bench" }),
  },
  body: writeBody("svc-x1ac-base-gpt-4o-mini", options),
});
