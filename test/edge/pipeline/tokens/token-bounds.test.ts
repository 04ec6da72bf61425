import { describe, expect, test } from "vitest";
import { loopInputAllowance } from "../../../../edge/pipeline/agent-loop.ts";
import {
  boundInputTokens,
  countImages,
  countInputTokens,
  createPromptCounts,
} from "../../../../edge/pipeline/tokens/token-bounds.ts";
import { withTrailingText } from "../../../../edge/pipeline/trailing-text.ts";
import type { ChatRequest, ContentPart, FilePart } from "../../../../shared/chat.ts";
import { maxPlanBlockBytes, writePlanBlock } from "../../../../shared/plan-block.ts";
import type { PlanResponse } from "../../../../shared/planning.ts";
import { requestOf, saying } from "../../support/chat-request.ts";

const route = { model: "openai/gpt-4o", contextWindow: 1_000_000 };
const bound = (...parts: ContentPart[]) => boundInputTokens(saying(...parts), route);
const hi: ContentPart = { type: "text", text: "hi" };
const file = (mediaType: string, data: string): FilePart => ({
  type: "file",
  source: { kind: "base64", mediaType, data },
});

const toBase64 = (bytes: Iterable<number>): string => Buffer.from([...bytes]).toString("base64");

/** A RIFF WAVE of so many seconds, 16-bit mono, as base64. */
function wav(seconds: number, { rate = 24_000, format = 1, inner = 1, block = 2, bits = 16 } = {}): string {
  const bytes = new Uint8Array(48 + seconds * rate * block);
  const view = new DataView(bytes.buffer);
  const name = (at: number, text: string) => {
    for (const [index, char] of [...text].entries()) bytes[at + index] = char.charCodeAt(0);
  };
  name(0, "RIFF");
  name(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, format, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint16(32, block, true);
  view.setUint16(34, bits, true);
  view.setUint16(44, inner, true);
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8_192)
    binary += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(binary);
}

describe("the bound of a prompt", () => {
  test("of the longest plan there is covers the block", () => {
    const steps = Array.from({ length: 10 }, () => ({ actionName: "a".repeat(20), probability: 1 }));
    const tool = "t".repeat(64);
    const plan = { steps, brainSignal: { actionType: tool, confidence: 1 } } as unknown as PlanResponse;
    const block = writePlanBlock(plan, [tool]);
    expect(block).toBeDefined();
    const sent = withTrailingText(saying(hi), [block], route.model);
    expect(boundInputTokens(sent, route)).toBeLessThanOrEqual(bound(hi) + maxPlanBlockBytes + 16);
  });

  const long = "k7".repeat(500);
  const of = (part: object) => saying(part as ContentPart);
  test.each<[string, ChatRequest]>([
    ["a refusal", of({ type: "refusal", text: long })],
    ["reasoning", of({ type: "reasoning", text: long })],
    ["reasoning's signature", of({ type: "reasoning", text: "", signature: long })],
    ["hidden reasoning", of({ type: "reasoning", text: "", redacted: long })],
    ["a call's id", of({ type: "tool-call", id: long, name: "f", arguments: "" })],
    ["a call's name", of({ type: "tool-call", id: "c", name: long, arguments: "" })],
    ["a call's arguments", of({ type: "tool-call", id: "c", name: "f", arguments: long })],
    ["a result's id", of({ type: "tool-result", toolCallId: long, content: [] })],
    ["a result", of({ type: "tool-result", toolCallId: "c", content: [{ type: "text", text: long }] })],
    ["what only its vendor reads", of({ type: "opaque", data: { long } })],
    ["what others read of it", of({ type: "opaque", data: {}, fallback: [{ type: "text", text: long }] })],
    ["a part's signature", of({ type: "text", text: "", providerData: { thoughtSignature: long } })],
    ["a speaker's name", requestOf([{ role: "user", name: long, parts: [hi] }])],
    ["a tool", { ...saying(hi), tools: [{ name: "f", description: long }] }],
    ["a template's variables", { ...saying(hi), extra: { chat_template_kwargs: { long } } }],
  ])("counts each byte of %s", (_what, request) => {
    expect(boundInputTokens(request, route)).toBeGreaterThanOrEqual(long.length);
  });

  test("covers a tokenizer that composes characters first, which makes three bytes of one", () => {
    const sign = "\u{1D160}";
    const composed = new TextEncoder().encode(sign.normalize("NFC")).length;
    expect(composed).toBe(3 * new TextEncoder().encode(sign).length);
    expect(bound({ type: "text", text: sign.repeat(1_000) })).toBeGreaterThanOrEqual(1_000 * composed);
  });

  // Anthropic, "Tool use", pricing: 804 tokens of its own for a forced call of Claude Opus 4.7.
  test("of one small tool covers what its provider adds", () => {
    const request = { ...saying(hi), tools: [{ name: "f" }] };
    const added = boundInputTokens(request, { ...route, model: "claude-opus-4-7" }) - bound(hi);
    expect(added).toBeGreaterThan(804 + 40);
  });

  test("a block beyond what is held for is left out", () => {
    const steps = [{ actionName: "a".repeat(maxPlanBlockBytes), probability: 1 }];
    const plan = { steps, brainSignal: { actionType: "x", confidence: 1 } } as unknown as PlanResponse;
    expect(writePlanBlock(plan, [])).toBeUndefined();
  });

  test("of a loop grows by what its steps may say, and no more", () => {
    expect(loopInputAllowance(1)).toBe(768);
    expect(loopInputAllowance(5)).toBeLessThan(50_000);
  });
});

describe("the bound of a file", () => {
  test("a minute of sound is bounded by its seconds, not its bytes", () => {
    const minute = wav(60);
    expect(minute.length).toBeGreaterThan(3_000_000);
    expect(bound(file("audio/wav", minute))).toBeLessThan(60 * 40 + 300);
    expect(bound(file("audio/wav", minute))).toBeGreaterThan(60 * 32);
  });

  test.each([
    ["a compressed format", { format: 2 }],
    ["a compressed format in its extension", { format: 0xfffe, inner: 0xf1ac }],
    ["a rate of nothing", { rate: 0 }],
    ["samples of nothing", { bits: 0 }],
  ])("a header that says %s bounds nothing", (_what, odd) => {
    expect(bound(file("audio/wav", wav(0, odd) + "A".repeat(4_000)))).toBe(route.contextWindow);
  });

  test("a decoder goes by what makes most sound of a header's blocks, bits and rate", () => {
    const data = "A".repeat(4_000);
    const huge = bound(file("audio/wav", wav(0, { block: 60_000, bits: 8, rate: 8_000 }) + data));
    expect(huge).toBe(bound(file("audio/wav", wav(0, { block: 1, bits: 8, rate: 8_000 }) + data)));
    expect(bound(file("audio/wav", wav(0, { rate: 1 }) + data))).toBeGreaterThan(1_500 * 32);
    expect(bound(file("audio/wav", wav(1, { format: 0xfffe })))).toBeLessThan(500);
  });

  const frames = [0xff, 0xfb, 0x90, ...new Uint8Array(1_000_000)];
  const tag = [...Buffer.from("ID3"), 4, 0, 0, 0, 0, 1, 2, ...new Uint8Array(130)];
  test.each([
    ["a frame", frames],
    ["a tag before it", [...tag, ...frames]],
  ])("MP3 that begins with %s is bounded by its lowest bit rate", (_what, bytes) => {
    expect(bound(file("audio/mpeg", toBase64(bytes)))).toBeLessThan(43_000);
  });

  test.each([
    ["FLAC", [...Buffer.from("fLaC"), ...new Uint8Array(60)]],
    ["FLAC behind a tag", [...tag, ...Buffer.from("fLaC"), ...new Uint8Array(60)]],
    ["a free bit rate", [0xff, 0xfb, 0x00, ...new Uint8Array(60)]],
    ["nothing", []],
  ])("what is called MP3 and is %s is bounded by the window, as other formats are", (_what, bytes) => {
    expect(bound(file("audio/mpeg", toBase64(bytes)))).toBe(route.contextWindow);
    expect(bound(file("audio/flac", toBase64(bytes)))).toBe(route.contextWindow);
  });

  test("a text is bounded by its bytes, anything else by the window", () => {
    expect(bound(file("text/plain", btoa("x".repeat(3_000))))).toBeLessThan(3_300);
    expect(bound(file("application/pdf", "JVBERi0="))).toBe(route.contextWindow);
  });

  test.each([
    ["characters that a tokenizer composes", route, "\u{1D160}", 12],
    ["control characters in a call's result", { ...route, model: "meta-llama/llama-4" }, "\u0001", 6],
  ])("a text of %s is bounded as the same words in the prompt", (_what, model, sign, tokens) => {
    const data = toBase64(new TextEncoder().encode(sign.repeat(1_000)));
    const result: ContentPart = { type: "tool-result", toolCallId: "c", content: [file("text/plain", data)] };
    expect(boundInputTokens(saying(result), model)).toBeGreaterThanOrEqual(1_000 * tokens);
  });

  test("a text is bounded as it is sent: what is no UTF-8 becomes letters of three bytes, what is no base64 stays a file", () => {
    const binary = file("text/plain", toBase64(new Uint8Array(3_000).fill(0xff)));
    expect(bound(binary)).toBeGreaterThanOrEqual(9_000);
    expect(bound(file("text/x-pdf", `JVBERi0-${"A".repeat(400)}`))).toBe(route.contextWindow);
  });

  test("pictures are counted wherever they are", () => {
    const image: ContentPart = { type: "image", source: { kind: "url", url: "https://a.example/b.png" } };
    const result: ContentPart = { type: "tool-result", toolCallId: "c", content: [image, image] };
    expect(countImages(saying(image, hi, result))).toBe(3);
    // It is sent as a picture.
    expect(countImages(saying(file("image/png", "iVBORw0KGgo="), file("text/plain", "aGk=")))).toBe(1);
  });
});

describe("our count of a document", () => {
  const link: FilePart = { type: "file", source: { kind: "url", url: "https://a.example/b.pdf" } };
  const count = (part: FilePart) => {
    const asked = saying(part);
    const counts = createPromptCounts(route);
    return [counts.count(asked, false), counts.count(asked, true), countInputTokens(asked, route)];
  };

  test.each<[string, FilePart, number, number]>([
    ["of few bytes", file("application/pdf", "A".repeat(4_000)), 4_032, 4_032],
    ["of many", file("application/pdf", "A".repeat(400_000)), 20_032, 400_032],
    ["elsewhere", link, 20_032, route.contextWindow],
  ])(
    "%s is ten pages at most where no report came, and all it may be where the caller left or asked for it",
    (_what, part, usual, most) => {
      expect(count(part)).toEqual([usual, most, most]);
    },
  );
});

describe("a prompt may cost far more than we count", () => {
  const marked = { providerData: { cache_control: { type: "ephemeral" } } };
  const text: ContentPart = { ...hi, ...marked };
  const result: ContentPart = { type: "tool-result", toolCallId: "c", content: [text] };
  const found: ContentPart = { type: "opaque", dialect: "anthropic", data: {}, fallback: [hi, text] };

  test.each<[string, ChatRequest, boolean]>([
    ["without a cache mark", saying(hi), false],
    ["with one on a text", saying(hi, text), true],
    ["with one in a call's result", saying(result), true],
    ["with one on what a search found", saying(found), true],
    ["with one on a tool", { ...saying(hi), tools: [{ name: "f", ...marked }] }, true],
    ["with one on the whole", { ...saying(hi), extra: marked.providerData }, true],
    ["with one of OpenAI's", saying({ ...hi, providerData: { prompt_cache_breakpoint: {} } }), true],
    ["with a mark of null", saying({ ...hi, providerData: { cache_control: null } }), false],
  ])("%s", (_what, asked, hard) => {
    expect(createPromptCounts(route).isHard(asked)).toBe(hard);
  });
});
