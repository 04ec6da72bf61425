import { describe, expect, test } from "vitest";
import type { ProviderRequest } from "../../../../../edge/dialects/provider/dialect.ts";
import type { ChatMessage, ChatRequest, ContentPart } from "../../../../../shared/chat.ts";
import { messages, toAlpha, toRouter } from "./written-request.ts";

describe("messages in OpenAI's format", () => {
  const user = (...parts: ContentPart[]): ChatMessage => ({ role: "user", parts });
  const call: ContentPart = { type: "tool-call", id: "c1", name: "f", arguments: '{"a":1}' };
  const wireCall = { id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } };

  test("developer text is developer's to OpenAI and system's elsewhere", () => {
    const turn: ChatMessage = { role: "developer", parts: [{ type: "text", text: "d" }] };
    expect(messages(toAlpha({ messages: [turn] }))).toEqual([{ role: "developer", content: "d" }]);
    expect(messages(toRouter({ messages: [turn] }))).toEqual([{ role: "system", content: "d" }]);
  });

  test("content is null beside calls without text, and kept where there is text", () => {
    const silent: ChatMessage = { role: "assistant", parts: [call] };
    const speaking: ChatMessage = {
      role: "assistant",
      parts: [{ type: "text", text: "t" }, { type: "refusal", text: "r" }, call],
      name: "bot",
    };
    expect(messages(toAlpha({ messages: [silent, speaking] }))).toEqual([
      { role: "assistant", content: null, tool_calls: [wireCall] },
      { role: "assistant", content: "t", name: "bot", refusal: "r", tool_calls: [wireCall] },
    ]);
  });

  // github.com/farion1231/cc-switch/pull/7439: a notice of Codex between two results
  test("what stands between the results of one turn's calls comes after the last of them (failures 68)", () => {
    const result = (toolCallId: string): ContentPart => ({
      type: "tool-result",
      toolCallId,
      content: [{ type: "text", text: toolCallId }],
    });
    const said = (text: string): ContentPart => ({ type: "text", text });
    const written = toAlpha({
      messages: [
        { role: "assistant", parts: [call, { ...call, id: "c2" }] },
        { role: "developer", parts: [said("resized")] },
        { role: "tool", parts: [result("c1")] },
        user(said("wait")),
        { role: "tool", parts: [result("c2")] },
        { role: "assistant", parts: [said("fine")] },
        user(said("go on")),
      ],
    });
    expect(messages(written).slice(1)).toEqual([
      { role: "tool", tool_call_id: "c1", content: "c1" },
      { role: "tool", tool_call_id: "c2", content: "c2" },
      { role: "developer", content: "resized" },
      { role: "user", content: "wait" },
      { role: "assistant", content: "fine" },
      { role: "user", content: "go on" },
    ]);
  });

  test("results follow their calls at once; their images come in a user message after the last of them", () => {
    const result = (
      toolCallId: string,
      ...content: Extract<ContentPart, { type: "tool-result" }>["content"]
    ): ContentPart => ({ type: "tool-result", toolCallId, content });
    const image = {
      type: "image",
      source: { kind: "base64", mediaType: "image/png", data: "AAAA" },
    } as const;
    const written = toAlpha({
      messages: [
        { role: "assistant", parts: [call, { ...call, id: "c2" }] },
        { role: "tool", parts: [result("c1", image)] },
        user(result("c2", { type: "text", text: "ok" }, image), { type: "text", text: "go on" }),
      ],
    });
    const wireImage = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    expect(messages(written).slice(1)).toEqual([
      { role: "tool", tool_call_id: "c1", content: "(attached in the next user message)" },
      { role: "tool", tool_call_id: "c2", content: "ok" },
      {
        role: "user",
        content: [
          { type: "text", text: "Attached to the result of tool call c1:" },
          wireImage,
          { type: "text", text: "Attached to the result of tool call c2:" },
          wireImage,
        ],
      },
      { role: "user", content: "go on" },
    ]);
    expect(written.unsupported).toEqual([]);
  });

  test.each([
    ["OpenAI", toAlpha],
    ["the aggregator", toRouter],
  ])("a result's tool is named to %s as the caller names it", (_, write) => {
    const result: ContentPart = { type: "tool-result", toolCallId: "c1", content: [] };
    const written = write({
      messages: [
        { role: "assistant", parts: [call] },
        { role: "tool", parts: [result], name: "look" },
      ],
    });
    expect(messages(written)[1]).toEqual({ role: "tool", tool_call_id: "c1", name: "look", content: "" });
  });

  test("a failed result's mark is named", () => {
    expect(
      toAlpha({
        messages: [
          { role: "tool", parts: [{ type: "tool-result", toolCallId: "c", content: [], isError: true }] },
        ],
      }).unsupported,
    ).toEqual(["is_error"]);
  });

  test("reasoning goes back to the aggregator, signed as entries and unsigned as text; for OpenAI it is named as left out", () => {
    const detail = { type: "reasoning.summary", id: "rs", format: "openai-responses-v1", index: 3 };
    const turn: ChatMessage = {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "T", signature: "S" },
        { type: "reasoning", text: "", redacted: "ENC" },
        { type: "reasoning", text: "Sum", providerData: { reasoning_detail: detail } },
        { type: "reasoning", text: "plain" },
        { type: "text", text: "x", providerData: { thoughtSignature: "G" } },
        { ...call, providerData: { thoughtSignature: "H" } },
      ],
    };
    expect(messages(toRouter({ messages: [turn] }))[0]).toEqual({
      role: "assistant",
      content: "x",
      tool_calls: [{ ...wireCall, extra_content: { google: { thought_signature: "H" } } }],
      reasoning: "plain",
      reasoning_details: [
        { type: "reasoning.text", text: "T", signature: "S", index: 0 },
        { type: "reasoning.encrypted", data: "ENC", index: 1 },
        { ...detail, summary: "Sum" },
      ],
      extra_content: { google: { thought_signature: "G" } },
    });
    const alpha = toAlpha({ messages: [turn] });
    expect(messages(alpha)[0]).toEqual({ role: "assistant", content: "x", tool_calls: [wireCall] });
    expect(alpha.unsupported.toSorted()).toEqual(["extra_content", "reasoning_content"]);
  });

  test("our dialect's opaque fields return; another's are named", () => {
    const own: ContentPart = { type: "opaque", dialect: "openai", data: { audio: { id: "a1" } } };
    const foreign: ContentPart = { type: "opaque", dialect: "anthropic", data: { type: "server_tool_use" } };
    const written = toAlpha({ messages: [{ role: "assistant", parts: [own, foreign] }] });
    expect(messages(written)).toEqual([{ role: "assistant", content: null, audio: { id: "a1" } }]);
    expect(written.unsupported).toEqual(["messages.content"]);
  });
});

describe("strict tools of Anthropic's callers", () => {
  const object = (fields: Record<string, unknown>) => ({
    type: "object",
    additionalProperties: false,
    ...fields,
  });
  const properties = { a: { type: "string" } };
  const closed = object({ properties, required: ["a"] });
  test.each<[string, Record<string, unknown>, boolean]>([
    ["all required", closed, true],
    ["without parameters", object({ properties: {} }), true],
    ["one optional", object({ properties }), false],
    ["open", { type: "object", properties, required: ["a"] }, false],
    ["one optional inside", object({ properties: { b: object({ properties }) }, required: ["b"] }), false],
    [
      "closed inside a list",
      object({ properties: { b: { type: "array", items: closed } }, required: ["b"] }),
      true,
    ],
  ])("are strict for OpenAI's models where these take them: %s (failures 75)", (_name, parameters, taken) => {
    const fields: Partial<ChatRequest> = {
      tools: [{ name: "f", parameters, strict: true }],
      callerDialect: "anthropic",
    };
    for (const write of [toAlpha, (asked: typeof fields) => toRouter(asked, "openai/gpt-4o")]) {
      const { body, unsupported } = write(fields);
      const [tool] = body.tools as { function: { strict?: boolean } }[];
      expect([tool?.function.strict, unsupported]).toEqual(
        taken ? [true, []] : [undefined, ["tools.strict"]],
      );
    }
    const elsewhere = toRouter(fields, "anthropic/claude-sonnet-4.5");
    const own = toAlpha({ ...fields, callerDialect: "openai" });
    for (const { body, unsupported } of [elsewhere, own]) {
      expect(body.tools).toMatchObject([{ function: { strict: true } }]);
      expect(unsupported).toEqual([]);
    }
  });
});

describe("an id of a call that OpenAI would refuse", () => {
  const history = (...ids: string[]): ChatMessage[] => [
    { role: "user", parts: [{ type: "text", text: "Hi" }] },
    { role: "assistant", parts: ids.map((id) => ({ type: "tool-call", id, name: "f", arguments: "{}" })) },
    ...ids.map(
      (id): ChatMessage => ({ role: "tool", parts: [{ type: "tool-result", toolCallId: id, content: [] }] }),
    ),
  ];
  const readIds = (written: ProviderRequest) =>
    messages(written).flatMap((message) => [
      ...((message.tool_calls as { id: string }[] | undefined) ?? []).map(({ id }) => id),
      ...(message.tool_call_id === undefined ? [] : [message.tool_call_id]),
    ]);
  const long = "call_".padEnd(86, "x");

  test("is shortened with its result, and stays one of its own (failures 76)", () => {
    const ids = readIds(toAlpha({ messages: history(long, `${long}y`, "call_1") }));
    expect(ids.slice(0, 3)).toEqual(ids.slice(3));
    expect(new Set(ids).size).toBe(3);
    expect(ids).toContain("call_1");
    for (const id of ids) expect(id).toMatch(/^[\w-]{1,64}$/);
    expect(readIds(toRouter({ messages: history(long) }, "openai/gpt-5"))[0]).toHaveLength(64);
  });

  test("stays what it is at other vendors, and up to the limit", () => {
    expect(readIds(toRouter({ messages: history(long) }))).toEqual([long, long]);
    expect(readIds(toAlpha({ messages: history("c".repeat(64)) }))).toEqual(Array(2).fill("c".repeat(64)));
  });
});
