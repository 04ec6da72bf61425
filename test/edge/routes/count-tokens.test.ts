import { describe, expect, test } from "vitest";
import { betaKey, byClaude, hello, model, post } from "../support/ask-messages.ts";

describe("counting tokens", () => {
  const path = "/v1/messages/count_tokens";
  const prompt = { model: byClaude.model, messages: hello.messages, system: "Be brief." };

  test("is Anthropic's own count with a key for it, without what belongs to an answer", async () => {
    const { response, sent, caller } = await post(
      { ...prompt, thinking: { type: "enabled", budget_tokens: 2000 } },
      { provider: [() => Response.json({ input_tokens: 37 })] },
      { path, headers: betaKey },
    );
    expect(await response.json()).toEqual({ input_tokens: 37 });
    expect(response.headers.get("x-svc-count")).toBe("provider");
    expect(sent[0]?.url).toBe("https://api.anthropic.com/v1/messages/count_tokens");
    expect(sent[0]?.body).toEqual({
      model: "claude-sonnet-4-5",
      system: [{ type: "text", text: "Be brief." }],
      messages: [{ role: "user", content: [{ type: "text", text: "find me a flight to Oslo" }] }],
      thinking: { type: "enabled", budget_tokens: 2000 },
    });
    expect(await caller.charges()).toEqual([]);
  });

  test("is our estimate elsewhere, without a call, a plan or a charge", async () => {
    const { response, sent, plans, caller } = await post(
      { ...prompt, model },
      { pool: { on: false } },
      { path },
    );
    const { input_tokens: tokens } = await response.json<{ input_tokens: number }>();
    expect(tokens).toBeGreaterThan(8);
    expect(tokens).toBeLessThan(100);
    expect(response.headers.get("x-svc-count")).toBe("estimate");
    expect([sent, plans, await caller.charges()]).toEqual([[], [], []]);
  });

  test.each([
    ["gpt-4o", 60, 120],
    ["gemini-2.5-flash", 60, 120],
    ["claude-sonnet-4-5", 530, 600],
    ["meta-llama/llama-3.3-70b-instruct", 190, 260],
  ])("counts for a small tool what %s adds to it, not what any model may", async (llm, least, most) => {
    const tools = [{ name: "get_weather", input_schema: { type: "object", properties: { city: {} } } }];
    const body = { ...prompt, model: `svc-x1ac-base-${llm}`, tools };
    const { response } = await post(body, {}, { path });
    const { input_tokens: tokens } = await response.json<{ input_tokens: number }>();
    expect(tokens).toBeGreaterThan(least);
    expect(tokens).toBeLessThan(most);
  });

  test("refuses what it cannot count in Anthropic's words", async () => {
    expect((await post({ model }, {}, { path })).response.status).toBe(400);
    expect((await post({ ...prompt, model: "nope" }, {}, { path })).response.status).toBe(404);
  });
});
