// POST /v1/responses end to end: what the provider gets, what the caller gets, and what is refused.
import { describe, expect, test } from "vitest";
import { leastMs } from "../../support/least-ms.ts";
import { findResponseBreaks, foldResponse, parseResponseFrames } from "../../support/responses-stream.ts";
import { createTestApp, newCaller, openaiStream, openaiUsage, type Sent } from "../support/app.ts";

type Json = Record<string, unknown>;

const json = (body: unknown) => () => Response.json(body);
const completion = (message: Json, finish = "stop") => ({
  id: "c",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
  usage: openaiUsage(12, 3),
});
const anthropicMessage = (content: Json[], stop_reason = "end_turn") => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  content,
  stop_reason,
  usage: { input_tokens: 5, output_tokens: 7 },
});
const geminiAnswer = (parts: Json[]) => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 },
});

const alpha = { model: "svc-x1ac-base-gpt-4o", headers: { "x-alpha-key": "own" } };
const beta = { model: "svc-x1ac-base-claude-sonnet-4-5", headers: { "x-beta-key": "own" } };
const gamma = { model: "svc-x1ac-base-gemini-2.5-flash", headers: { "x-gamma-key": "own" } };
const router = { model: "svc-x1ac-base-gpt-4o", headers: { "x-router-key": "own" } };
type Target = typeof alpha | typeof beta | typeof gamma | typeof router;

async function ask(
  target: Target,
  body: Json,
  provider: ((sent: Sent) => Response)[] = [json(completion({ content: "Hello" }))],
  more: Record<string, string> = {},
) {
  const caller = await newCaller(1_000_000);
  const app = createTestApp({ provider });
  const response = await app.post(
    "/v1/responses",
    caller.apiKey,
    { model: target.model, svc: { plan: "off" }, ...body },
    { ...target.headers, ...more },
  );
  const text = await response.text();
  await response.settled();
  return {
    status: response.status,
    text,
    body: (body.stream ? {} : JSON.parse(text)) as Json & { output: Json[] },
    sent: app.sent,
    headers: response.headers,
    caller,
  };
}

const readTool = {
  type: "function",
  name: "read",
  description: "Reads",
  parameters: { type: "object", properties: { path: { type: "string" } } },
  strict: false,
};
const patchTool = { type: "custom", name: "patch", description: "Edits files" };
const png = "iVBORw0KGgo=";

const eventStream = (events: readonly Json[]) =>
  new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream" },
  });
/** A call whose arguments end in the middle, as the output limit cuts them and as weak models write them. */
const openaiCall = (finishReason: string): Json[] =>
  [
    { tool_calls: [{ index: 0, id: "call_1", function: { name: "read", arguments: '{"path": "/a' } }] },
    {},
  ].map((delta, at) => ({
    id: "c",
    choices: [{ index: 0, delta, finish_reason: at === 0 ? null : finishReason }],
  }));
const anthropicCall: Json[] = [
  { type: "message_start", message: { id: "msg_1", usage: { input_tokens: 5, output_tokens: 1 } } },
  {
    type: "content_block_start",
    index: 0,
    content_block: { type: "tool_use", id: "toolu_1", name: "read", input: {} },
  },
  {
    type: "content_block_delta",
    index: 0,
    delta: { type: "input_json_delta", partial_json: '{"path": "/a' },
  },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 7 } },
  { type: "message_stop" },
];

describe("what a provider is sent", () => {
  const conversation = [
    { role: "developer", content: "Be kind." },
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "Look" },
        { type: "input_image", image_url: `data:image/png;base64,${png}`, detail: "low" },
      ],
    },
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: '{"path":"a"}' },
    { type: "function_call", call_id: "call_2", name: "read", arguments: '{"path":"b"}' },
    { type: "function_call_output", call_id: "call_2", output: "B" },
    { type: "function_call_output", call_id: "call_1", output: [{ type: "input_text", text: "A" }] },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Both read." }] },
    { role: "user", content: "Thanks" },
  ];

  // github.com/openai/codex/issues/42088: a message of another thread, with which a thread may begin
  test("an output without a call is what the user is told (failures 69)", async () => {
    const told = {
      type: "function_call_output",
      id: "fco_1",
      namespace: "codex_app",
      output: "<task>Go</task>",
    };
    const { sent, status } = await ask(alpha, { input: [{ ...told, name: "create_thread" }] });
    expect(status).toBe(200);
    expect(sent[0]?.body.messages).toEqual([{ role: "user", content: "<task>Go</task>" }]);
    expect((await ask(alpha, { input: [{ role: "user", content: "x" }, told] })).status).toBe(422);
  });

  test("is a chat completion of the same conversation", async () => {
    const { sent, status } = await ask(alpha, {
      instructions: "Be brief.",
      input: conversation,
      tools: [readTool],
      tool_choice: { type: "function", name: "read" },
      parallel_tool_calls: false,
      max_output_tokens: 50,
      temperature: 0.5,
      metadata: { a: "b" },
      prompt_cache_key: "k",
      text: { format: { type: "json_schema", name: "out", schema: { type: "object" }, strict: true } },
    });
    expect(status).toBe(200);
    const call = (id: string, path: string) => ({
      id,
      type: "function",
      function: { name: "read", arguments: `{"path":"${path}"}` },
    });
    const { type: _type, ...definition } = readTool;
    const { stream: _stream, stream_options: _options, ...prompt } = sent[0]!.body;
    expect(prompt).toEqual({
      model: "gpt-4o",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "developer", content: "Be kind." },
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image_url", image_url: { url: `data:image/png;base64,${png}`, detail: "low" } },
          ],
        },
        { role: "assistant", content: null, tool_calls: [call("call_1", "a"), call("call_2", "b")] },
        { role: "tool", tool_call_id: "call_2", content: "B" },
        { role: "tool", tool_call_id: "call_1", content: "A" },
        { role: "assistant", content: "Both read." },
        { role: "user", content: "Thanks" },
      ],
      tools: [{ type: "function", function: definition }],
      tool_choice: { type: "function", function: { name: "read" } },
      parallel_tool_calls: false,
      max_completion_tokens: 50,
      temperature: 0.5,
      prompt_cache_key: "k",
      response_format: {
        type: "json_schema",
        json_schema: { name: "out", schema: { type: "object" }, strict: true },
      },
    });
  });

  test("has only the tools of allowed_tools", async () => {
    const other = { ...readTool, name: "write" };
    const choice = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "read" }] };
    const { sent } = await ask(alpha, { input: "x", tools: [other, readTool], tool_choice: choice });
    expect(sent[0]?.body.tools).toHaveLength(1);
    expect(sent[0]?.body.tool_choice).toBe("required");
  });

  test("asks OpenAI for the finest detail of a picture, and names it where the provider knows none", async () => {
    const image = { type: "input_image", image_url: "https://a.example/b.png", detail: "original" };
    const ofOpenai = await ask(alpha, { input: [{ role: "user", content: [image] }] });
    expect(JSON.stringify(ofOpenai.sent[0]?.body.messages)).toContain('"detail":"original"');
    expect(ofOpenai.headers.get("x-svc-unsupported")).toBeNull();
    const ofHosts = await ask(router, { input: [{ role: "user", content: [image] }] });
    expect(JSON.stringify(ofHosts.sent[0]?.body.messages)).toContain('"detail":"high"');
    expect(ofHosts.headers.get("x-svc-unsupported")).toBe("input_image.detail");
    const answer = json(anthropicMessage([{ type: "text", text: "ok" }]));
    const ofClaude = await ask(beta, { input: [{ role: "user", content: [image] }] }, [answer]);
    expect(ofClaude.headers.get("x-svc-unsupported")).toBe("input_image.detail");
  });

  test("leaves hosted tools and items out, and names them", async () => {
    const { headers, sent } = await ask(alpha, {
      input: [
        { type: "web_search_call", id: "ws_1", status: "completed" },
        { role: "user", content: "x" },
      ],
      tools: [{ type: "web_search" }, { type: "mcp", server_label: "s" }],
      include: ["web_search_call.results", "reasoning.encrypted_content"],
      truncation: "auto",
    });
    expect(headers.get("x-svc-unsupported")?.split(", ")).toEqual([
      "tools.web_search",
      "tools.mcp",
      "include.web_search_call.results",
      "truncation",
      "input.web_search_call",
    ]);
    expect(sent[0]?.body.tools).toBeUndefined();
  });

  test("names what only this API has; a tool's mark of the prompt's cache travels", async () => {
    const mark = { cache_control: { type: "ephemeral" } };
    const file = { type: "input_file", file_data: "data:application/pdf;base64,eA==", detail: "high" };
    const { headers, sent } = await ask(router, {
      input: [
        { role: "user", content: [file] },
        { type: "message", role: "assistant", phase: "commentary", content: "Reading." },
        { role: "user", content: "Go on" },
      ],
      tools: [{ ...readTool, output_schema: { type: "string" }, allowed_callers: ["programmatic"], ...mark }],
      reasoning: { effort: "low", mode: "pro", context: "all_turns", summary: "auto" },
      moderation: { model: "omni-moderation-latest" },
      text: { verbosity: "low", more: 1 },
      stream_options: { include_obfuscation: false, more: 1 },
    });
    expect(headers.get("x-svc-unsupported")?.split(", ")).toEqual([
      "tools.output_schema",
      "tools.allowed_callers",
      "moderation",
      "stream_options.more",
      "text.more",
      "reasoning.mode",
      "reasoning.context",
      "input_file.detail",
      "message.phase",
    ]);
    expect(sent[0]?.body.tools).toEqual([expect.objectContaining(mark)]);
    expect(sent[0]?.body.moderation).toBeUndefined();
    const plain = { tools: [{ ...readTool, allowed_callers: ["direct"] }], reasoning: { mode: "standard" } };
    expect((await ask(router, { input: "x", ...plain })).headers.get("x-svc-unsupported")).toBeNull();
    const deferred = { type: "namespace", name: "mcp", tools: [{ ...readTool, defer_loading: true }] };
    const asked = await ask(router, { input: "x", tools: [deferred] });
    expect(asked.headers.get("x-svc-unsupported")).toBe("tools.defer_loading");
  });

  test("is the conversation of input, one answer, whatever chat completions' fields ask for beside it", async () => {
    const beside = { messages: [{ role: "user", content: "Another" }], n: 2, functions: [{ name: "f" }] };
    const format = { type: "json_object", more: 1 };
    const { headers, sent } = await ask(router, { input: "Say {}", ...beside, text: { format } }, [
      json(completion({ content: "{}" })),
    ]);
    expect(sent[0]?.body).toMatchObject({ messages: [{ role: "user", content: "Say {}" }] });
    for (const name of ["n", "functions"]) expect(sent[0]?.body).not.toHaveProperty(name);
    const named = ["n", "functions", "text.format.more", "messages"];
    expect(headers.get("x-svc-unsupported")?.split(", ").sort()).toEqual(named.sort());
  });

  test("names what a provider cannot take in this dialect's words", async () => {
    const { headers } = await ask(
      beta,
      { input: "x", top_logprobs: 2, include: ["message.output_text.logprobs"] },
      [json(anthropicMessage([{ type: "text", text: "ok" }]))],
    );
    expect(headers.get("x-svc-unsupported")).toBe("include.message.output_text.logprobs");
  });
});

describe("an input of instructions alone", () => {
  // BAML sends a prompt without roles as one system message.
  test.each([
    ["the user's words to Claude", beta, anthropicMessage([{ type: "text", text: "Hi" }]), "user"],
    ["instructions to OpenAI", alpha, completion({ content: "Hi" }), "system"],
  ])("is answered, as in chat completions: %s", async (_, target, answer, role) => {
    const { status, sent } = await ask(target, { input: [{ role: "system", content: "Say hi" }] }, [
      json(answer),
    ]);
    expect(status).toBe(200);
    expect(sent[0]?.body.messages).toMatchObject([{ role }]);
  });
});

describe("what the caller gets", () => {
  test("is a response with its request again, the plan and the tokens", async () => {
    const { body, status } = await ask(alpha, {
      input: "x",
      instructions: "Be brief.",
      metadata: { a: "b" },
      tools: [readTool],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: "response",
      id: expect.stringMatching(/^resp_/),
      status: "completed",
      model: alpha.model,
      instructions: "Be brief.",
      metadata: { a: "b" },
      tools: [readTool],
      tool_choice: "auto",
      parallel_tool_calls: true,
      store: false,
      previous_response_id: null,
      error: null,
      incomplete_details: null,
      usage: { input_tokens: 12, output_tokens: 3, total_tokens: 15 },
      svc: { execution_llm: "gpt-4o", key_source: "user" },
    });
    expect(body.output).toMatchObject([
      {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Hello", annotations: [] }],
      },
    ]);
  });

  test("says which tier served it", async () => {
    const served = (service_tier: string) => [json({ ...completion({ content: "Hi" }), service_tier })];
    const { body } = await ask(alpha, { input: "x", service_tier: "auto" }, served("flex"));
    expect(body.service_tier).toBe("flex");
    const other = await ask(alpha, { input: "x", service_tier: "auto" }, served("on_demand"));
    expect(other.body.service_tier).toBe("auto");
  });

  test("has the citations that come before its first word", async () => {
    const cited = { url: "https://oslo.example", title: "Oslo", start_index: 0, end_index: 5 };
    const annotations = [{ type: "url_citation", url_citation: cited }];
    const chunk = (delta: Json) => `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta }] })}\n\n`;
    const end = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`;
    const text = `${chunk({ role: "assistant", content: "", annotations })}${chunk({ content: "Hello" })}${end}data: [DONE]\n\n`;
    const stream = () => new Response(text, { headers: { "content-type": "text/event-stream" } });
    const part = { text: "Hello", annotations: [{ type: "url_citation", ...cited }] };
    const { body } = await ask(alpha, { input: "x" }, [stream]);
    expect(body.output).toMatchObject([{ content: [part] }]);
    const streamed = await ask(alpha, { input: "x", stream: true }, [stream]);
    const frames = parseResponseFrames(streamed.text);
    expect(findResponseBreaks(frames)).toEqual([]);
    expect(foldResponse(frames).output).toMatchObject([{ content: [part] }]);
  });

  test("is incomplete where the output limit cut it", async () => {
    const { body } = await ask(alpha, { input: "x" }, [json(completion({ content: "Hel" }, "length"))]);
    expect(body).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [{ status: "incomplete" }],
    });
  });

  test.each([
    ["OpenAI", alpha, openaiCall("length"), "incomplete"],
    ["Anthropic", beta, anthropicCall, "incomplete"],
    ["OpenAI, where its model wrote it so", alpha, openaiCall("tool_calls"), "completed"],
  ])("says whether the output limit cut a call: %s", async (_, target, answer, status) => {
    const asked = { input: "x", tools: [readTool] };
    const { body } = await ask(target, asked, [() => eventStream(answer)]);
    const output = [{ type: "function_call", arguments: '{"path": "/a', status }];
    expect(body).toMatchObject({ status, output });
    const streamed = await ask(target, { ...asked, stream: true }, [() => eventStream(answer)]);
    const frames = parseResponseFrames(streamed.text);
    expect(findResponseBreaks(frames)).toEqual([]);
    expect(foldResponse(frames).output).toMatchObject(output);
  });

  test("streams the plan first, then typed events in order, and the charge at the end", async () => {
    const { text, headers } = await ask(alpha, { input: "x", stream: true }, [
      () => openaiStream(["Hello", " world"], openaiUsage(12, 2)),
    ]);
    expect(headers.get("content-type")).toMatch("text/event-stream");
    const events = parseResponseFrames(text);
    expect(findResponseBreaks(events)).toEqual([]);
    expect(events.map(({ type }) => type.replace("response.", ""))).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ]);
    expect(events[0]).toMatchObject({ response: { svc: { action_sequence: ["search", "select"] } } });
    expect(events.at(-1)).toMatchObject({
      response: { svc: { total_steps_executed: 1 }, usage: { total_tokens: 14 } },
    });
    expect(foldResponse(events).text).toBe("Hello world");
  });

  test("is custom tools' free text, whichever provider wrote it as a function's argument", async () => {
    const asked = { input: "x", tools: [patchTool], tool_choice: { type: "custom", name: "patch" } };
    const { body, sent } = await ask(beta, asked, [
      json(
        anthropicMessage([{ type: "tool_use", id: "toolu_1", name: "patch", input: { input: "*** a\n" } }]),
      ),
    ]);
    expect(sent[0]?.body.tools).toMatchObject([{ name: "patch", input_schema: { required: ["input"] } }]);
    expect(body.output).toMatchObject([
      { type: "custom_tool_call", call_id: "toolu_1", name: "patch", input: "*** a\n", status: "completed" },
    ]);
    const back = [
      { role: "user", content: "x" },
      ...body.output,
      { type: "custom_tool_call_output", call_id: "toolu_1", output: "done" },
    ];
    const second = await ask(beta, { ...asked, input: back }, [
      json(anthropicMessage([{ type: "text", text: "ok" }])),
    ]);
    expect(second.sent[0]?.body.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ type: "tool_use", input: { input: "*** a\n" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
    ]);
  });
});

describe("reasoning", () => {
  const thinking = [
    { type: "thinking", thinking: "Let me see.", signature: "sig==" },
    { type: "redacted_thinking", data: "sealed" },
    { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a" } },
  ];
  const asked = {
    input: "x",
    tools: [readTool],
    store: false,
    reasoning: { effort: "high" },
    max_output_tokens: 3_000,
    include: ["reasoning.encrypted_content"],
  };

  test("of Claude comes sealed, and goes back as it was", async () => {
    const first = await ask(beta, asked, [json(anthropicMessage(thinking, "tool_use"))]);
    expect(first.body.output).toMatchObject([
      { type: "reasoning", summary: [{ type: "summary_text", text: "Let me see." }] },
      { type: "reasoning", summary: [] },
      { type: "function_call", arguments: '{"path":"a"}' },
    ]);
    // As clients keep it: without the ids.
    const kept = first.body.output.map(({ id: _id, status: _status, ...item }) => item);
    const input = [
      { role: "user", content: "x" },
      ...kept,
      { type: "function_call_output", call_id: "toolu_1", output: "A" },
    ];
    const second = await ask(beta, { ...asked, input }, [
      json(anthropicMessage([{ type: "text", text: "ok" }])),
    ]);
    expect(second.sent[0]?.body.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: thinking },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
    ]);
  });

  test("seals of Gemini's calls and texts go back on their parts", async () => {
    const parts = [
      { text: "Hm", thought: true },
      { text: "First", thoughtSignature: "text-seal" },
      { functionCall: { id: "g1", name: "read", args: { path: "a" } }, thoughtSignature: "call-seal" },
    ];
    const first = await ask(gamma, asked, [json(geminiAnswer(parts))]);
    const input = [
      { role: "user", content: "x" },
      ...first.body.output,
      { type: "function_call_output", call_id: "g1", output: "A" },
    ];
    const second = await ask(gamma, { ...asked, input }, [json(geminiAnswer([{ text: "ok" }]))]);
    const [, model] = second.sent[0]!.body.contents as { parts: Json[] }[];
    expect(model?.parts).toEqual(parts.slice(1));
  });

  test("sealed by another service is named, not passed on", async () => {
    const input = [
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" },
      { role: "user", content: "x" },
    ];
    const { headers, status } = await ask(alpha, { input });
    expect(status).toBe(200);
    expect(headers.get("x-svc-unsupported")).toBe("reasoning.encrypted_content");
  });
});

describe("items sent back by id", () => {
  const secret = "The capital is Oslo.";
  const sdks = [
    "ai/6.0.326 ai-sdk/openai/3.0.118 runtime/node.js/24",
    "ai-sdk-openai/4.0.118 ai-sdk-provider-utils/5.0.81 node.js/24",
    "ai-sdk-agent/tool-loop ai-sdk-provider-utils/5.0.81 node.js/24",
    "my-app/1 ai-sdk/provider-utils/4.0.50 runtime/node.js/24",
  ];

  test("of a JSON answer carry themselves", async () => {
    const first = await ask(alpha, { input: "x" }, [json(completion({ content: secret }))]);
    const input = [
      { role: "user", content: "x" },
      // The SDK's type is optional.
      { id: first.body.output[0]?.id },
      { role: "user", content: "And?" },
    ];
    const second = await ask(alpha, { input });
    expect(second.sent[0]?.body.messages).toEqual([
      { role: "user", content: "x" },
      { role: "assistant", content: secret },
      { role: "user", content: "And?" },
    ]);
  });

  test.each(sdks)("of a stream are in its last item, for clients that refer (%s)", async (sdk) => {
    const stream = () => openaiStream([secret.slice(0, 5), secret.slice(5)]);
    const first = await ask(alpha, { input: "x", stream: true }, [stream], { "user-agent": sdk });
    const events = parseResponseFrames(first.text);
    expect(findResponseBreaks(events)).toEqual([]);
    const ids = events.flatMap((event) =>
      event.type === "response.output_item.done" ? [(event.item as Json).id] : [],
    );
    expect(ids).toHaveLength(2);
    const input = [
      { role: "user", content: "x" },
      ...ids.map((id) => ({ type: "item_reference", id })),
      { role: "user", content: "And?" },
    ];
    const second = await ask(alpha, { input });
    expect(second.sent[0]?.body.messages).toEqual([
      { role: "user", content: "x" },
      { role: "assistant", content: secret },
      { role: "user", content: "And?" },
    ]);
    const plain = await ask(alpha, { input: "x", stream: true }, [stream]);
    expect(foldResponse(parseResponseFrames(plain.text)).output).toHaveLength(1);
  });

  test.each([
    ["of nobody", "msg_68af"],
    ["that are broken", "msg_svc1.AAAA"],
    ["that are no base64", "msg_svc1.%%%"],
  ])("%s are refused with what to do", async (_name, id) => {
    const { status, body } = await ask(alpha, {
      input: [
        { type: "item_reference", id },
        { role: "user", content: "x" },
      ],
    });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: "invalid_request",
      param: "input",
      message: /send the item itself/ as never,
    });
  });

  test("of one item of a carrier are refused from the second on: each place would hold all of it", async () => {
    const items = [{ type: "message", id: "msg_1", role: "assistant", content: secret }];
    const carrier = { type: "reasoning", id: await carrying(JSON.stringify({ items })), summary: [] };
    const item = { type: "item_reference", id: "msg_1" };
    const user = { role: "user", content: "x" };
    const once = await ask(alpha, { input: [user, carrier, item, user] });
    expect(once.sent[0]?.body.messages).toHaveLength(3);
    const { status, body, sent } = await ask(alpha, { input: [user, carrier, item, item, user] });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ param: "input", message: /Duplicate item found/ as never });
    expect(sent).toEqual([]);
  });

  /** An id that carries this text, deflated. */
  const carrying = async (text: string) => {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const packed = new Uint8Array(await new Response(stream).arrayBuffer());
    return `msg_svc1.${Buffer.from(packed).toString("base64url")}`;
  };
  const refer = async (...texts: string[]) => ({
    input: await Promise.all(
      texts.map(async (text) => ({ type: "item_reference", id: await carrying(text) })),
    ),
  });
  const saying = (content: unknown) => JSON.stringify({ type: "message", role: "user", content });

  test.each([
    ["together", [saying(" ".repeat(6_000_000)), saying(" ".repeat(6_000_000))]],
    ["one of few bytes", [saying(" ".repeat(12_000_000))]],
    ["one of many", [saying(`${" ".repeat(9_000_000)}${"xyz".repeat(600_000)}${Math.random()}`)]],
  ])("that unpack to more than a body may hold are refused: %s", async (_which, texts) => {
    const { status } = await ask(alpha, await refer(...texts));
    expect(status).toBe(413);
  });

  test("that unpack to more values than a body may be are refused before anybody checks them", async () => {
    const half = saying(Array.from({ length: 60_000 }, () => 0));
    const { status } = await ask(alpha, await refer(half, half));
    expect(status).toBe(413);
  });

  test("in any number are followed up to 2,000 of them, and refused beyond before one is unpacked", async () => {
    const id = await carrying(saying("hello"));
    const said = { input: Array.from({ length: 2_001 }, () => ({ type: "item_reference", id })) };
    const refuse = async () => {
      const { status, body } = await ask(alpha, said);
      expect(status).toBe(413);
      expect(body).toMatchObject({ error: { message: expect.stringContaining("more than 2,000 items") } });
    };
    expect(await leastMs(1_000, refuse)).toBeLessThan(1_000);
    said.input.pop();
    expect((await ask(alpha, said)).status).toBe(200);
  });

  test("are unpacked while other requests go on", async () => {
    const id = await carrying(saying("hello"));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    const { status } = await ask(alpha, {
      input: Array.from({ length: 400 }, () => ({ type: "item_reference", id })),
    });
    clearInterval(timer);
    expect(status).toBe(200);
    expect(turns).toBeGreaterThan(40);
  });

  test("that hold much wait for memory as a large body does", async () => {
    const { apiKey } = await newCaller(10_000_000);
    const app = createTestApp({ bodyMemoryBytes: 4 * 1024 * 1024 });
    const response = await app.post("/v1/responses", apiKey, {
      model: "svc-x1ac-base-gpt-4o",
      ...(await refer(saying("a".repeat(1_000_000)))),
    });
    // Five copies of it are more than there ever is.
    expect(response.status).toBe(413);
    expect(app.sent).toEqual([]);
  });
});

describe("what is refused", () => {
  test.each([
    ["store", true],
    ["previous_response_id", "resp_1"],
    ["conversation", "conv_1"],
    ["background", true],
    ["prompt", { id: "pmpt_1" }],
  ])("%s, as nothing is kept here", async (name, value) => {
    const { status, body, sent, caller } = await ask(alpha, { input: "x", [name]: value });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: "unsupported_parameter", param: name });
    expect(sent).toEqual([]);
    expect(await caller.charges()).toEqual([]);
  });

  test.each([
    ["no input", {}],
    ["an empty input", { input: [] }],
    ["a switch that is none", { input: "x", store: "true" }],
    ["an id that is none", { input: "x", previous_response_id: 5 }],
    ["a message without content", { input: [{ role: "user" }] }],
    ["a call without a name", { input: [{ type: "function_call", call_id: "c", arguments: "" }] }],
    ["a file without a file", { input: [{ role: "user", content: [{ type: "input_file" }] }] }],
    ["a tool without a name", { input: "x", tools: [{ type: "function" }] }],
    ["a choice of a missing tool", { input: "x", tool_choice: { type: "function", name: "read" } }],
  ])("%s: 422", async (_name, fields) => {
    expect((await ask(alpha, fields)).status).toBe(422);
  });

  test("an output that answers no call", async () => {
    const { status, body } = await ask(alpha, {
      input: [{ type: "function_call_output", call_id: "call_9", output: "x" }],
    });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ message: expect.stringContaining("call_9") });
  });

  test("an input with nothing to answer, instructions or not", async () => {
    for (const input of [[{ type: "compaction_trigger" }], [{ type: "web_search_call", id: "ws_1" }]]) {
      const { status } = await ask(alpha, { input, instructions: "Be brief" });
      expect(status).toBe(400);
    }
  });
});
