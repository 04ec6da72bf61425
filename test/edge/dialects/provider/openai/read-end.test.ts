// How a stream in OpenAI's format ends: whole, cut, or in an error.
import { describe, expect, test } from "vitest";
import { buildChatCompletion } from "../../../../../edge/dialects/caller/openai/write-reply.ts";
import { createStreamReader } from "../../../../../edge/dialects/provider/openai/read-answer.ts";
import { chunk, delta, done, finish, usageChunk } from "../../../../fixtures/openai-streams.ts";
import { facts, ofType, readFrames } from "./read-frames.ts";

describe("the end of an answer in OpenAI's format", () => {
  const hello = delta({ content: "Hel" });

  test.each([
    ["words alone", "queue is full", "queue is full"],
    ["words as JSON", '"queue is full"', "queue is full"],
    ["a proxy's page", "<html>bad gateway at 10.0.0.5</html>", "The provider failed"],
  ])("an event called error may hold %s", (_name, data, words) => {
    const [error, ...others] = createStreamReader().read({ event: "error", data });
    expect(error).toMatchObject({ code: "upstream_error", message: expect.stringMatching(`^${words}`) });
    expect(others).toEqual([]);
  });

  test.each(["", false, 0])("%j in the place of an error is none", (error) => {
    const events = readFrames([chunk({ delta: { content: "Hi" } }, { error }), finish("stop"), done]);
    expect(events.at(-1)?.type).toBe("finish");
  });

  test.each([
    ["a call", finish("tool_calls")],
    ["a call's name", chunk({ delta: { tool_calls: [{ index: 0, id: "a" }] }, finish_reason: "tool_calls" })],
  ])("one of several choices that lacks %s does not cost the others", (_, lacking) => {
    const other = JSON.stringify({
      ...JSON.parse(lacking),
      choices: [{ ...JSON.parse(lacking).choices[0], index: 1 }],
    });
    const events = readFrames([other, hello, finish("stop"), done]);
    const { choices } = buildChatCompletion(events, facts);
    expect(choices.map((choice) => [choice.message.content, choice.finish_reason])).toEqual([
      ["Hel", "stop"],
      ["", "stop"],
    ]);
    expect(ofType(events, "finish")).toHaveLength(2);
    expect(ofType(events, "error")).toEqual([]);
    expect(readFrames([other, lacking, done]).at(-1)).toMatchObject({ code: "upstream_error" });
  });

  test.each([
    ["after some text", [hello]],
    ["before anything", []],
  ])("a connection that ends %s is upstream_truncated", (_, frames) => {
    expect(readFrames(frames).at(-1)).toMatchObject({ type: "error", code: "upstream_truncated" });
  });

  test("keeps what was written and counted before the error", () => {
    const events = readFrames([
      hello,
      chunk(
        { delta: { content: "lo" }, finish_reason: "error" },
        { error: { code: 1 }, usage: { prompt_tokens: 1, completion_tokens: 2 } },
      ),
    ]);
    expect(ofType(events, "text-delta").map(({ text }) => text)).toEqual(["Hel", "lo"]);
    expect(ofType(events, "usage")[0]?.usage.output).toBe(2);
    expect(ofType(events, "finish")).toEqual([]);
  });

  test("an event named error is one, whatever its shape", () => {
    expect(readFrames(['{"message":"gone","code":"timeout"}'], "error")).toMatchObject([
      { type: "error", code: "upstream_timeout", message: "gone" },
    ]);
  });

  test("says nothing more after [DONE], and an event name other than error changes nothing", () => {
    const events = readFrames([hello, finish("stop"), done, hello, "{oops"], "data");
    expect(ofType(events, "text-delta")).toHaveLength(1);
    expect(ofType(events, "error")).toEqual([]);
  });

  test("is complete when the connection ends after the finish reason, without [DONE]", () => {
    expect(readFrames([hello, finish("stop")]).at(-1)).toMatchObject({
      type: "finish",
      reason: "stop",
      raw: "stop",
    });
  });

  test("is not complete while one of two choices is open", () => {
    const other = chunk({ index: 1, delta: { content: "b" } });
    expect(readFrames([hello, other, finish("stop")]).at(-1)).toMatchObject({ code: "upstream_truncated" });
  });

  test("a finish reason by itself ends the answer before its report, one beside content when nothing follows", () => {
    const report = usageChunk({ prompt_tokens: 1, completion_tokens: 1 });
    const kinds = (frames: Parameters<typeof readFrames>[0]) => readFrames(frames).map(({ type }) => type);
    const beside = chunk({ delta: { content: "Hi" }, finish_reason: "stop" });
    const alone = chunk({ delta: { content: "" }, finish_reason: "stop" });
    expect(kinds([hello, alone, report, done]).slice(-2)).toEqual(["finish", "usage"]);
    expect(kinds([beside, report, done]).slice(-2)).toEqual(["usage", "finish"]);
  });

  test("a reason in capitals is read as another is", () => {
    const each = chunk({ delta: { content: "Hi" }, finish_reason: "STOP" });
    const events = readFrames([each, finish("MAX_TOKENS"), done]);
    expect(ofType(events, "finish")).toMatchObject([{ reason: "length", raw: "MAX_TOKENS" }]);
    expect(
      readFrames([hello, finish("function_call_filter: UNEXPECTED_TOOL_CALL"), done]).at(-1),
    ).toMatchObject({ type: "error", message: expect.stringContaining("UNEXPECTED_TOOL_CALL") });
  });

  test("a report after an error is read, and nothing else after it", () => {
    const late = usageChunk({ prompt_tokens: 9, completion_tokens: 700 });
    const frames = [hello, finish("function_call_filter: MALFORMED_FUNCTION_CALL"), hello, late, done];
    const kinds = readFrames(frames).map(({ type }) => type);
    expect(kinds.slice(kinds.indexOf("error"))).toEqual(["error", "usage"]);
  });
});
