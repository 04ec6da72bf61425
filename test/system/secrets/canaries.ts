/** Canary keys, a prompt and an answer, and how a provider behaves that is sent them. */
import { type ProviderKind, providerKinds } from "../../../shared/providers.ts";
import { completeAnswer } from "../../support/fake-provider/script.ts";
import { type FakeScript, wires } from "../../support/fake-provider.ts";

/** They do not look like keys, so that no filter for the usual forms of keys can hide them by chance. */
export const keys = {
  alpha: "canary.alpha~3f8e1b",
  beta: "canary.beta~9c2d47",
  gamma: "canary.gamma~e05a6b",
  router: "canary.router~71bd0c",
  pool: "canary.pool~d84f2e",
};
/** The key that the edge sends to the operator's collector of traces. */
export const collectorKey = "canary.collector~2b7e9a";
export const promptCanary = "canaryprompt zirconium-ferret-5521";
export const answerCanary = "canaryanswer vermilion-otter-9087";

export const models: Readonly<Record<ProviderKind, string>> = {
  alpha: "svc-x1ac-base-gpt-4o",
  beta: "svc-x1ac-base-claude-sonnet-4-5",
  gamma: "svc-x1ac-base-gemini-2.5-flash",
  router: "svc-x1ac-base-openai/gpt-4o",
};
/** Who pays: the pool, or the caller's own key of a kind. */
export const payers: { kind: ProviderKind; key: string; headers: Record<string, string> }[] = [
  { kind: "router", key: keys.pool, headers: {} },
  ...providerKinds.map((kind) => ({
    kind,
    key: keys[kind],
    headers: { [`x-${kind}-key`]: keys[kind] },
  })),
];

const errorFrame = (message: string) =>
  `data: ${JSON.stringify({ type: "error", error: { type: "api_error", message } })}\n\n`;

/** What a provider does with the key it was sent; each in every provider's own wire. */
export const behaviours: [string, (kind: ProviderKind, key: string) => FakeScript][] = [
  ["answers", () => ({ text: answerCanary })],
  [
    "answers with the key in its headers",
    (_kind, key) => ({ text: answerCanary, headers: { "x-echo": key } }),
  ],
  ...[400, 401, 402, 403, 404, 413, 422, 429, 500, 503].map((status): (typeof behaviours)[number] => [
    `answers ${status} and quotes the key`,
    (_kind, key) => ({ status, text: `Incorrect API key provided: ${key}. (Bearer ${key})` }),
  ]),
  [
    "redirects to an address with the key",
    (_kind, key) => ({ status: 307, headers: { location: `http://127.0.0.1:9/?key=${key}` } }),
  ],
  ["answers with a page", (_kind, key) => ({ status: 502, frames: [`<html>${key}</html>`] })],
  [
    "answers with broken JSON",
    (_kind, key) => ({
      frames: [`{"text":"${answerCanary} ${key}`],
      headers: { "content-type": "application/json" },
    }),
  ],
  ["fails in place of its first event", (_kind, key) => ({ frames: [errorFrame(`key ${key} was refused`)] })],
  [
    "fails in mid-answer",
    (kind, key) => {
      const answer = completeAnswer({ text: answerCanary }, wires[kind].defaultModel);
      const frames = wires[kind].writeFrames(answer, { includeUsage: true });
      return { frames: [...frames.slice(0, 4), errorFrame(`key ${key} was refused`)] };
    },
  ],
  ["breaks off", () => ({ text: answerCanary, cutAfter: 3 })],
];

export const requestBody = (model: string, stream: boolean) => ({
  model,
  stream,
  max_tokens: 40,
  user: promptCanary,
  messages: [
    { role: "system", content: `state: ${promptCanary}` },
    { role: "user", content: promptCanary },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: "call_1",
          type: "function",
          function: { name: "look", arguments: JSON.stringify({ at: promptCanary }) },
        },
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: promptCanary },
    { role: "user", content: promptCanary },
  ],
  tools: [{ type: "function", function: { name: "look", parameters: { type: "object" } } }],
});
