import { describe, expect, it } from "vitest";
import { geminiDialect } from "../../../../../edge/dialects/provider/gemini/dialect.ts";
import type { ChatEvent } from "../../../../../shared/chat.ts";
import { type Chunk, chunk, streams } from "../../../../fixtures/gemini-streams.ts";
import { replay, toolArguments, toSse } from "../../replay.ts";

const read = (chunks: readonly Chunk[]) => replay(geminiDialect, [toSse(chunks, false)]);

const start = { type: "start", id: "resp-Hand_1", model: "gemini-3-flash" };
const finish = { type: "finish", choice: 0, reason: "stop", raw: "STOP" };

describe("a whole generateContent reply", () => {
  it.each(Object.entries(streams))(
    "that says what the stream %s says gives the same events, deltas joined",
    (_name, chunks) => {
      const streamed = read(chunks);
      const reply = geminiDialect.readReply(chunks);
      const textOf = (events: ChatEvent[]) =>
        events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
      expect(textOf(reply)).toBe(textOf(streamed));
      expect(reply.filter(({ type }) => !/-delta$|^usage$/.test(type))).toEqual(
        streamed.filter(({ type }) => !/-delta$|^usage$/.test(type)),
      );
      expect(toolArguments(reply)).toEqual(toolArguments(streamed));
      expect(reply.filter(({ type }) => type === "usage").length).toBeLessThanOrEqual(1);
      const textBlocks = reply.flatMap((event) => (event.type === "text-delta" ? [event.block] : []));
      expect(new Set(textBlocks).size).toBe(textBlocks.length);
    },
  );

  it("may be one object", () => {
    expect(geminiDialect.readReply(chunk([{ text: "Hi" }], { finishReason: "STOP" }))).toEqual([
      start,
      { type: "text-delta", choice: 0, block: 0, text: "Hi" },
      finish,
    ]);
  });

  it.each([[null], ["<html>"], [[]], [{}]])("without an answer (%j) is an error event", (body) => {
    expect(geminiDialect.readReply(body).at(-1)).toMatchObject({ type: "error" });
  });
});
