/** What is written for one request to the Messages API. */
import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages";
import { anthropicDialect } from "../../../../../edge/dialects/provider/anthropic/dialect.ts";
import type { ChatRequest } from "../../../../../shared/chat.ts";
import { chatRequest } from "../../replay.ts";

export const haiku = "claude-haiku-4-5";
export const write = (fields: Partial<ChatRequest>, model = haiku, target = {}) =>
  anthropicDialect.writeRequest(chatRequest(fields), { model, maxOutputTokens: 1_000, ...target });
/** Expected bodies are typed by the provider's own SDK, which no longer knows the sampling fields. */
export type Body = MessageCreateParams & { temperature?: number; top_p?: number; top_k?: number };
export const body = (expected: Omit<Body, "model" | "max_tokens" | "stream">) => ({
  model: haiku,
  max_tokens: 1_000,
  stream: false,
  ...expected,
});
export const hello: MessageCreateParams["messages"] = [
  { role: "user", content: [{ type: "text", text: "Hello" }] },
];

/** A list of itself, as zod writes it. */
export const recursiveSchema = {
  type: "object",
  properties: { name: { type: "string" }, parts: { type: "array", items: { $ref: "#" } } },
  required: ["name", "parts"],
  additionalProperties: false,
};

export const treeSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    root: { $ref: "#/$defs/node" },
    depth: { type: ["integer", "null"], minimum: 1, maximum: 9 },
    kind: { oneOf: [{ const: "a" }, { const: "b" }] },
  },
  required: ["root"],
  additionalProperties: false,
  $defs: { node: { type: "object", additionalProperties: { $ref: "#/$defs/node" } } },
};
