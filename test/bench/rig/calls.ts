/** The requests that are measured: the same chat to the provider directly, and through the service. */
import type { Call } from "../client.ts";
import type { AnswerKind } from "./provider.ts";

export type ChatOptions = { stream: boolean; answer: AnswerKind };

export const instructions = "You help people plan trips. The traveller has not booked anything yet.";

let goals = 0;

/** Another one each time, so that no remembered vector makes the world model look faster than it is. */
export function writeGoal(): string {
  goals += 1;
  return `Find a cheap flight to Lisbon in May and a quiet hotel near the river (${goals})`;
}

const createBody =
  (model: string, { stream, answer }: ChatOptions) =>
  () =>
    JSON.stringify({
      model,
      messages: [
        { role: "system", content: instructions },
        { role: "user", content: writeGoal() },
      ],
      max_tokens: 64,
      user: answer,
      ...(stream && { stream, stream_options: { include_usage: true } }),
    });

const jsonHeaders = { "content-type": "application/json" };

/** What a caller without a gateway sends. */
export const directCall = (providerUrl: string, options: ChatOptions): Call => ({
  url: `${providerUrl}/router/chat/completions`,
  headers: { ...jsonHeaders, authorization: "Bearer sk-bench" },
  body: createBody("openai/gpt-4o-mini", options),
});

/**
 * The same through the service; with `ownKey` on the caller's key (alpha), else on the pool (router). With `planOff` the
 * plan is kept out of the prompt, so the LLM is called beside it.
 */
export const serviceCall = (
  service: { url: string; demoKey: string },
  options: ChatOptions & { ownKey?: boolean; planOff?: boolean },
): Call => ({
  url: `${service.url}/v1/chat/completions`,
  headers: {
    ...jsonHeaders,
    authorization: `Bearer ${service.demoKey}`,
    ...(options.ownKey && { "x-alpha-key": "sk-bench" }),
    ...(options.planOff && { "x-svc-plan": "off" }),
  },
  body: createBody("svc-x1ac-base-gpt-4o-mini", options),
});
