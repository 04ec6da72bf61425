import { describe, expect, test } from "vitest";
import { routerDialect } from "../../../../../edge/dialects/provider/openai/dialect.ts";
import type { ChatRequest, ContentPart, ImagePart } from "../../../../../shared/chat.ts";
import { chatRequest } from "../../replay.ts";

const request = (parts: ContentPart[], extra: ChatRequest["extra"] = {}): ChatRequest =>
  chatRequest({ messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }, ...parts] }], extra });
const write = (asked: ChatRequest, pdfEngine?: "native" | "cloudflare-ai") =>
  routerDialect.writeRequest(asked, { model: "meta/llama", ...(pdfEngine && { pdfEngine }) }).body;
const data = (mediaType: string): ImagePart["source"] => ({ kind: "base64", mediaType, data: "AAAA" });
const byUrl: ContentPart = { type: "file", source: { kind: "url", url: "https://a.test/a.pdf" } };
const named = (engine: string) => [{ id: "file-parser", pdf: { engine } }];

describe("the engine that reads documents", () => {
  test.each<[string, ContentPart]>([
    ["a document by its address", byUrl],
    ["a PDF", { type: "file", source: data("application/pdf") }],
    ["a PDF that is called an image", { type: "image", source: data("application/pdf") }],
    ["a document in a tool's result", { type: "tool-result", toolCallId: "1", content: [byUrl] }],
  ])("is named for %s", (_what, part) => {
    for (const engine of ["native", "cloudflare-ai"] as const) {
      expect(write(request([part]), engine).plugins).toEqual(named(engine));
    }
  });

  test.each<[string, ContentPart[]]>([
    ["words alone", []],
    ["a picture", [{ type: "image", source: data("image/png") }]],
    ["a picture sent as a file", [{ type: "file", source: data("image/png") }]],
    ["sound", [{ type: "file", source: data("audio/wav") }]],
    ["a text", [{ type: "file", source: { kind: "base64", mediaType: "text/plain", data: "SGk=" } }]],
  ])("is not named for %s, where none is at work", (_what, parts) => {
    expect(write(request(parts), "cloudflare-ai")).not.toHaveProperty("plugins");
  });

  test("is the caller's own choice where none is set", () => {
    const plugins = named("mistral-ocr");
    expect(write(request([byUrl]))).not.toHaveProperty("plugins");
    expect(write(request([byUrl], { plugins })).plugins).toEqual(plugins);
  });

  test("is the operator's if one is set, whatever the request names", () => {
    const plugins = named("mistral-ocr");
    expect(write(request([byUrl], { plugins }), "cloudflare-ai").plugins).toEqual(named("cloudflare-ai"));
  });
});
