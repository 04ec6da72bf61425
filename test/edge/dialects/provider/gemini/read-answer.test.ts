import { describe, expect, it } from "vitest";
import { geminiDialect } from "../../../../../edge/dialects/provider/gemini/dialect.ts";
import {
  blockedPrompt,
  type Chunk,
  chunk,
  cutByLimit,
  mixedTools,
  streamedCalls,
  streamedLists,
  text,
  thinking,
} from "../../../../fixtures/gemini-streams.ts";
import { replay, toolArguments, toSse } from "../../replay.ts";

const read = (chunks: readonly Chunk[]) => replay(geminiDialect, [toSse(chunks, false)]);

const finish = { type: "finish", choice: 0, reason: "stop", raw: "STOP" };

describe("shapes that are rare in a generateContent stream", () => {
  it("leaves the provider's own tools to it; the caller's calls keep their arguments", () => {
    const events = read(mixedTools);
    expect(events.filter(({ type }) => type === "opaque")).toHaveLength(2);
    expect(toolArguments(events)).toEqual({ pack: { items: [["ski", 2], []], heavy: false }, leave: {} });
    expect(events.at(-1)).toEqual({ type: "finish", choice: 0, reason: "tool-calls", raw: "STOP" });
    expect(events.findLast(({ type }) => type === "usage")).toMatchObject({ usage: { total: 62 } });
  });

  it("puts lists of lists and quoted names together", () => {
    expect(toolArguments(read(streamedLists))).toEqual({
      plot: { points: [[1, -0.5], [0]], "x-axis": "Höhe (m)" },
    });
  });

  it.each([
    [cutByLimit, "length", { input: 7, output: 21, total: 28, reasoning: 20 }],
    [blockedPrompt, "content-filter", { input: 8, output: 0, total: 8 }],
  ])("ends with the expected reason and usage: %#", (chunks, reason, usage) => {
    const events = read(chunks);
    expect(events.at(-1)).toMatchObject({ type: "finish", reason });
    expect(events.findLast(({ type }) => type === "usage")).toMatchObject({ usage });
  });
});

describe("usage of a generateContent stream", () => {
  const lastUsage = (chunks: readonly Chunk[]) =>
    read(chunks).findLast((event) => event.type === "usage")?.usage;

  it("counts tool results as input and thoughts as output", () => {
    expect(lastUsage(thinking)).toMatchObject({
      input: 25,
      output: 37,
      total: 62,
      cachedInput: 16,
      reasoning: 30,
      audioInput: 8,
    });
  });

  it("is read from the total where the answer has no count of its own", () => {
    const usageMetadata = { promptTokenCount: 9, thoughtsTokenCount: 4, totalTokenCount: 20 };
    expect(lastUsage([chunk([{ text: "Hi" }], { finishReason: "STOP" }, { usageMetadata })])).toMatchObject({
      input: 9,
      output: 11,
      total: 20,
      reasoning: 4,
    });
    const tooSmall = { usageMetadata: { promptTokenCount: 9, totalTokenCount: 4 } };
    expect(lastUsage([chunk([{ text: "Hi" }], { finishReason: "STOP" }, tooSmall)])).toMatchObject({
      output: 0,
    });
    const totalAlone = { usageMetadata: { totalTokenCount: 20 } };
    expect(lastUsage([chunk([{ text: "Hi" }], { finishReason: "STOP" }, totalAlone)])).toMatchObject({
      output: 0,
      total: 20,
    });
  });

  it("is that of the last chunk that has counts", () => {
    expect(lastUsage(text)).toMatchObject({ input: 9, output: 8, total: 17 });
    const trailing = chunk([], {}, { usageMetadata: { trafficType: "ON_DEMAND" } });
    expect(lastUsage([...text, trailing])).toMatchObject({ total: 17 });
    expect(read(streamedCalls).filter(({ type }) => type === "usage")).toHaveLength(1);
  });
});

describe("the end of a generateContent stream", () => {
  it.each([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content-filter"],
    ["RECITATION", "content-filter"],
    ["PROHIBITED_CONTENT", "content-filter"],
    ["IMAGE_SAFETY", "content-filter"],
    ["A_REASON_OF_NEXT_YEAR", "other"],
  ])("reads %s as %s and keeps the provider's word", (raw, reason) => {
    expect(read([chunk([{ text: "Hi" }], { finishReason: raw })]).at(-1)).toEqual({
      ...finish,
      reason,
      raw,
    });
  });

  it.each([
    [
      "MALFORMED_FUNCTION_CALL",
      "Malformed function call: print(find())",
      /cannot be read.*: Malformed function call/,
    ],
    ["UNEXPECTED_TOOL_CALL", undefined, /UNEXPECTED_TOOL_CALL/],
    ["MALFORMED_RESPONSE", undefined, /MALFORMED_RESPONSE/],
    ["MISSING_THOUGHT_SIGNATURE", undefined, /MISSING_THOUGHT_SIGNATURE/],
  ])("is an error where a call or more was lost: %s (failures 37)", (finishReason, finishMessage, words) => {
    const events = read([chunk([{ text: "Hi" }]), chunk([], { finishReason, finishMessage })]);
    expect(events.at(-1)).toMatchObject({
      type: "error",
      code: "upstream_error",
      message: expect.stringMatching(words),
    });
    expect(events.filter(({ type }) => type === "finish")).toEqual([]);
  });

  it.each(["NO_IMAGE", "OTHER", "SOMETHING_NEW"])(
    "is an error where nothing was said for a reason that no caller has a word for: %s (failures 57)",
    (finishReason) => {
      expect(read([chunk([], { finishReason })])).toEqual([
        expect.objectContaining({ type: "start" }),
        {
          type: "error",
          code: "upstream_error",
          message: `The model answered nothing (${finishReason})`,
        },
      ]);
      expect(read([chunk([{ text: "Hi" }], { finishReason })]).at(-1)).toMatchObject({ type: "finish" });
      expect(read([chunk([], { finishReason: "SAFETY" })]).at(-1)).toMatchObject({ type: "finish" });
    },
  );

  it("does not hide a cut answer behind the calls in it", () => {
    const calls = chunk([{ functionCall: { name: "f", args: {} } }], { finishReason: "MAX_TOKENS" });
    expect(read([calls]).at(-1)).toMatchObject({ reason: "length" });
  });

  it("is reported once if every chunk repeats it", () => {
    const chunks = ["a", "b", "c"].map((piece) => chunk([{ text: piece }], { finishReason: "STOP" }));
    const events = read(chunks);
    expect(events.filter(({ type }) => type === "finish")).toHaveLength(1);
    expect(events.at(-1)).toEqual(finish);
  });

  it.each(["PROHIBITED_CONTENT", "OTHER", "JAILBREAK"])("tells a refused prompt: %s", (blockReason) => {
    const promptFeedback = { blockReason };
    expect(
      read([{ promptFeedback, usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 } }]),
    ).toMatchObject([
      { type: "start" },
      { type: "usage", usage: { input: 4, output: 0 } },
      {
        type: "finish",
        reason: "content-filter",
        raw: blockReason,
        providerData: { promptFeedback },
      },
    ]);
  });

  it.each([
    [{ code: 429, status: "RESOURCE_EXHAUSTED" }, "upstream_rate_limited"],
    [{ code: 503, status: "UNAVAILABLE" }, "upstream_overloaded"],
    [{ code: 504 }, "upstream_timeout"],
    [{ code: 500, status: "INTERNAL" }, "upstream_error"],
  ])("makes an error in a 200 stream the last event (%j)", (error, code) => {
    const events = read([text[0]!, { error: { ...error, message: "Sorry" } }, ...text]);
    expect(events.at(-1)).toEqual({ type: "error", code, message: "Sorry" });
    expect(events.filter(({ type }) => type === "text-delta")).toHaveLength(1);
  });

  it.each([
    ["outside the framing", (error: object) => JSON.stringify({ error }, null, 2)],
    ["in a list outside the framing", (error: object) => JSON.stringify([{ error }], null, 2)],
    ["in a list", (error: object) => `data: ${JSON.stringify([{ error }])}\n\n`],
  ])("reads the error that breaks a stream off %s (failures 78)", (_name, write) => {
    const error = { code: 429, message: "Quota exceeded", status: "RESOURCE_EXHAUSTED" };
    const pieces = [toSse(text.slice(0, 1), false, "\r\n"), new TextEncoder().encode(write(error))];
    expect(replay(geminiDialect, pieces).at(-1)).toEqual({
      type: "error",
      code: "upstream_rate_limited",
      message: "Quota exceeded",
    });
  });

  it("says that a stream cut in the middle was cut", () => {
    for (const count of [0, 1, 2]) {
      expect(read(text.slice(0, count)).at(-1)).toMatchObject({
        type: "error",
        code: "upstream_truncated",
      });
    }
  });

  it.each([
    ["data that is not JSON", "{"],
    ["a chunk of another shape", JSON.stringify({ candidates: "none" })],
    [
      "an argument path that cannot be read",
      JSON.stringify(
        chunk([
          { functionCall: { name: "f", partialArgs: [{ jsonPath: "$.a[99999999]", boolValue: true }] } },
        ]),
      ),
    ],
  ])("turns %s into an error event instead of throwing", (_name, data) => {
    const events = replay(geminiDialect, [
      toSse(text.slice(0, 1), false),
      new TextEncoder().encode(`data: ${data}\n\n`),
    ]);
    expect(events.at(-1)).toMatchObject({ type: "error", code: "upstream_error" });
  });
});

describe("a refused request", () => {
  it.each([
    [{ error: { code: 400, message: "bad", status: "INVALID_ARGUMENT" } }, "bad"],
    [[{ error: { message: "bad" } }], "bad"],
    ["<html>", undefined],
  ])("is told in the provider's words (%j)", (body, message) => {
    expect(geminiDialect.readRefusal(body).message).toBe(message);
  });
});

it("calls without an id, in an answer without one, are named apart from those of other answers", () => {
  const call = {
    candidates: [{ content: { parts: [{ functionCall: { name: "now" } }] }, finishReason: "STOP" }],
  };
  const ids = ["salt1", "salt2"].map((salt) => {
    const start = geminiDialect.readReply(call, salt).find(({ type }) => type === "tool-call-start");
    return start?.type === "tool-call-start" ? start.id : "";
  });
  expect(ids).toEqual(["call_salt1_0", "call_salt2_0"]);
});
