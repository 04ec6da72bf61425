// JSON output at providers that do not enforce a response format: the schema goes into the prompt, the answer is checked once at its
// end, and what the provider lacks is named.
import { describe, expect, test } from "vitest";
import { createTestApp, eventStream, newCaller, type Sent } from "../support/app.ts";

const schema = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" } },
  required: ["city", "days"],
  additionalProperties: false,
};
const good = '{"city":"Oslo","days":3}';
const question = "Plan a trip.";
const tool = { name: "look", description: "looks", parameters: { type: "object", properties: {} } };

/** How each dialect asks for the schema, and where it reads the answer. */
const dialects = {
  "/v1/chat/completions": {
    body: (format: object | undefined) => ({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: question },
      ],
      response_format: format && { type: "json_schema", json_schema: { name: "trip", schema: format } },
    }),
    tools: [{ type: "function", function: tool }],
    read: (text: string) => JSON.parse(text).choices[0].message.content,
    named: "response_format",
  },
  "/v1/messages": {
    body: (format: object | undefined) => ({
      max_tokens: 100,
      system: "Be brief.",
      messages: [{ role: "user", content: question }],
      output_config: { format: { type: "json_schema", schema: format } },
    }),
    tools: [{ name: tool.name, description: tool.description, input_schema: tool.parameters }],
    read: (text: string) => JSON.parse(text).content[0].text,
    named: "output_config.format",
  },
  "/v1/responses": {
    body: (format: object | undefined) => ({
      instructions: "Be brief.",
      input: question,
      text: { format: { type: "json_schema", name: "trip", schema: format } },
    }),
    tools: [{ type: "function", ...tool }],
    read: (text: string) => JSON.parse(text).output[0].content[0].text,
    named: "text.format",
  },
} as const;
type Path = keyof typeof dialects;
const paths = Object.keys(dialects) as Path[];

const sse = (...frames: object[]) =>
  eventStream(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(""));

/** What each provider writes in its own words: pieces of a text. */
const wires = {
  claude: (pieces: readonly string[]) => {
    const delta = (text: string) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text },
    });
    return sse(
      {
        type: "message_start",
        message: { id: "m", model: "c", content: [], usage: { input_tokens: 9, output_tokens: 1 } },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      ...pieces.map(delta),
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 7 } },
      { type: "message_stop" },
    );
  },
  gemini: (pieces: readonly string[]) =>
    sse(
      ...pieces.map((text) => ({
        candidates: [{ index: 0, content: { role: "model", parts: [{ text }] } }],
      })),
      {
        candidates: [{ index: 0, content: { role: "model", parts: [] }, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 7, totalTokenCount: 16 },
      },
    ),
  router: (pieces: readonly string[]) => {
    const response = [
      ...pieces.map((content) => ({ choices: [{ index: 0, delta: { content } }] })),
      { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      { choices: [], usage: { prompt_tokens: 9, completion_tokens: 7, total_tokens: 16 } },
    ];
    const frames = response.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("");
    return eventStream(`${frames}data: [DONE]\n\n`);
  },
};

/** Providers, or combinations, that hold no answer to a schema. */
const lacking = [
  {
    name: "an older Claude",
    model: "svc-x1ac-base-claude-3-7-sonnet-20250219",
    headers: { "x-beta-key": "sk-ant-own" },
    wire: wires.claude,
    tools: false,
  },
  {
    name: "Gemini 2.5 with tools",
    model: "svc-x1ac-base-gemini-2.5-flash",
    headers: { "x-gamma-key": "AIzaOwn" },
    wire: wires.gemini,
    tools: true,
  },
  {
    name: "Gemini 2.5 with tools on the pool",
    model: "svc-x1ac-base-gemini-2.5-flash",
    headers: {},
    wire: wires.router,
    tools: true,
  },
] as const;

type Setting = {
  model: string;
  headers: Record<string, string>;
  wire: (pieces: readonly string[]) => Response;
  tools: boolean;
};

async function ask(setting: Setting, pieces: readonly string[], more: object = {}, path: Path = paths[0]!) {
  const app = createTestApp({ provider: [() => setting.wire(pieces)] });
  const caller = await newCaller(1_000_000);
  const { body, tools } = dialects[path];
  const request = { model: setting.model, ...body(schema), ...(setting.tools && { tools }), ...more };
  const response = await app.post(path, caller.apiKey, request, setting.headers);
  const text = await response.text();
  await response.settled();
  const [charge] = await caller.charges();
  const unsupported = response.headers.get("x-svc-unsupported")?.split(", ") ?? [];
  return {
    status: response.status,
    headers: response.headers,
    text,
    charge,
    unsupported,
    sent: app.sent[0]!,
  };
}

/** Where a provider is told the format in its own fields. */
const tellsFormat = ({ body }: Sent): boolean => {
  const config = body.generationConfig as Record<string, unknown> | undefined;
  const output = body.output_config as Record<string, unknown> | undefined;
  return "response_format" in body || output?.format !== undefined || config?.responseMimeType !== undefined;
};

describe.each(lacking)("$name", (setting) => {
  test.each(paths)("is told the schema in the prompt, and named, on %s", async (path) => {
    const { status, text, sent, unsupported } = await ask(setting, [good], {}, path);
    expect(status).toBe(200);
    expect(dialects[path].read(text)).toBe(good);
    expect(unsupported).toContain(dialects[path].named);
    expect(tellsFormat(sent)).toBe(false);
    const prompt = JSON.stringify(sent.body);
    expect(prompt).toContain("Be brief.");
    expect(prompt).toContain("[svc format]");
    expect(prompt).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1));
    expect(prompt.indexOf("[svc format]")).toBeGreaterThan(prompt.indexOf("Be brief."));
  });

  test.each(paths)("that answers in prose is an error and no 200, on %s", async (path) => {
    const { status, text, charge, headers } = await ask(setting, ["Sure! ", "Oslo, for 3 days."], {}, path);
    expect(status).toBe(502);
    const { error } = JSON.parse(text);
    if (path !== "/v1/messages")
      expect(error).toMatchObject({ code: "answer_off_format", type: "upstream_error" });
    expect(error.message).toContain("(JSON)");
    expect(error.message).not.toContain("Oslo");
    // Tries are charged: whether there is another one is for the caller to say.
    expect(headers.get("x-should-retry")).toBe("false");
    expect(charge).toMatchObject({ outcome: "error", inputTokens: 9, outputTokens: 7 });
    expect(charge!.amountMicro).toBeLessThan(0);
    expect(Number(headers.get("x-svc-credits-charged"))).toBe(-charge!.amountMicro / 1e6);
  });

  test("whose answer breaks the schema is an error too, and says by which keyword", async () => {
    const { status, text } = await ask(setting, ['{"city":"Oslo"}']);
    expect(status).toBe(502);
    expect(JSON.parse(text).error.message).toContain("(required)");
  });

  test("may put a fence around it", async () => {
    const { status, text } = await ask(setting, ["```json\n", good, "\n```"]);
    expect(status).toBe(200);
    expect(JSON.parse(text).choices[0].message.content).toBe(good);
  });

  test.each(paths)(
    "streams as it comes, and ends in an error event where the answer is none, on %s",
    async (path) => {
      const fine = await ask(setting, [good.slice(0, 9), good.slice(9)], { stream: true }, path);
      expect(fine.status).toBe(200);
      expect(fine.text).not.toContain("answer_off_format");
      expect(fine.charge).toMatchObject({ outcome: "completed" });
      const wrong = await ask(setting, ["Oslo, ", "for 3 days."], { stream: true }, path);
      expect(wrong.status).toBe(200);
      expect(wrong.text).toContain("for 3 days.");
      expect(wrong.text).toMatch(/does not have the format that was asked for/);
      expect(wrong.text).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
      expect(wrong.text).not.toMatch(/"finish_reason":"stop"|"stop_reason":"end_turn"/);
      expect(wrong.charge).toMatchObject({ outcome: "error", inputTokens: 9, outputTokens: 7 });
    },
  );

  test("is asked for any JSON in the same way", async () => {
    const json = { response_format: { type: "json_object" } };
    const { status, sent, unsupported } = await ask(setting, ['{"any":1}'], json);
    expect(status).toBe(200);
    expect(unsupported).toContain("response_format");
    expect(JSON.stringify(sent.body)).toContain("one JSON object");
    expect((await ask(setting, ["[1]"], json)).status).toBe(502);
  });
});

describe("a model that holds its answers to a schema", () => {
  const holding = [
    {
      model: "svc-x1ac-base-claude-sonnet-4-5",
      headers: { "x-beta-key": "k" },
      wire: wires.claude,
      tools: true,
    },
    {
      model: "svc-x1ac-base-gemini-2.5-flash",
      headers: { "x-gamma-key": "k" },
      wire: wires.gemini,
      tools: false,
    },
    {
      model: "svc-x1ac-base-gemini-3.1-pro-preview",
      headers: { "x-gamma-key": "k" },
      wire: wires.gemini,
      tools: true,
    },
    { model: "svc-x1ac-base-gpt-4o", headers: { "x-alpha-key": "k" }, wire: wires.router, tools: true },
    { model: "svc-x1ac-base-gpt-4o", headers: {}, wire: wires.router, tools: true },
  ];
  test.each(holding)("is told it in its own field: $model $headers", async (setting) => {
    const { status, sent, unsupported } = await ask(setting, [good]);
    expect(status).toBe(200);
    expect(unsupported).toEqual([]);
    expect(tellsFormat(sent)).toBe(true);
    expect(JSON.stringify(sent.body)).not.toContain("[svc format]");
  });

  test("at an aggregator gives no prose under a 200 either: its hosts differ", async () => {
    const pooled = holding.at(-1)!;
    expect((await ask(pooled, ["Sure, Oslo."])).status).toBe(502);
    expect((await ask(pooled, ['{"city":"Oslo"}'])).status).toBe(200);
  });

  test("any JSON is not a field of Claude's: it is told in the prompt", async () => {
    const json = { response_format: { type: "json_object" } };
    const { status, unsupported, sent } = await ask(holding[0]!, ['{"a":1}'], json);
    expect(status).toBe(200);
    expect(unsupported).toEqual(["response_format"]);
    expect(JSON.stringify(sent.body)).toContain("[svc format]");
  });
});

test("a call of a tool is an answer, and no JSON is asked of it", async () => {
  const call = { index: 0, id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
  const frames = [
    { choices: [{ index: 0, delta: { content: "Let me look." } }] },
    { choices: [{ index: 0, delta: { tool_calls: [call] } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  ].map((frame) => `data: ${JSON.stringify(frame)}\n\n`);
  const calling = () => eventStream(`${frames.join("")}data: [DONE]\n\n`);
  const { status, text } = await ask({ ...lacking[2], wire: calling }, []);
  expect(status).toBe(200);
  expect(JSON.parse(text).choices[0].message.tool_calls[0].function.name).toBe("look");
});
