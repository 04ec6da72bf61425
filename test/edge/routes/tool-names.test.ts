// Tool names between dialects: names longer than the provider accepts, and a tool_choice for a tool that is not in the request.
import { describe, expect, test } from "vitest";
import { createTestApp, eventStream, newCaller, openaiUsage, type Sent } from "../support/app.ts";

type Json = Record<string, unknown>;

/** Anthropic takes 128 characters, and Claude Code joins plugin, server and tool. */
const long = "mcp__plugin_cloudflare_cloudflare-workers-observability__query_worker_observability";
const other = `${long}_of_yesterday`;
const input_schema = { type: "object", properties: { q: { type: "string" } } };
const tools = [long, other, "short"].map((name) => ({ name, description: name, input_schema }));

const sse = (frames: object[], end = "") =>
  eventStream([...frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`), end].join(""));
const openaiCall = (name: string) => {
  const call = { index: 0, id: "call_1", type: "function", function: { name, arguments: "{}" } };
  return sse(
    [
      { id: "c", choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] },
      { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
      { id: "c", choices: [], usage: openaiUsage(12, 3) },
    ],
    "data: [DONE]\n\n",
  );
};
const geminiCall = (name: string) =>
  sse([
    {
      candidates: [
        { content: { role: "model", parts: [{ functionCall: { name, args: {} } }] }, finishReason: "STOP" },
      ],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 },
    },
  ]);

const readOpenai = ({ tools: given }: Json) =>
  (given as { function: Json }[]).map((tool) => tool.function.name as string);
const readGemini = ({ tools: given }: Json) =>
  (given as { functionDeclarations: Json[] }[])[0]!.functionDeclarations.map(({ name }) => name as string);

const targets = [
  { model: "svc-x1ac-base-gpt-4o", key: "x-alpha-key", call: openaiCall, read: readOpenai },
  { model: "svc-x1ac-base-openai/gpt-4o", key: "x-router-key", call: openaiCall, read: readOpenai },
  { model: "svc-x1ac-base-gemini-2.5-flash", key: "x-gamma-key", call: geminiCall, read: readGemini },
];
type Target = (typeof targets)[number];

/** The provider calls the first tool that it was given. */
async function ask(target: Target, body: Json) {
  const { apiKey } = await newCaller(1_000_000);
  const app = createTestApp({ provider: [(sent: Sent) => target.call(target.read(sent.body)[0]!)] });
  const response = await app.post(
    "/v1/messages",
    apiKey,
    { model: target.model, max_tokens: 50, svc: { plan: "off" }, ...body },
    { "anthropic-version": "2023-06-01", [target.key]: "sk-own-0123456789" },
  );
  const answer = (await response.json()) as { content: Json[] };
  await response.settled();
  expect(response.status, JSON.stringify(answer)).toBe(200);
  const unsupported = response.headers.get("x-svc-unsupported");
  return { content: answer.content, sent: (app.sent as Sent[])[0]!.body, unsupported };
}

const user = { role: "user", content: "What failed?" };

describe.each(targets)("a tool's name that is too long for the provider ($model)", (target) => {
  test("is shortened there, and is the caller's own in its call and its history", async () => {
    const first = await ask(target, { messages: [user], tools });
    const names = target.read(first.sent);
    expect(names.map((name) => name.length <= 64)).toEqual([true, true, true]);
    expect(new Set(names).size).toBe(3);
    expect(names[2]).toBe("short");
    const call = first.content.find(({ type }) => type === "tool_use");
    expect(call).toMatchObject({ name: long });

    const result = { type: "tool_result", tool_use_id: call?.id, content: "None." };
    const messages = [
      user,
      { role: "assistant", content: first.content },
      { role: "user", content: [result] },
    ];
    const forced = { type: "tool", name: other };
    const second = await ask(target, { messages, tools, tool_choice: forced });
    expect(target.read(second.sent)).toEqual(names);
    const text = JSON.stringify({ ...second.sent, tools: undefined });
    expect(text).not.toContain(long);
    expect(text).toContain(`"name":"${names[0]}"`);
    expect(text).toContain(`"${names[1]}"`);
    expect(second.unsupported).toBeNull();
  });

  test("is not asked for where it is a tool that this provider has not", async () => {
    const web = { type: "web_search_20250305", name: "web_search" };
    const forced = { type: "tool", name: "web_search" };
    const { sent, unsupported } = await ask(target, {
      messages: [user],
      tools: [web, ...tools],
      tool_choice: forced,
    });
    expect(JSON.stringify(sent)).not.toContain("web_search");
    expect(unsupported).toBe("tools.web_search_20250305, tool_choice");
  });

  test("that a search of the caller's found is told in words", async () => {
    const use = { type: "tool_use", id: "toolu_1", name: "short", input: {} };
    const found = [{ type: "tool_reference", tool_name: "get_weather" }];
    const messages = [
      user,
      { role: "assistant", content: [use] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: found }] },
    ];
    const { sent, unsupported } = await ask(target, { messages, tools });
    expect(JSON.stringify(sent)).toContain("Found the tool get_weather.");
    expect(unsupported).toBeNull();
  });
});
