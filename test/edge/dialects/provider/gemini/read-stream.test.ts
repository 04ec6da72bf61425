import { describe, expect, it } from "vitest";
import { geminiDialect } from "../../../../../edge/dialects/provider/gemini/dialect.ts";
import type { ChatEvent } from "../../../../../shared/chat.ts";
import {
  type Chunk,
  chunk,
  otherParts,
  parallelCalls,
  streamedCalls,
  streams,
  text,
  thinking,
} from "../../../../fixtures/gemini-streams.ts";
import { everyCut, replay, toolArguments, toSse } from "../../replay.ts";

const read = (chunks: readonly Chunk[]) => replay(geminiDialect, [toSse(chunks, false)]);
const withoutUsage = (events: ChatEvent[]) => events.filter(({ type }) => type !== "usage");
const start = { type: "start", id: "resp-Hand_1", model: "gemini-3-flash" };
const finish = { type: "finish", choice: 0, reason: "stop", raw: "STOP" };

describe("the generateContent stream", () => {
  it("gives text, and nothing for empty parts", () => {
    expect(withoutUsage(read(text))).toEqual([
      start,
      { type: "text-delta", choice: 0, block: 0, text: "Guten Tag, " },
      { type: "text-delta", choice: 0, block: 0, text: "世界" },
      { type: "text-delta", choice: 0, block: 0, text: " 👩‍🚀!" },
      finish,
    ]);
  });

  it("keeps thoughts apart from text, and ends a text at its signature", () => {
    expect(withoutUsage(read(thinking))).toEqual([
      start,
      { type: "reasoning-delta", choice: 0, block: 0, text: "Weighing " },
      { type: "reasoning-delta", choice: 0, block: 0, text: "it." },
      { type: "text-delta", choice: 0, block: 1, text: "Yes" },
      { type: "signature", choice: 0, block: 1, signature: "c2VhbA==" },
      { type: "text-delta", choice: 0, block: 2, text: "Postscript" },
      finish,
    ]);
  });

  it("gives a signature without text a block of its own", () => {
    const events = read([chunk([{ text: "", thoughtSignature: "c2VhbA==" }], { finishReason: "STOP" })]);
    expect(events.slice(1, 3)).toEqual([
      { type: "text-delta", choice: 0, block: 0, text: "" },
      { type: "signature", choice: 0, block: 0, signature: "c2VhbA==" },
    ]);
  });

  it("keeps parallel calls apart, each with an id, its signature and valid JSON arguments", () => {
    const events = read(parallelCalls);
    expect(withoutUsage(events)).toEqual([
      start,
      { type: "text-delta", choice: 0, block: 0, text: "Looking." },
      { type: "tool-call-start", choice: 0, block: 1, id: "call_resp-Hand_1_0", name: "weather" },
      { type: "signature", choice: 0, block: 1, signature: "Zmlyc3Q=" },
      { type: "tool-call-delta", choice: 0, block: 1, arguments: '{"city":"Zürich"}' },
      { type: "tool-call-end", choice: 0, block: 1 },
      { type: "tool-call-start", choice: 0, block: 2, id: "call_resp-Hand_1_1", name: "now" },
      { type: "tool-call-delta", choice: 0, block: 2, arguments: "{}" },
      { type: "tool-call-end", choice: 0, block: 2 },
      { type: "tool-call-start", choice: 0, block: 3, id: "given-1", name: "convert" },
      { type: "tool-call-delta", choice: 0, block: 3, arguments: '{"amount":3}' },
      { type: "tool-call-end", choice: 0, block: 3 },
      { ...finish, reason: "tool-calls" },
    ]);
  });

  it("joins arguments that come in pieces, also where the closing piece is lost", () => {
    const events = read(streamedCalls);
    expect(toolArguments(events)).toEqual({
      cook: {
        recipe: {
          name: "Rösti",
          ingredients: [{ amount: 2.5, unit: null }, { "odd key.x": false }],
          steps: ["Grate", "Fry"],
        },
      },
      serve: { guests: 4 },
    });
    expect(events.filter(({ type }) => type === "tool-call-end")).toHaveLength(2);
    expect(events.find(({ type }) => type === "signature")).toMatchObject({
      block: 0,
      signature: "Y29vaw==",
    });
    expect(events.at(-1)).toMatchObject({ reason: "tool-calls" });
  });

  it("hands every other part on whole", () => {
    const opaque = (block: number, data: unknown) => ({
      type: "opaque",
      choice: 0,
      block,
      dialect: "gemini",
      data,
    });
    expect(withoutUsage(read(otherParts))).toEqual([
      start,
      { type: "text-delta", choice: 0, block: 0, text: "Running." },
      opaque(1, { executableCode: { language: "PYTHON", code: "print(1)" } }),
      opaque(2, { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n" } }),
      {
        ...opaque(3, { inlineData: { mimeType: "image/png", data: "iVBORw0=" }, thoughtSignature: "aW1n" }),
        image: { mediaType: "image/png", data: "iVBORw0=", signature: "aW1n" },
      },
      { type: "text-delta", choice: 0, block: 4, text: "Done." },
      { ...opaque(4, { groundingMetadata: { webSearchQueries: ["one"] } }), annotation: true },
      {
        ...finish,
        providerData: {
          safetyRatings: [{ category: "HARM_CATEGORY_HARASSMENT", probability: "NEGLIGIBLE" }],
        },
      },
    ]);
  });

  it.each(Object.entries(streams))(
    "gives the same events for %s however its bytes are cut",
    (_name, chunks) => {
      const bytes = toSse(chunks, false);
      const whole = JSON.stringify(replay(geminiDialect, [bytes]));
      for (const pieces of everyCut(bytes)) expect(JSON.stringify(replay(geminiDialect, pieces))).toBe(whole);
    },
  );

  it("keeps what each of many chunks alike has said", () => {
    const chunks = [1, 2, 3, 4].map((count) => ({
      candidates: [{ content: { parts: [{ text: `${count} ` }], role: "model" }, index: 0 }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: count, totalTokenCount: 9 + count },
      responseId: "resp",
    }));
    const events = replay(geminiDialect, [toSse(chunks, false)]);
    expect(events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []))).toEqual([
      "1 ",
      "2 ",
      "3 ",
      "4 ",
    ]);
    expect(
      events.flatMap((event) => (event.type === "usage" ? [[event.usage.output, event.usage.total]] : [])),
    ).toEqual([1, 2, 3, 4].map((count) => [count, 9 + count]));
  });

  it("tells when the answer was made and how likely its tokens were", () => {
    const logprobsResult = {
      chosenCandidates: [{ token: "Ja", logProbability: -0.1 }],
      topCandidates: [{ candidates: [{ token: "Ja", logProbability: -0.1 }] }],
    };
    const events = read([
      chunk(
        [{ text: "Ja" }],
        { finishReason: "STOP", logprobsResult },
        { createTime: "2026-04-02T17:03:50.399Z" },
      ),
    ]);
    expect(events[0]).toMatchObject({ type: "start", created: 1_775_149_430 });
    const entry = { token: "Ja", logprob: -0.1, bytes: [74, 97] };
    expect(events).toContainEqual({
      type: "logprobs",
      choice: 0,
      data: { content: [{ ...entry, top_logprobs: [entry] }] },
    });
  });
});
