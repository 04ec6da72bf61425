// Every billed path takes Idempotency-Key, and the same key is not the same request on another path.
import { describe, expect, test } from "vitest";
import { createTestApp, newCaller, openaiStream, openaiUsage } from "../support/app.ts";

const timings = { queueMs: 0, modelMs: 0 };
const chat = { messages: [{ role: "user", content: "go" }], max_tokens: 20 };
const paths: [string, object][] = [
  ["/v1/chat/completions", { ...chat, model: "svc-x1ac-base-gpt-4o" }],
  ["/v1/messages", { ...chat, model: "svc-x1ac-base-gpt-4o" }],
  ["/v1/responses", { input: "go", model: "svc-x1ac-base-gpt-4o" }],
  ["/v1/responses/compact", { input: "go", model: "svc-x1ac-base-gpt-4o" }],
  ["/v1/embeddings", { model: "svc-x1ac-base", input: "a" }],
  ["/v1/rollout", { goal: "buy a ticket" }],
];

async function newClient() {
  const { apiKey, charges } = await newCaller(1_000_000);
  const app = createTestApp({
    provider: [() => openaiStream(["ok"], openaiUsage(1, 1))],
    embed: async () => ({ vectors: ["AACAPw=="], dimension: 1, tokens: 500, timings }),
    rollout: async () => ({ initialState: "s", steps: [], tokens: 500, timings }),
  });
  const post = async (path: string, body: object) => {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "idempotency-key": "k",
    };
    const response = await app.send(path, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  return { post, charges, sent: app.sent };
}

describe("Idempotency-Key", () => {
  test.each(paths)("on %s replays the answer for one call and one charge", async (path, body) => {
    const { post, charges, sent } = await newClient();
    const first = await post(path, body);
    expect(first.status).toBe(200);
    const calls = sent.length;
    const again = await post(path, body);
    expect(again.text).toBe(first.text);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.headers.get("x-svc-plan")).toBe(first.headers.get("x-svc-plan"));
    expect(sent).toHaveLength(calls);
    expect(await charges()).toHaveLength(1);
  });

  test.each(paths)("on %s is refused when another path has used it", async (path, body) => {
    const { post, charges } = await newClient();
    const [other, otherBody] = paths.find(([known]) => known !== path)!;
    expect((await post(other, otherBody)).status).toBe(200);
    const refused = await post(path, body);
    // Anthropic's clients know no 422.
    expect(refused.status).toBe(path === "/v1/messages" ? 400 : 422);
    expect(refused.text).toMatch(/another path or body/);
    expect(await charges()).toHaveLength(1);
  });
});
