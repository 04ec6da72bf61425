// What one model takes and another refuses, with the whole request: limits, parameters, and a turn of the model's own at the end.
import { describe, expect, test } from "vitest";
import { createTestApp, newCaller, type Sent } from "../support/app.ts";

type Json = Record<string, unknown>;
type Kind = "alpha" | "beta" | "gamma" | "router";

/** What the provider is sent, and what the caller is told was left out. */
async function chat(kind: Kind, model: string, fields: Json) {
  const { apiKey } = await newCaller(1_000_000);
  const app = createTestApp({ provider: [() => new Response("{}", { status: 500 })] });
  const messages = [{ role: "user", content: "Hi" }];
  const body = { model: `svc-x1ac-base-${model}`, messages, svc: { plan: "off" }, ...fields };
  const response = await app.chat(apiKey, body, { [`x-${kind}-key`]: "sk-own" });
  expect(response.status, await response.text()).toBe(502);
  const [sent] = app.sent as [Sent];
  return { body: sent.body, unsupported: response.headers.get("x-svc-unsupported") };
}

test.each([
  ["alpha", "gpt-4o", { max_completion_tokens: 16_384 }],
  ["beta", "claude-sonnet-4-5", { max_tokens: 64_000 }],
  ["gamma", "gemini-2.5-flash", { generationConfig: { maxOutputTokens: 65_536 } }],
  ["router", "openai/gpt-4o", { max_tokens: 300_000 }],
] as const)("%s is asked for no more than %s writes (failures 49)", async (kind, model, limit) => {
  const { body } = await chat(kind, model, { max_tokens: 300_000 });
  expect(body).toMatchObject(limit);
});
