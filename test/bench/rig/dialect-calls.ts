/** The same request in both caller dialects to all four kinds of provider, through the service and directly. */
import { type ProviderKind, providerKinds } from "../../../shared/providers.ts";
import type { Call } from "../client.ts";
import { instructions, writeGoal } from "./calls.ts";
import { type AnswerKind, askFor } from "./provider.ts";

export const callerDialects = ["chat", "messages"] as const;
export type CallerDialect = (typeof callerDialects)[number];
export type Pair = { caller: CallerDialect; kind: ProviderKind };

/** Pass-through pairs first of their dialect: the others are compared with them. */
const kindsOf: Readonly<Record<CallerDialect, readonly ProviderKind[]>> = {
  chat: providerKinds,
  messages: ["beta", ...providerKinds.filter((kind) => kind !== "beta")],
};
export const pairs: readonly Pair[] = callerDialects.flatMap((caller) =>
  kindsOf[caller].map((kind) => ({ caller, kind })),
);

/** The provider that speaks as the caller does. */
const sameDialect: Readonly<Record<CallerDialect, ProviderKind>> = { chat: "alpha", messages: "beta" };

/** Where in `pairs` the pass-through of a pair's caller stands. */
export const passThroughOf = ({ caller }: Pair): number =>
  pairs.findIndex((pair) => pair.caller === caller && pair.kind === sameDialect[caller]);

export const labelOf = ({ caller, kind }: Pair): string => `${caller} <- ${kindNames[kind]}`;

const kindNames: Readonly<Record<ProviderKind, string>> = {
  alpha: "OpenAI",
  beta: "Anthropic",
  gamma: "Gemini",
  router: "OpenRouter",
};
const models: Readonly<Record<ProviderKind, string>> = {
  alpha: "gpt-4o-mini",
  beta: "claude-sonnet-4-5",
  gamma: "gemini-2.5-flash",
  router: "openai/gpt-4o-mini",
};

export type Asked = { stream: boolean; answer: AnswerKind };

/** Enough for any answer here; the messages dialect wants a number. */
const maxTokens = 4_096;
const jsonHeaders = { "content-type": "application/json" };
const ask = (answer: AnswerKind) => `${writeGoal()} ${askFor(answer)}`;

const bodies: Readonly<Record<CallerDialect, (model: string, asked: Asked) => object>> = {
  chat: (model, { stream, answer }) => ({
    model,
    messages: [
      { role: "system", content: instructions },
      { role: "user", content: ask(answer) },
    ],
    max_tokens: maxTokens,
    ...(stream && { stream, stream_options: { include_usage: true } }),
  }),
  messages: (model, { stream, answer }) => ({
    model,
    system: instructions,
    messages: [{ role: "user", content: ask(answer) }],
    max_tokens: maxTokens,
    ...(stream && { stream }),
  }),
};

/** Through the service, on the caller's own key for the provider. */
export const pairCall = (
  service: { url: string; demoKey: string },
  { caller, kind }: Pair,
  asked: Asked,
): Call => ({
  url: `${service.url}/v1/${caller === "chat" ? "chat/completions" : "messages"}`,
  headers: { ...jsonHeaders, authorization: `Bearer ${service.demoKey}`, [`x-${kind}-key`]: "sk-bench" },
  body: () => JSON.stringify(bodies[caller](`svc-x1ac-base-${models[kind]}`, asked)),
});

/** To the provider itself, in its own words. */
export function directKindCall(providerUrl: string, kind: ProviderKind, asked: Asked): Call {
  const action = asked.stream ? "streamGenerateContent" : "generateContent";
  const paths: Readonly<Record<ProviderKind, string>> = {
    alpha: "chat/completions",
    beta: "messages",
    gamma: `models/${models.gamma}:${action}`,
    router: "chat/completions",
  };
  const geminiBody = () => ({
    systemInstruction: { parts: [{ text: instructions }] },
    contents: [{ role: "user", parts: [{ text: ask(asked.answer) }] }],
  });
  const body =
    kind === "gamma" ? geminiBody : () => bodies[kind === "beta" ? "messages" : "chat"](models[kind], asked);
  return {
    url: `${providerUrl}/${kind}/${paths[kind]}`,
    headers: jsonHeaders,
    body: () => JSON.stringify(body()),
  };
}
