// To OpenAI itself, and to the aggregator.
import { describe, expect, test } from "vitest";
import type { ChatMessage, ChatRequest, ContentPart } from "../../../../../shared/chat.ts";
import { messages, toAlpha, toRouter } from "./written-request.ts";

describe("pictures, documents and sound in a message", () => {
  const user = (...parts: ContentPart[]): ChatMessage => ({ role: "user", parts });
  const writeUser = (write: typeof toAlpha, part: ContentPart, fields: Partial<ChatRequest> = {}) => {
    const written = write({ messages: [user({ type: "text", text: "see" }, part)], ...fields });
    const { content } = messages(written)[0] ?? {};
    return { part: Array.isArray(content) ? content[1] : undefined, unsupported: written.unsupported };
  };
  const data = (mediaType: string, text = "AAAA") => ({ kind: "base64", mediaType, data: text }) as const;

  test.each<[string, ContentPart, object]>([
    [
      "image by URL",
      { type: "image", source: { kind: "url", url: "https://a.test/i" }, detail: "low" },
      { type: "image_url", image_url: { url: "https://a.test/i", detail: "low" } },
    ],
    [
      "image inline",
      { type: "image", source: data("image/png;x=y") },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    ],
    [
      "image as file",
      { type: "file", source: data("image/webp") },
      { type: "image_url", image_url: { url: "data:image/webp;base64,AAAA" } },
    ],
    [
      "audio",
      { type: "file", source: data("audio/mpeg") },
      { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
    ],
    [
      "PDF",
      { type: "file", source: data("application/pdf") },
      { type: "file", file: { filename: "document.pdf", file_data: "data:application/pdf;base64,AAAA" } },
    ],
    [
      "text document",
      { type: "file", source: data("text/plain", btoa("plain words")) },
      { type: "text", text: "plain words" },
    ],
  ])("%s", (_, part, expected) => {
    for (const write of [toAlpha, toRouter])
      expect(writeUser(write, part)).toEqual({ part: expected, unsupported: [] });
  });

  test("what one of the two refuses is named there and sent to the other", () => {
    const byId: ContentPart = { type: "file", source: { kind: "id", id: "file-1" } };
    const byUrl: ContentPart = { type: "file", source: { kind: "url", url: "https://a.test/a.pdf" } };
    const flac: ContentPart = { type: "file", source: data("audio/flac") };
    const marked: ContentPart = {
      type: "text",
      text: "t",
      providerData: { cache_control: { type: "ephemeral" } },
    };
    expect(writeUser(toAlpha, byId).part).toEqual({ type: "file", file: { file_id: "file-1" } });
    expect(writeUser(toAlpha, byId, { callerDialect: "anthropic" }).unsupported).toEqual([
      "messages.content.document",
    ]);
    expect(writeUser(toRouter, byId).unsupported).toEqual(["file"]);
    expect(writeUser(toRouter, byUrl).part).toEqual({
      type: "file",
      file: { file_data: "https://a.test/a.pdf" },
    });
    expect(writeUser(toAlpha, byUrl).unsupported).toEqual(["file"]);
    expect(writeUser(toRouter, flac).part).toEqual({
      type: "input_audio",
      input_audio: { data: "AAAA", format: "flac" },
    });
    expect(writeUser(toAlpha, flac).unsupported).toEqual(["input_audio"]);
    expect(writeUser(toRouter, marked).part).toEqual({
      type: "text",
      text: "t",
      cache_control: { type: "ephemeral" },
    });
    expect(writeUser(toAlpha, marked)).toEqual({
      part: { type: "text", text: "t" },
      unsupported: ["cache_control"],
    });
  });

  test("names fit a header, whatever the caller called its fields", () => {
    const marked: ContentPart = { type: "text", text: "t", providerData: { "bad\r\nname: 世": 1 } };
    expect(writeUser(toAlpha, marked).unsupported).toEqual(["bad__name___"]);
  });
});
