import { describe, expect, it } from "vitest";
import { geminiDialect } from "../../../../../edge/dialects/provider/gemini/dialect.ts";
import type { ChatMessage, ChatRequest, ContentPart } from "../../../../../shared/chat.ts";
import { say } from "../../../support/conversation.ts";
import { chatRequest } from "../../replay.ts";

const pro25 = "gemini-2.5-pro";
const flash3 = "gemini-3-flash-preview";
const write = (fields: Partial<ChatRequest>, model = pro25, target = {}) =>
  geminiDialect.writeRequest(chatRequest(fields), { model, ...target });

const hello = [{ role: "user", parts: [{ text: "Hello" }] }];

const signed = (thoughtSignature: string) => ({ providerData: { thoughtSignature } });
const conversations: [string, string, ChatMessage[], Record<string, unknown>][] = [
  [
    "system and developer text is hoisted in order",
    pro25,
    [
      say("system", "Terse."),
      say("user", "Hi"),
      say("developer", "German."),
      say("assistant", "Hallo"),
      say("user", "Ja"),
    ],
    {
      systemInstruction: { parts: [{ text: "Terse." }, { text: "German." }] },
      contents: [
        { role: "user", parts: [{ text: "Hi" }] },
        { role: "model", parts: [{ text: "Hallo" }] },
        { role: "user", parts: [{ text: "Ja" }] },
      ],
    },
  ],
  [
    "calls and results pair by name, the results of one turn in one content, their text never parsed",
    pro25,
    [
      say("user", "Weather?"),
      say(
        "assistant",
        { type: "tool-call", id: "call_1", name: "weather", arguments: '{"city":"Zürich"}' },
        { type: "tool-call", id: "call_2", name: "now", arguments: "{}" },
      ),
      say("tool", {
        type: "tool-result",
        toolCallId: "call_2",
        content: [{ type: "text", text: '{"$ref":"#/x"}' }],
      }),
      say("tool", {
        type: "tool-result",
        toolCallId: "call_1",
        content: [{ type: "text", text: "no" }],
        isError: true,
      }),
      say("user", "And?"),
    ],
    {
      contents: [
        { role: "user", parts: [{ text: "Weather?" }] },
        {
          role: "model",
          parts: [
            { functionCall: { id: "call_1", name: "weather", args: { city: "Zürich" } } },
            { functionCall: { id: "call_2", name: "now", args: {} } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { id: "call_1", name: "weather", response: { error: "no" } } },
            { functionResponse: { id: "call_2", name: "now", response: { output: '{"$ref":"#/x"}' } } },
          ],
        },
        { role: "user", parts: [{ text: "And?" }] },
      ],
    },
  ],
  [
    "signatures go back byte-equal on the part they came with",
    flash3,
    [
      say("user", "Go"),
      say(
        "assistant",
        { type: "reasoning", text: "Hm", ...signed("dGhvdWdodA==") },
        { type: "text", text: "Looking.", ...signed("dGV4dA==") },
        { type: "tool-call", id: "c1", name: "f", arguments: "{}", ...signed("Y2FsbA==") },
        { type: "tool-call", id: "c2", name: "g", arguments: "{}" },
        { type: "text", text: "", ...signed("ZW1wdHk=") },
      ),
    ],
    {
      contents: [
        { role: "user", parts: [{ text: "Go" }] },
        {
          role: "model",
          parts: [
            { text: "Hm", thought: true, thoughtSignature: "dGhvdWdodA==" },
            { text: "Looking.", thoughtSignature: "dGV4dA==" },
            { functionCall: { id: "c1", name: "f", args: {} }, thoughtSignature: "Y2FsbA==" },
            { functionCall: { id: "c2", name: "g", args: {} } },
            { text: "", thoughtSignature: "ZW1wdHk=" },
          ],
        },
      ],
    },
  ],
  [
    "signatures in the forms of Google's and OpenRouter's OpenAI formats are read",
    flash3,
    [
      say("assistant", {
        type: "tool-call",
        id: "c1",
        name: "f",
        arguments: "{}",
        providerData: { extra_content: { google: { thought_signature: "Z29vZ2xl" } } },
      }),
      say("tool", { type: "tool-result", toolCallId: "c1", content: [] }),
      say(
        "assistant",
        {
          type: "reasoning",
          text: "",
          redacted: "cm91dGVy",
          providerData: { reasoning_detail: { id: "c2", format: "google-gemini-v1" } },
        },
        { type: "tool-call", id: "c2", name: "f", arguments: "{}" },
      ),
    ],
    {
      contents: [
        {
          role: "model",
          parts: [{ functionCall: { id: "c1", name: "f", args: {} }, thoughtSignature: "Z29vZ2xl" }],
        },
        { role: "user", parts: [{ functionResponse: { id: "c1", name: "f", response: { output: "" } } }] },
        {
          role: "model",
          parts: [{ functionCall: { id: "c2", name: "f", args: {} }, thoughtSignature: "cm91dGVy" }],
        },
      ],
    },
  ],
  [
    "calls no Gemini model made get the documented pass, once a step",
    flash3,
    [
      say(
        "assistant",
        { type: "tool-call", id: "c1", name: "f", arguments: "{}" },
        { type: "tool-call", id: "c2", name: "f", arguments: "{}" },
      ),
    ],
    {
      contents: [
        {
          role: "model",
          parts: [
            {
              functionCall: { id: "c1", name: "f", args: {} },
              thoughtSignature: "skip_thought_signature_validator",
            },
            { functionCall: { id: "c2", name: "f", args: {} } },
          ],
        },
      ],
    },
  ],
  [
    "images, documents and audio travel inline or by URL",
    pro25,
    [
      say(
        "user",
        { type: "image", source: { kind: "url", url: "https://example.com/cat.JPG?size=2" } },
        { type: "image", source: { kind: "url", url: "https://example.com/picture" } },
        { type: "image", source: { kind: "url", url: "data:image/png;base64,iVBORw0=" } },
        { type: "file", source: { kind: "base64", mediaType: "application/pdf", data: "JVBERi0=" } },
        { type: "file", source: { kind: "base64", mediaType: "audio/mp3", data: "SUQz" } },
      ),
    ],
    {
      contents: [
        {
          role: "user",
          parts: [
            { fileData: { mimeType: "image/jpeg", fileUri: "https://example.com/cat.JPG?size=2" } },
            { fileData: { fileUri: "https://example.com/picture" } },
            { inlineData: { mimeType: "image/png", data: "iVBORw0=" } },
            { inlineData: { mimeType: "application/pdf", data: "JVBERi0=" } },
            { inlineData: { mimeType: "audio/mpeg", data: "SUQz" } },
          ],
        },
      ],
    },
  ],
];

const imageResult: ChatMessage[] = [
  say("assistant", { type: "tool-call", id: "c1", name: "draw", arguments: "{}", ...signed("eA==") }),
  say("tool", {
    type: "tool-result",
    toolCallId: "c1",
    content: [
      { type: "text", text: "here" },
      { type: "image", source: { kind: "base64", mediaType: "image/png", data: "iVBORw0=" } },
    ],
  }),
];

describe("the conversation in a Gemini request", () => {
  it.each(conversations)("%s", (_name, model, messages, body) => {
    expect(write({ messages }, model)).toMatchObject({ body, unsupported: [] });
    expect(write({ messages }, model).body).toEqual(body);
  });

  const image = { inlineData: { mimeType: "image/png", data: "iVBORw0=" } };
  const drawn = { id: "c1", name: "draw", response: { output: "here" } };
  it.each([
    [flash3, [[{ functionResponse: { ...drawn, parts: [image] } }]]],
    [pro25, [[{ functionResponse: drawn }], [image]]],
  ])("an image a tool gave reaches %s", (model, contents) => {
    const [, ...after] = write({ messages: imageResult }, model).body.contents as unknown[];
    expect(after).toEqual(contents.map((parts) => ({ role: "user", parts })));
  });

  const call = (id: string): ContentPart => ({ type: "tool-call", id, name: id, arguments: "{}" });
  const result = (id: string): ContentPart => ({ type: "tool-result", toolCallId: id, content: [] });
  /** The contents as words: `model: a b`. */
  const outline = (messages: ChatMessage[]) =>
    (write({ messages }).body.contents as { role: string; parts: Record<string, { name: string }>[] }[]).map(
      ({ role, parts }) =>
        `${role}: ${parts.map((part) => part.text ?? (part.functionCall ?? part.functionResponse)?.name).join(" ")}`,
    );

  it.each<[string, ChatMessage[], string[]]>([
    ["words beside a result", [say("user", result("a"), "note")], ["user: a", "user: note"]],
    ["words before a result", [say("user", "note", result("a"))], ["user: a", "user: note"]],
    ["words in a message before", [say("user", "note"), say("tool", result("a"))], ["user: a", "user: note"]],
    [
      "words between the results of two calls",
      [say("tool", result("b")), say("user", "one"), say("tool", result("a")), say("user", "two")],
      ["user: a b", "user: one", "user: two"],
    ],
    ["an empty turn of the model before", [say("assistant"), say("tool", result("a"))], ["user: a"]],
  ])("results stand alone, right after their calls: %s", (_name, after, contents) => {
    const calls = say("assistant", call("a"), ...(contents[0] === "user: a b" ? [call("b")] : []));
    const [, model, ...others] = outline([say("user", "Hi"), calls, ...after]);
    expect([model?.replace("model", "user"), ...others]).toEqual([contents[0], ...contents]);
  });

  it("the model's turn that the caller has as several messages is one content", () => {
    const messages = [say("user", "Hi"), say("assistant", "I look."), say("assistant", call("a"))];
    expect(outline([...messages, say("tool", result("a"))])).toEqual([
      "user: Hi",
      "model: I look. a",
      "user: a",
    ]);
  });

  it.each<[string, ContentPart, string]>([
    ["a foreign file id", { type: "file", source: { kind: "id", id: "file-abc" } }, "file"],
    ["unsigned reasoning", { type: "reasoning", text: "Hm" }, "reasoning_content"],
    ["Claude's reasoning", { type: "reasoning", text: "Hm", signature: "eA==" }, "reasoning_content"],
    ["Claude's redacted reasoning", { type: "reasoning", text: "", redacted: "eA==" }, "reasoning_content"],
    [
      "another dialect's block",
      { type: "opaque", dialect: "anthropic", data: { type: "x" } },
      "messages.content",
    ],
  ])("leaves out %s and says so", (_name, part, name) => {
    const written = write({ messages: [say("user", "Hello", part)] });
    expect(written.body).toEqual({ contents: hello });
    expect(written.unsupported).toEqual([name]);
  });

  it("wraps arguments that are no object and says so", () => {
    const messages = [say("assistant", { type: "tool-call", id: "c", name: "f", arguments: "[1" })];
    const written = write({ messages });
    expect(written.body.contents).toEqual([
      { role: "model", parts: [{ functionCall: { id: "c", name: "f", args: { _raw: "[1" } } }] },
    ]);
    expect(written.unsupported).toEqual(["tool_calls.function.arguments"]);
  });
});
