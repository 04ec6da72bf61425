// Pictures that Gemini generates: written to callers of chat completions as OpenRouter writes them, and read back on the next turn.
import { describe, expect, test } from "vitest";
import { buildMessage } from "../../../edge/dialects/caller/anthropic/write-reply.ts";
import { readChatRequest } from "../../../edge/dialects/caller/openai/read-request.ts";
import { ChatCompletionRequest } from "../../../edge/dialects/caller/openai/schema.ts";
import { buildChatCompletion } from "../../../edge/dialects/caller/openai/write-reply.ts";
import { createChatStreamWriter } from "../../../edge/dialects/caller/openai/write-stream.ts";
import { anthropicDialect } from "../../../edge/dialects/provider/anthropic/dialect.ts";
import { geminiDialect } from "../../../edge/dialects/provider/gemini/dialect.ts";
import { alphaDialect, routerDialect } from "../../../edge/dialects/provider/openai/dialect.ts";
import { replay, toSse } from "./replay.ts";

const sketch = { inlineData: { mimeType: "image/png", data: "c2tldGNo" }, thought: true };
const first = { inlineData: { mimeType: "image/png", data: "Zmlyc3Q=" }, thoughtSignature: "c2VhbA==" };
const second = { inlineData: { mimeType: "image/jpeg", data: "c2Vjb25k" } };
const answer = [
  { candidates: [{ content: { parts: [sketch, { text: "Here: " }, first] }, index: 0 }] },
  { candidates: [{ content: { parts: [second, { text: "and another." }] }, finishReason: "STOP" }] },
];

const images = [
  {
    type: "image_url",
    image_url: { url: "data:image/png;base64,Zmlyc3Q=" },
    index: 0,
    extra_content: { google: { thought_signature: "c2VhbA==" } },
  },
  { type: "image_url", image_url: { url: "data:image/jpeg;base64,c2Vjb25k" }, index: 1 },
];

const events = () => replay(geminiDialect, [toSse(answer, false)]);
const facts = { id: "chatcmpl-1", created: 1, model: "m" };
const message = () => buildChatCompletion(events(), facts).choices[0]!.message;

describe("a picture in an answer of Gemini's", () => {
  test("is in `images` of the message, with its signature; a sketch made while thinking is not", () => {
    expect(message()).toMatchObject({ content: "Here: and another.", images });
  });

  test("is in `images` of a delta", () => {
    const text = createChatStreamWriter({ ...facts, includeUsage: false }).write(events());
    const chunks = text
      .split("\n\n")
      .filter(Boolean)
      .map((chunk) => JSON.parse(chunk.slice("data: ".length)));
    expect(chunks.flatMap(({ choices }) => choices[0].delta.images ?? [])).toEqual(images);
  });

  test("goes to callers of messages sealed, as every part only Gemini reads", () => {
    const { content } = buildMessage(events(), { id: "msg_1", model: "m", provider: "gemini" });
    expect(content.map(({ type }) => type)).toEqual([
      "redacted_thinking",
      "text",
      "redacted_thinking",
      "redacted_thinking",
      "text",
    ]);
  });
});

describe("a picture sent back", () => {
  const request = () =>
    readChatRequest(
      ChatCompletionRequest.parse({
        model: "m",
        messages: [
          { role: "user", content: "Draw" },
          message(),
          { role: "user", content: "Once more, in blue" },
        ],
      }),
    ).request;

  test("returns to Gemini with its signature", () => {
    const { body, unsupported } = geminiDialect.writeRequest(request(), { model: "gemini-3-pro-image" });
    expect((body.contents as unknown[])[1]).toEqual({
      role: "model",
      parts: [{ text: "Here: and another." }, first, second],
    });
    expect(unsupported).toEqual([]);
  });

  test("goes to the aggregator as it gave it", () => {
    const { body, unsupported } = routerDialect.writeRequest(request(), {
      model: "google/gemini-3-pro-image",
    });
    expect((body.messages as unknown[])[1]).toEqual({
      role: "assistant",
      content: "Here: and another.",
      images,
    });
    expect(unsupported).toEqual([]);
  });

  test.each([
    ["OpenAI", alphaDialect, "gpt-4o"],
    ["Anthropic", anthropicDialect, "claude-sonnet-4-5"],
  ])("is left out for %s, which takes none there, and named", (_name, dialect, model) => {
    const { body, unsupported } = dialect.writeRequest(request(), { model, maxOutputTokens: 10 });
    expect(JSON.stringify(body)).not.toContain("Zmlyc3Q");
    expect(unsupported).toContain("messages.images");
  });
});
