import { describe, expect, it } from "vitest";
import type { ChatMessage, ContentPart } from "../../../../../shared/chat.ts";
import { say } from "../../../support/conversation.ts";
import { type Body, body, hello, write } from "./written-request.ts";

const conversations: [string, ChatMessage[], Pick<Body, "system" | "messages">][] = [
  [
    "system and developer text is hoisted in order, one block each",
    [
      say("system", "You are terse."),
      say("user", "Hi"),
      say("developer", "Speak German."),
      say("user", "How are you?"),
    ],
    {
      system: [
        { type: "text", text: "You are terse." },
        { type: "text", text: "Speak German." },
      ],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Hi" },
            { type: "text", text: "How are you?" },
          ],
        },
      ],
    },
  ],
  [
    "results of parallel calls join in one user turn, before its text",
    [
      say("user", "Weather?"),
      say(
        "assistant",
        "Looking.",
        { type: "tool-call", id: "call_1", name: "weather", arguments: '{"city":"Zürich"}' },
        { type: "tool-call", id: "functions.now:2", name: "now", arguments: "{}" },
      ),
      say("tool", {
        type: "tool-result",
        toolCallId: "call_1",
        content: [{ type: "text", text: '{"$ref":"#/x"}' }],
      }),
      say("tool", { type: "tool-result", toolCallId: "functions.now:2", content: [], isError: true }),
      say("user", "And?"),
    ],
    {
      messages: [
        { role: "user", content: [{ type: "text", text: "Weather?" }] },
        {
          role: "assistant",
          content: [
            { type: "text", text: "Looking." },
            { type: "tool_use", id: "call_1", name: "weather", input: { city: "Zürich" } },
            { type: "tool_use", id: "functions_now_2", name: "now", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "call_1",
              content: [{ type: "text", text: '{"$ref":"#/x"}' }],
            },
            {
              type: "tool_result",
              tool_use_id: "functions_now_2",
              content: [{ type: "text", text: "The tool failed without a message." }],
              is_error: true,
            },
            { type: "text", text: "And?" },
          ],
        },
      ],
    },
  ],
  [
    "images and documents come by URL, as base64, or as a data URL",
    [
      say(
        "user",
        { type: "image", source: { kind: "url", url: "https://example.com/cat.png" } },
        {
          type: "image",
          source: { kind: "base64", mediaType: "image/png; charset=utf-8", data: "iVBORw0=" },
        },
        { type: "image", source: { kind: "url", url: "data:image/jpg;base64,/9j/4AA=" } },
        {
          type: "file",
          filename: "a.pdf",
          source: { kind: "base64", mediaType: "application/pdf", data: "JVBERi0=" },
        },
        { type: "file", source: { kind: "url", url: "https://example.com/b.pdf" } },
        { type: "file", source: { kind: "base64", mediaType: "text/plain", data: "R3LDvMOfZQ==" } },
      ),
    ],
    {
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "url", url: "https://example.com/cat.png" } },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0=" } },
            { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "/9j/4AA=" } },
            {
              type: "document",
              title: "a.pdf",
              source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
            },
            { type: "document", source: { type: "url", url: "https://example.com/b.pdf" } },
            { type: "document", source: { type: "text", media_type: "text/plain", data: "Grüße" } },
          ],
        },
      ],
    },
  ],
  [
    "thinking goes back byte-equal, sealed or redacted",
    [
      say("user", "Think"),
      say(
        "assistant",
        { type: "reasoning", text: "Hm — \u2028ja", signature: "c2VhbA==" },
        { type: "reasoning", text: "", signature: "d2l0aGhlbGQ=" },
        { type: "reasoning", text: "", redacted: "cmVkYWN0ZWQ=" },
        "Done",
      ),
      say("user", "More"),
    ],
    {
      messages: [
        { role: "user", content: [{ type: "text", text: "Think" }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm — \u2028ja", signature: "c2VhbA==" },
            { type: "thinking", thinking: "", signature: "d2l0aGhlbGQ=" },
            { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" },
            { type: "text", text: "Done" },
          ],
        },
        { role: "user", content: [{ type: "text", text: "More" }] },
      ],
    },
  ],
  [
    "blank text, which the API refuses, is left out; a refusal is text",
    [say("user", "Hi", " \n"), say("assistant", "", { type: "refusal", text: "No." }), say("user", "Why?")],
    {
      messages: [
        { role: "user", content: [{ type: "text", text: "Hi" }] },
        { role: "assistant", content: [{ type: "text", text: "No." }] },
        { role: "user", content: [{ type: "text", text: "Why?" }] },
      ],
    },
  ],
  [
    "cache marks and this provider's own blocks travel",
    [
      {
        role: "system",
        parts: [{ type: "text", text: "Long", providerData: { cache_control: { type: "ephemeral" } } }],
      },
      say("user", "Hi"),
      say("assistant", {
        type: "opaque",
        dialect: "anthropic",
        data: { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
      }),
      {
        role: "user",
        parts: [{ type: "text", text: "?", providerData: { thoughtSignature: "not for Claude" } }],
      },
    ],
    {
      system: [{ type: "text", text: "Long", cache_control: { type: "ephemeral" } }],
      messages: [
        { role: "user", content: [{ type: "text", text: "Hi" }] },
        {
          role: "assistant",
          content: [{ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }],
        },
        { role: "user", content: [{ type: "text", text: "?" }] },
      ],
    },
  ],
];

describe("the conversation in a Messages request", () => {
  it.each(conversations)("%s", (_name, messages, expected) => {
    const written = write({ messages });
    expect(written).toEqual({
      path: "/messages",
      headers: { "anthropic-version": "2023-06-01" },
      body: body(expected),
      unsupported: [],
    });
  });

  it.each<[string, ContentPart, string]>([
    [
      "audio",
      { type: "file", source: { kind: "base64", mediaType: "audio/wav", data: "UklGRg==" } },
      "input_audio",
    ],
    ["a foreign file id", { type: "file", source: { kind: "id", id: "file-abc" } }, "file"],
    ["unsigned reasoning", { type: "reasoning", text: "Hm" }, "reasoning_content"],
    [
      "Gemini's reasoning",
      { type: "reasoning", text: "Hm", signature: "x", providerData: { thoughtSignature: "x" } },
      "reasoning_content",
    ],
    [
      "reasoning of another format",
      {
        type: "reasoning",
        text: "",
        redacted: "x",
        providerData: { reasoning_detail: { format: "google-gemini-v1" } },
      },
      "reasoning_content",
    ],
    [
      "another dialect's block",
      { type: "opaque", dialect: "gemini", data: { executableCode: {} } },
      "messages.content",
    ],
  ])("leaves out %s and says so", (_name, part, name) => {
    const written = write({ messages: [say("user", "Hello", part)] });
    expect(written.body).toEqual(body({ messages: hello }));
    expect(written.unsupported).toEqual([name]);
  });

  it.each([
    ["not json", { _raw: "not json" }],
    ["[1,2]", { _raw: "[1,2]" }],
    ['"text"', { _raw: '"text"' }],
    ["null", { _raw: "null" }],
  ])("wraps arguments that are no object (%s) and says so", (text, input) => {
    const call: ContentPart = { type: "tool-call", id: "c", name: "f", arguments: text };
    const written = write({ messages: [say("assistant", call)] });
    expect(written.body.messages).toEqual([
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "f", input }] },
    ]);
    expect(written.unsupported).toEqual(["tool_calls.function.arguments"]);
  });

  // github.com/earendil-works/pi/issues/8943: the model takes the rounded id for a mistake of its own, and calls again
  it("sends integers beyond 2^53 with all their digits (failures 80)", () => {
    const text =
      '{"id":1234567890123456789,"__proto__":[-9007199254740993],"name":"\\"12345678901234567890"}';
    const call: ContentPart = { type: "tool-call", id: "c", name: "f", arguments: text };
    const { body: sent } = write({ messages: [say("assistant", call)] });
    expect(JSON.stringify(sent)).toContain(`"input":${text}`);
  });

  it("a picture that is given as a file keeps its cache mark, and its name is named as left out", () => {
    const cache_control = { type: "ephemeral" };
    const source = { kind: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
    const file: ContentPart = { type: "file", source, filename: "a.png", providerData: { cache_control } };
    const { body: sent, unsupported } = write({ messages: [say("user", file)] });
    const [{ content }] = sent.messages as [{ content: object[] }];
    expect(content).toEqual([
      {
        type: "image",
        source: { type: "base64", media_type: "image/png", data: source.data },
        cache_control,
      },
    ]);
    expect(unsupported).toEqual(["file.filename"]);
  });
});
