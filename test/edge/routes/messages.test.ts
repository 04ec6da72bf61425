import { describe, expect, test } from "vitest";
import { createTestApp, eventStream, newCaller, openaiStream, openaiUsage } from "../support/app.ts";
import { betaKey, byClaude, claude, hello, model, post, readEvents } from "../support/ask-messages.ts";

describe("a message in JSON", () => {
  test("that a stop sequence ended says so where the aggregator names the vendor's reason", async () => {
    const choice = { index: 0, message: { content: "Fly" }, finish_reason: "stop" };
    const choices = [{ ...choice, native_finish_reason: "stop_sequence" }];
    const provider = [() => Response.json({ choices, usage: openaiUsage(1, 2) })];
    const { response } = await post({ ...hello, stop_sequences: [" now"] }, { provider });
    expect(await response.json()).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: null });
  });

  test("is planned, answered by any provider and charged; plan and bill stand in headers", async () => {
    const { response, caller, plans, sent } = await post(hello);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^msg_\w+$/),
      type: "message",
      role: "assistant",
      model,
      content: [{ type: "text", text: "Hello world", citations: [] }],
      stop_reason: "end_turn",
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: expect.objectContaining({ input_tokens: 12, output_tokens: 2 }),
    });
    expect(plans[0]?.goal).toBe("find me a flight to Oslo");
    expect(sent[0]?.body.max_tokens).toBe(50);
    expect(response.headers.get("x-svc-credits-charged")).toBe("0.000065");
    expect(response.headers.get("x-svc-plan")).toBe("search, select");
    expect(response.headers.get("x-svc-key-source")).toBe("pool");
    expect(response.headers.get("x-svc-execution-llm")).toBe("openai/gpt-4o");
    expect(JSON.parse(response.headers.get("x-svc-metadata") ?? "")).toMatchObject({
      svc_model: "x1ac-base",
      pool_markup_applied: 0.25,
      total_steps_executed: 1,
    });
    expect(response.headers.get("request-id")).toBe(response.headers.get("x-request-id"));
    expect(await caller.charges()).toMatchObject([{ amountMicro: -65, outcome: "completed" }]);
  });

  test("from Anthropic itself comes as Anthropic gave it, under the caller's model name", async () => {
    const content = [
      { type: "thinking", thinking: "Hm.", signature: "c2ln" },
      { type: "text", text: "Hi", citations: null },
      { type: "tool_use", id: "toolu_01", name: "now", input: {}, caller: { type: "direct" } },
    ];
    const { response } = await post(
      byClaude,
      { provider: [() => Response.json(claude(content))] },
      { headers: betaKey },
    );
    const body = await response.json<Record<string, unknown>>();
    expect(body).toMatchObject({ id: "msg_01abc", model: byClaude.model, content });
    expect(body.usage).toEqual(claude([]).usage);
  });
});

describe("a message as a stream", () => {
  test("has Anthropic's events in order, usage in message_delta", async () => {
    const { response, caller } = await post({ ...hello, stream: true });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(response.headers.get("x-svc-plan")).toBe("search, select");
    const events = await readEvents(response);
    expect(events.map(({ type }) => type)).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: "end_turn" },
      usage: { input_tokens: 12, output_tokens: 2 },
    });
    expect((await caller.account())?.openHolds).toBe(0);
  });

  test("broken off by the provider ends in `event: error`, and what was written is charged (failures 18)", async () => {
    const { response, caller } = await post(
      { ...hello, stream: true },
      { provider: [() => openaiStream(["a", "b"], undefined, null)] },
    );
    const events = await readEvents(response);
    expect(events.at(-1)).toMatchObject({
      type: "error",
      error: { type: "api_error" },
      request_id: expect.any(String),
    });
    expect(events.filter(({ type }) => /message_(delta|stop)/.test(type))).toEqual([]);
    expect(await caller.charges()).toMatchObject([
      { outcome: "error", outputTokens: 2, flag: "usage_missing" },
    ]);
  });

  test("that fails with its first event is an HTTP error (failures 19)", async () => {
    const failing = () =>
      eventStream(`data: ${JSON.stringify({ error: { message: "no capacity", code: 503 } })}\n\n`);
    const { response, caller } = await post({ ...hello, stream: true }, { provider: [failing] });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ type: "error", error: { type: "overloaded_error" } });
    expect((await caller.account())?.openHolds).toBe(0);
  });

  test("without usage from the provider still ends (failures 14)", async () => {
    const { response } = await post({ ...hello, stream: true }, { provider: [() => openaiStream(["a"])] });
    const events = await readEvents(response);
    expect(events.slice(-2).map(({ type }) => type)).toEqual(["message_delta", "message_stop"]);
    expect(events.at(-2)).toMatchObject({ usage: { output_tokens: 1 } });
  });
});

// github.com/earendil-works/pi/issues/8943
test("integers beyond 2^53 keep their digits, in the history and in the answer (failures 80)", async () => {
  const call = '{"type":"tool_use","id":"toolu_1","name":"f","input":{"id":1234567890123456789}}';
  const history = `[{"role":"user","content":"hi"},{"role":"assistant","content":[${call}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]}]`;
  const body = (model: string) => `{"model":"${model}","max_tokens":50,"messages":${history}}`;
  const input = '"input":{"id":1234567890123456789}';

  const reply = JSON.stringify(claude([], { stop_reason: "tool_use" })).replace("[]", `[${call}]`);
  const json = { headers: { "content-type": "application/json" } };
  const own = await post(
    body(byClaude.model),
    { provider: [() => new Response(reply, json)] },
    { headers: betaKey },
  );
  expect(await own.response.text()).toContain(input);
  expect(own.sent[0]?.text).toContain(input);

  const tool_calls = [
    { id: "a", index: 0, function: { name: "f", arguments: '{"id":1234567890123456789}' } },
  ];
  const choices = [{ index: 0, message: { tool_calls }, finish_reason: "tool_calls" }];
  const provider = [() => Response.json({ choices, usage: openaiUsage(1, 2) })];
  const pooled = await post(body(model), { provider });
  expect(await pooled.response.text()).toContain(input);
  expect(pooled.sent[0]?.text).toContain(String.raw`{\"id\":1234567890123456789}`);
});

describe("MESSAGES_MAX_TOKENS", () => {
  test("raises the limit, and the refusal names it", async () => {
    const caller = await newCaller(1_000_000);
    const app = createTestApp({ messagesMaxTokens: 64_000 });
    const messages = [{ role: "user", content: "Hi" }];
    const ask = async (max_tokens: number) => {
      const body = { model: "svc-x1ac-base-gpt-4o", max_tokens, messages };
      const response = await app.post("/v1/messages", caller.apiKey, body, { "x-alpha-key": "own" });
      return { status: response.status, text: await response.text() };
    };
    expect(await ask(64_000)).toMatchObject({ status: 200 });
    const refused = await ask(64_001);
    expect(refused.status).toBe(400);
    expect(refused.text).toMatch(/max_tokens: must be at most 64000.*MESSAGES_MAX_TOKENS/);
  });
});
