/**
 * Requests of several MB up to far over the limit of a body (10 MiB): well made, deep, wide and cut off. Built
 * when asked for, because all at once would weigh more than what is measured.
 */
import type { HostileRequest } from "./hostile-requests.ts";
import { nested } from "./hostile-values.ts";

const mib = 1024 * 1024;
const chat = "/v1/chat/completions";
const model = "svc-x1ac-base-gpt-4o";
const ask = (content: unknown, more: object = {}) =>
  JSON.stringify({ model, max_tokens: 10, messages: [{ role: "user", content }], ...more });
const image = (bytes: number) => [
  { type: "text", text: "what is it" },
  { type: "image_url", image_url: { url: `data:image/png;base64,${"iVBO".repeat(bytes / 4)}` } },
];

const builders: readonly [url: string, build: () => string][] = [
  [chat, () => ask("a walk to the sea. ".repeat((3 * mib) / 19))],
  [chat, () => ask(image(9 * mib))],
  [chat, () => ask(image(10 * mib))],
  ["/v1/messages", () => ask("\u0000".repeat(mib))],
  ["/v1/messages/count_tokens", () => ask("😀".repeat(mib))],
  ["/v1/embeddings", () => JSON.stringify({ model: "svc-x1ac-base", input: Array(mib).fill("x") })],
  ["/v1/embeddings", () => JSON.stringify({ model: "svc-x1ac-base", input: ["b".repeat(4 * mib)] })],
  ["/v1/rollout", () => JSON.stringify({ goal: "g".repeat(6 * mib), actions: Array(mib).fill(1) })],
  ["/v1/account/llm-keys", () => JSON.stringify({ alpha_key: `sk-${"k".repeat(5 * mib)}` })],
  [chat, () => `{"model":"${model}","messages":${nested(2 * mib, "[", "]")}}`],
  [
    chat,
    () => ask("go", { metadata: Object.fromEntries(Array.from({ length: 90_000 }, (_, at) => [at, at])) }),
  ],
  [chat, () => JSON.stringify({ model, messages: Array(4 * mib).fill(0) })],
  ["/v1/messages", () => JSON.stringify({ model, messages: Array(90_000).fill(0), pad: "p".repeat(mib) })],
  ["/v1/messages", () => ask("x".repeat(8 * mib)).slice(0, -3)],
  [chat, () => ask("y".repeat(20 * mib))],
  ["/health", () => "z".repeat(12 * mib)],
];

/** The `index`th request, beginning again after the last; in every second round chunked, without a content-length. */
export function buildLargeRequest(index: number): HostileRequest {
  const [url, build] = builders[index % builders.length]!;
  const chunked = Math.floor(index / builders.length) % 2 === 1;
  return { url, method: "POST", headers: chunked ? [["transfer-encoding", "chunked"]] : [], body: build() };
}
