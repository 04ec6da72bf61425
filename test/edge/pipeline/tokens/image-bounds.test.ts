import { describe, expect, test } from "vitest";
import { boundImageTokens } from "../../../../edge/pipeline/tokens/image-bounds.ts";
import type { ImagePart } from "../../../../shared/chat.ts";

const url: ImagePart = { type: "image", source: { kind: "url", url: "https://a.example/b.png" } };
const image = (bytes: readonly number[], rest = "A".repeat(64)): ImagePart => {
  const padded = [...bytes, ...Array<number>((3 - (bytes.length % 3)) % 3).fill(0)];
  const head = btoa(padded.map((byte) => String.fromCharCode(byte)).join(""));
  return { type: "image", source: { kind: "base64", mediaType: "image/png", data: head + rest } };
};
const u16 = (value: number) => [value >> 8, value & 255];
const text = (chars: string) => [...chars].map((char) => char.charCodeAt(0));

const png = (width: number, height: number, name = "IHDR") => [
  ...[0x89, ...text("PNG\r\n"), 0x1a, 0x0a, 0, 0, 0, 13, ...text(name)],
  ...[0, 0, ...u16(width), 0, 0, ...u16(height)],
];
const segment = (marker: number, length: number) => [
  ...[0xff, marker, ...u16(length + 2)],
  ...Array<number>(length).fill(0),
];
const frame = (width: number, height: number, marker = 0xc2) => [
  ...[0xff, marker, ...u16(17), 8, ...u16(height), ...u16(width)],
  ...Array<number>(10).fill(1),
];
const jpeg = (...segments: number[][]) => [0xff, 0xd8, ...segments.flat()];

describe("the bound of a picture", () => {
  // OpenAI refuses one of more than 30,000 patches of 32 x 32.
  test.each([
    [5_500, 5_500, 172 * 172 * 1.2],
    [1_024, 25_000, 32 * 782 * 1.2],
    [1_920, 1_080, 60 * 34 * 1.2],
  ])("of %i x %i covers what GPT-6 counts", (width, height, counted) => {
    for (const bytes of [png(width, height), jpeg(segment(0xe1, 9_000), frame(width, height))]) {
      const bound = boundImageTokens("openai/gpt-6-sol", image(bytes));
      expect(bound).toBeGreaterThanOrEqual(Math.min(counted, 36_000));
      expect(bound).toBeLessThanOrEqual(36_000);
    }
  });

  test.each([
    ["openai/gpt-5.6-luna", 36_000],
    ["gpt-6.1-sol", 36_000],
    ["~openai/gpt-latest", 36_000],
    ["~openai/gpt-mini-latest", 36_000],
    ["openai/gpt-chat-latest", 36_000],
    ["openai/chatgpt-4o-latest", 6_000],
    ["openai/gpt-5.5", 12_000],
    ["qwen/qwen2.5-vl-72b-instruct", 16_384],
    ["meta-llama/llama-3.2-90b-vision-instruct", 6_500],
    ["minimax/minimax-01", 24_000],
    ["microsoft/phi-4-multimodal-instruct", 10_240],
    ["baidu/ernie-4.5-vl-424b-a47b", 7_500],
    ["z-ai/glm-4.6v", 7_500],
    ["z-ai/glm-4.6", 6_000],
    ["minimax/minimax-m2.5", 6_000],
    ["openai/gpt-4o-mini", 50_000],
    ["openai/gpt-4o", 6_000],
    ["openai/gpt-5-mini", 6_000],
    ["anthropic/claude-opus-5", 6_000],
    ["google/gemini-3.5-flash", 6_000],
  ])("that is somewhere else is %s's largest: %i", (model, most) => {
    expect(boundImageTokens(model, url)).toBe(most);
    expect(boundImageTokens(model, image(png(60_000, 60_000)))).toBe(most);
  });

  test("of a screenshot is as for other models", () => {
    for (const bytes of [png(1_920, 1_080), jpeg(segment(0xe0, 14), segment(0xc4, 20), frame(1_920, 1_080))])
      expect(boundImageTokens("openai/gpt-6-sol", image(bytes))).toBe(6_000);
  });

  test("is smaller where its caller has it shrunk, at the models that do", () => {
    expect(boundImageTokens("openai/gpt-6-sol", { ...url, detail: "high" })).toBe(6_000);
    expect(boundImageTokens("openai/gpt-6-sol", { ...url, detail: "auto" })).toBe(36_000);
    expect(boundImageTokens("qwen/qwen3-vl-8b-instruct", { ...url, detail: "low" })).toBe(16_384);
  });

  test.each([
    ["another format", image(text("GIF89a\u0001\u0000\u0001\u0000"))],
    ["a PNG without its header", image(png(8, 8, "IDAT"))],
    ["a PNG of no width", image(png(0, 8))],
    [
      "base64 with a line break, which decoders read in two ways",
      image([], `iVBORw0KGgo\n${"A".repeat(64)}`),
    ],
    ["a JPEG whose frame is too far", image(jpeg(segment(0xe1, 65_000), segment(0xe1, 65_000), frame(8, 8)))],
    ["a JPEG with pixels first", image(jpeg(segment(0xda, 8), frame(8, 8)))],
    ["a JPEG that fills the place before its frame", image(jpeg([0xff, ...frame(8, 8)]))],
    ["a JPEG that ends", image(jpeg(segment(0xe1, 30)), "")],
    ["a JPEG whose height comes later", image(jpeg(frame(8, 0)))],
  ])("of %s is the largest", (_what, part) => {
    expect(boundImageTokens("openai/gpt-6-sol", part)).toBe(36_000);
  });
});
