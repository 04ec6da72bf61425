import { describe, expect, test } from "vitest";
import {
  createTestApp,
  eventStream,
  newCaller,
  openaiStream,
  openaiUsage,
  type Sent,
} from "../support/app.ts";

const model = "svc-x1ac-base-gpt-4o";
const hello = { model, messages: [{ role: "user", content: "find me a flight to Oslo" }], max_tokens: 50 };

type Options = Parameters<typeof createTestApp>[0];

/** Sends as Anthropic's client does: the key in x-api-key. */
async function post(
  body: unknown,
  options: Options = {},
  { headers = {}, path = "/v1/messages", creditMicro = 1_000_000 } = {},
) {
  const caller = await newCaller(creditMicro);
  const app = createTestApp(options);
  const response = await app.send(path, {
    method: "POST",
    headers: {
      "x-api-key": caller.apiKey,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { response, caller, ...app };
}

const claude = (content: unknown[], end: object = {}) => ({
  id: "msg_01abc",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  content,
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 9, output_tokens: 3, cache_read_input_tokens: 5, service_tier: "standard" },
  ...end,
});
const byClaude = { ...hello, model: "svc-x1ac-base-claude-sonnet-4-5" };
const betaKey = { "x-beta-key": "sk-ant-own" };

const readEvents = async (response: Response) =>
  (await response.text())
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => {
      const [name, data] = frame.split("\n");
      const event = JSON.parse(data!.slice("data: ".length)) as Record<string, unknown> & { type: string };
      expect(name).toBe(`event: ${event.type}`);
      return event;
    });

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

describe("what a caller of Anthropic sends", () => {
  const cached = { type: "ephemeral" };
  const rich = {
    ...byClaude,
    system: [{ type: "text", text: "Be brief.", cache_control: cached }],
    thinking: { type: "enabled", budget_tokens: 1024, display: "omitted" },
    max_tokens: 2048,
    metadata: { user_id: "u1" },
    service_tier: "standard_only",
    stop_sequences: ["END"],
    tools: [
      {
        name: "now",
        description: "Time",
        input_schema: { type: "object", properties: {} },
        cache_control: cached,
      },
      { type: "web_search_20250305", name: "web_search", max_uses: 2 },
    ],
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
    context_management: { edits: [] },
    messages: [
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0=" } },
          {
            type: "document",
            source: { type: "text", media_type: "text/plain", data: "Löwe" },
            title: "T",
            citations: { enabled: true },
          },
          { type: "text", text: "Look", cache_control: cached },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "c2ln" },
          { type: "redacted_thinking", data: "eA==" },
          { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
          { type: "tool_use", id: "toolu_01", name: "now", input: { a: [1, { b: null }] } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_01",
            is_error: true,
            content: [
              { type: "text", text: "no" },
              { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
              { type: "search_result", source: "s", title: "t", content: [{ type: "text", text: "found" }] },
            ],
          },
        ],
      },
    ],
  };
  const answer: Options = { provider: [() => Response.json(claude([{ type: "text", text: "ok" }]))] };
  /** As the SDK sends `workspace_id` and `user_profile_id`. */
  const whose = { "anthropic-workspace-id": "wrkspc_1", "anthropic-user-profile-id": "uprof_1" };

  test("reaches Anthropic whole; sealed thinking of an open turn is not cut off by the plan", async () => {
    const { sent, response } = await post(rich, answer, {
      headers: { ...betaKey, "anthropic-beta": "a-1,b-2", ...whose },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-svc-unsupported")).toBeNull();
    expect(sent[0]?.body).toEqual({ ...rich, model: "claude-sonnet-4-5", stream: true });
    expect(sent[0]?.headers.get("anthropic-beta")).toBe("a-1,b-2");
    for (const [name, value] of Object.entries(whose)) expect(sent[0]?.headers.get(name)).toBe(value);
    expect(sent[0]?.headers.get("x-api-key")).toBe("sk-ant-own");
  });

  test("is followed by the plan, as the last text of the newest turn, results first", async () => {
    const call = { type: "tool_use", id: "toolu_01", name: "now", input: {} };
    const result = {
      type: "tool_result",
      tool_use_id: "toolu_01",
      content: [{ type: "text", text: "noon" }],
    };
    const messages = [
      { role: "user", content: [{ type: "text", text: "When?", cache_control: cached }] },
      { role: "assistant", content: [call] },
      { role: "user", content: [result] },
    ];
    const { sent } = await post({ ...rich, messages }, answer, { headers: betaKey });
    const body = sent[0]!.body as { system: unknown[]; messages: { content: unknown[] }[] };
    expect(body.system).toEqual(rich.system);
    expect(body.messages.slice(0, 2)).toEqual(messages.slice(0, 2));
    expect(body.messages[2]?.content).toEqual([
      result,
      { type: "text", text: expect.stringMatching(/^\[svc plan\]/) },
    ]);
  });

  test("that another provider cannot honour is named, all of it", async () => {
    const { response } = await post({ ...rich, model }, {}, { headers: { "anthropic-beta": "a-1" } });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-svc-unsupported")?.split(", ").sort()).toEqual(
      [
        "anthropic-beta",
        "citations",
        "context_management",
        "is_error",
        "messages.content.document.title",
        "messages.content.server_tool_use",
        "thinking.display",
        "tools.web_search_20250305",
      ].sort(),
    );
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

describe("errors are laid out as Anthropic's", () => {
  test.each([
    ["no max_tokens", { ...hello, max_tokens: undefined }, 400, "invalid_request_error", "max_tokens"],
    ["max_tokens above the limit", { ...hello, max_tokens: 4097 }, 400, "invalid_request_error", "4096"],
    ["a wrong type", { ...hello, temperature: "hot" }, 400, "invalid_request_error", "temperature"],
    [
      "a block with an empty type before another",
      { ...hello, messages: [{ role: "user", content: [{ type: "" }, { type: "text", text: "go" }] }] },
      400,
      "invalid_request_error",
      "messages.0.content.0.type",
    ],
    [
      "a block that does not fit",
      { ...hello, messages: [{ role: "user", content: [{ type: "text" }] }] },
      400,
      "invalid_request_error",
      "text",
    ],
    [
      "a result of no call",
      { ...hello, messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t" }] }] },
      400,
      "invalid_request_error",
      "tool_use",
    ],
    ["an unknown model", { ...hello, model: "svc-x1ac-base-gpt-99" }, 404, "not_found_error", "model"],
    ["malformed JSON", "{", 400, "invalid_request_error", "JSON"],
  ])("%s", async (_name, body, status, type, words) => {
    const { response, sent } = await post(body);
    expect(response.status).toBe(status);
    const error = await response.json<{ type: string; error: { type: string; message: string } }>();
    expect(error).toMatchObject({
      type: "error",
      error: { type },
      request_id: response.headers.get("request-id"),
    });
    expect(error.error.message).toContain(words);
    expect(sent).toEqual([]);
  });

  test("no credit is 402 billing_error with both amounts", async () => {
    const { response } = await post(hello, {}, { creditMicro: 10 });
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({
      error: { type: "billing_error", available_credits: 0.00001, required_credits: expect.any(Number) },
    });
  });

  test.each([
    ["GET", "/v1/messages", {}, 405, "invalid_request_error"],
    ["POST", "/v1/messages/batches", {}, 404, "not_found_error"],
    ["POST", "/v1/messages", { "content-type": "text/plain" }, 415, "invalid_request_error"],
  ])("%s %s is answered %s", async (method, path, headers, status, type) => {
    const caller = await newCaller(1_000);
    const response = await createTestApp().send(path, {
      method,
      headers: { "x-api-key": caller.apiKey, ...headers },
      ...(method === "POST" && { body: "hello" }),
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ type: "error", error: { type } });
  });

  test("no key is 401, and only these paths are laid out so", async () => {
    const { send } = createTestApp();
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    expect(await (await send("/v1/messages", init)).json()).toMatchObject({
      error: { type: "authentication_error" },
    });
    expect(await (await send("/v1/messagesx", init)).json()).not.toHaveProperty("type");
  });

  test.each([
    [429, "rate_limit_error", 429],
    [529, "overloaded_error", 502],
    [500, "api_error", 502],
    [400, "invalid_request_error", 400],
    [413, "request_too_large", 413],
  ])("a provider's %i is a %s", async (upstream, type, status) => {
    const refuse = () =>
      Response.json(
        { type: "error", error: { type: "x", message: "words of theirs" } },
        { status: upstream },
      );
    const { response } = await post(byClaude, { provider: [refuse] }, { headers: betaKey });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ type: "error", error: { type } });
    if (upstream === 429) expect(response.headers.get("retry-after")).toBe("1");
  });

  const details = { error_code: "prompt_too_long", limit: 200_000 };
  const failure = { type: "error", error: { type: "invalid_request_error", message: "Too long.", details } };
  const refuse = () => Response.json(failure, { status: 400 });

  test("Anthropic's own details travel: in a refusal, and after the first words", async () => {
    const refused = await post(byClaude, { provider: [refuse] }, { headers: betaKey });
    expect(await refused.response.json()).toMatchObject({ error: { details } });

    const { content: _content, ...start } = claude([]);
    const late = [
      { type: "message_start", message: start },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "a" } },
      failure,
    ];
    const frames = late.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
    const stream = () => eventStream(frames);
    const failing = await post({ ...byClaude, stream: true }, { provider: [stream] }, { headers: betaKey });
    expect((await readEvents(failing.response)).at(-1)).toMatchObject({ type: "error", error: { details } });
  });

  test("they are no part of an OpenAI error", async () => {
    const { max_tokens: _maxTokens, ...chat } = byClaude;
    const { response } = await post(
      chat,
      { provider: [refuse] },
      { headers: betaKey, path: "/v1/chat/completions" },
    );
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain("prompt_too_long");
  });
});

test("a thread is refused in the way Anthropic's client goes on from by itself", async () => {
  const { response, sent } = await post({ ...hello, thread: { type: "create" } });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { type: "invalid_request_error", details: { error_code: "thread_unsupported_request" } },
  });
  expect(sent).toEqual([]);
  expect((await post({ ...hello, thread: null })).response.status).toBe(200);
});

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

  test("refuses what it cannot count in Anthropic's words", async () => {
    expect((await post({ model }, {}, { path })).response.status).toBe(400);
    expect((await post({ ...prompt, model: "nope" }, {}, { path })).response.status).toBe(404);
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

test("a key given twice is answered twice and charged once, in this dialect too", async () => {
  const caller = await newCaller(1_000_000);
  let calls = 0;
  const provider = (_sent: Sent) => {
    calls += 1;
    return openaiStream(["Hello"], openaiUsage(12, 1));
  };
  const app = createTestApp({ provider: [provider] });
  const ask = async () => {
    const response = await app.post("/v1/messages", caller.apiKey, hello, { "idempotency-key": "once" });
    const text = await response.text();
    await response.settled();
    return {
      text,
      replayed: response.headers.get("idempotent-replayed"),
      plan: response.headers.get("x-svc-plan"),
    };
  };
  const first = await ask();
  expect(await ask()).toEqual({ ...first, replayed: "true" });
  expect(calls).toBe(1);
  expect(await caller.charges()).toHaveLength(1);
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
