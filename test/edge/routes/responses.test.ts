// POST /v1/responses end to end: what the provider gets, and what is refused.
import { describe, expect, test } from "vitest";
import {
  alpha,
  anthropicMessage,
  ask,
  beta,
  completion,
  json,
  readTool,
  router,
} from "../support/ask-responses.ts";

const png = "iVBORw0KGgo=";

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

  test("names fields of chat completions as they were sent, not by their other names here", async () => {
    const beside = { reasoning_effort: "low", response_format: { type: "json_object" }, top_logprobs: 2 };
    const { headers, sent } = await ask(router, { input: "x", ...beside });
    expect(headers.get("x-svc-unsupported")?.split(", ").sort()).toEqual(Object.keys(beside).sort());
    for (const name of Object.keys(beside)) expect(sent[0]?.body).not.toHaveProperty(name);
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

describe("what is refused", () => {
  test("a newest message of a picture by its id alone", async () => {
    const byId = { role: "user", content: [{ type: "input_image", file_id: "file-1" }] };
    const { status, sent, body } = await ask(alpha, { input: [{ role: "user", content: "Look" }, byId] });
    expect([status, sent.length]).toEqual([400, 0]);
    expect(body.error).toMatchObject({ code: "unsupported_parameter", param: "input" });
    const earlier = await ask(alpha, { input: [byId, { role: "user", content: "What is it?" }] }, [
      json(completion({ content: "Hi" })),
    ]);
    expect(earlier.headers.get("x-svc-unsupported")).toBe("input_image.file_id");
  });

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
