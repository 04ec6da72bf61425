// The messages of a chat completion, as the hub has them.
import { describe, expect, test } from "vitest";
import { readChatRequest } from "../../../../../edge/dialects/caller/openai/read-request.ts";
import { ChatCompletionRequest } from "../../../../../edge/dialects/caller/openai/schema.ts";
import type { ContentPart } from "../../../../../shared/chat.ts";

const hello = [{ role: "user", content: "Hi" }];
const read = (fields: object) =>
  readChatRequest(ChatCompletionRequest.parse({ model: "m", messages: hello, ...fields }));
const readParts = (message: object): ContentPart[] | undefined =>
  read({ messages: [message] }).request.messages[0]?.parts;

describe("the messages of a chat completion", () => {
  test.each<[string, object, ContentPart]>([
    [
      "an image by URL",
      { type: "image_url", image_url: { url: "https://a.test/i.png", detail: "high" } },
      { type: "image", source: { kind: "url", url: "https://a.test/i.png" }, detail: "high" },
    ],
    [
      "an image by URL alone, as Mistral's clients and LangChain's messages have it",
      { type: "image_url", image_url: "https://a.test/i.png" },
      { type: "image", source: { kind: "url", url: "https://a.test/i.png" } },
    ],
    [
      "an image inline, with parameters in its media type",
      { type: "image_url", image_url: { url: "data:image/png;charset=utf-8;base64,AAAA" } },
      { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AAAA" } },
    ],
    [
      "audio",
      { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
      { type: "file", source: { kind: "base64", mediaType: "audio/mpeg", data: "AAAA" } },
    ],
    [
      "a file inline",
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } },
      {
        type: "file",
        filename: "a.pdf",
        source: { kind: "base64", mediaType: "application/pdf", data: "AAAA" },
      },
    ],
    [
      "a file as bare base64",
      { type: "file", file: { file_data: "AAAA" } },
      { type: "file", source: { kind: "base64", mediaType: "application/pdf", data: "AAAA" } },
    ],
    [
      "a file by id",
      { type: "file", file: { file_id: "file-1" } },
      { type: "file", source: { kind: "id", id: "file-1" } },
    ],
    [
      "a cache mark",
      { type: "text", text: "t", cache_control: { type: "ephemeral" } },
      { type: "text", text: "t", providerData: { cache_control: { type: "ephemeral" } } },
    ],
    [
      "a field inside an image's own object, which is kept to be named",
      { type: "image_url", image_url: { url: "https://a.test/i", format: "image/png" } },
      {
        type: "image",
        source: { kind: "url", url: "https://a.test/i" },
        providerData: { "image_url.format": true },
      },
    ],
  ])("%s", (_, part, expected) => {
    expect(readParts({ role: "user", content: [part] })).toEqual([expected]);
  });

  test("an assistant's turn keeps reasoning, text, refusal, calls and audio", () => {
    const parts = readParts({
      role: "assistant",
      content: "Text",
      refusal: "No",
      reasoning_content: "Hm",
      audio: { id: "audio_1" },
      tool_calls: [
        {
          id: "a",
          type: "function",
          function: { name: "f", arguments: "not json" },
          extra_content: { google: { thought_signature: "S" } },
        },
        { id: "b", function: { name: "g", arguments: "" } },
      ],
    });
    expect(parts).toEqual([
      { type: "reasoning", text: "Hm" },
      { type: "text", text: "Text" },
      { type: "refusal", text: "No" },
      {
        type: "tool-call",
        id: "a",
        name: "f",
        arguments: "not json",
        providerData: { thoughtSignature: "S" },
      },
      { type: "tool-call", id: "b", name: "g", arguments: "{}" },
      { type: "opaque", dialect: "openai", data: { audio: { id: "audio_1" } } },
    ]);
  });

  test("reasoning entries of a stream are joined again, and signatures kept byte-equal", () => {
    const parts = readParts({
      role: "assistant",
      content: "x",
      reasoning_content: "AB",
      reasoning_details: [
        { type: "reasoning.text", text: "A", index: 0, format: "anthropic-claude-v1" },
        { type: "reasoning.text", text: "B", index: 0, format: "anthropic-claude-v1" },
        { type: "reasoning.text", text: "", signature: "c2ln+/==", index: 0, format: "anthropic-claude-v1" },
        { type: "reasoning.encrypted", data: "ENC", index: 1 },
        { type: "reasoning.text", text: "", signature: "only", index: 2 },
      ],
    });
    expect(parts?.slice(0, 3)).toEqual([
      {
        type: "reasoning",
        text: "AB",
        signature: "c2ln+/==",
        providerData: { reasoning_detail: { index: 0, format: "anthropic-claude-v1" } },
      },
      { type: "reasoning", text: "", redacted: "ENC" },
      { type: "reasoning", text: "", signature: "only" },
    ]);
  });

  test("Gemini's signature goes to the last text, or into an empty one", () => {
    const extra_content = { google: { thought_signature: "S" } };
    expect(
      readParts({
        role: "assistant",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
        extra_content,
      }),
    ).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "b", providerData: { thoughtSignature: "S" } },
    ]);
    expect(readParts({ role: "assistant", content: "", extra_content })).toEqual([
      { type: "text", text: "", providerData: { thoughtSignature: "S" } },
    ]);
  });

  test("a tool's result keeps its text and images", () => {
    const messages = [
      { role: "assistant", tool_calls: [{ id: "a", function: { name: "f", arguments: "{}" } }] },
      {
        role: "tool",
        tool_call_id: "a",
        content: [
          { type: "text", text: "t" },
          { type: "image_url", image_url: { url: "https://a.test/i" } },
        ],
      },
    ];
    expect(read({ messages }).request.messages[1]).toEqual({
      role: "tool",
      parts: [
        {
          type: "tool-result",
          toolCallId: "a",
          content: [
            { type: "text", text: "t" },
            { type: "image", source: { kind: "url", url: "https://a.test/i" } },
          ],
        },
      ],
    });
  });
});
