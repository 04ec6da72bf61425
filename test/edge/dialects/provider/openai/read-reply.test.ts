import { describe, expect, test } from "vitest";
import { buildChatCompletion } from "../../../../../edge/dialects/caller/openai/write-reply.ts";
import { readReply } from "../../../../../edge/dialects/provider/openai/read-answer.ts";
import { facts, ofType } from "./read-frames.ts";

describe("a JSON reply", () => {
  const reply = (message: object, rest: object = {}) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 5,
    model: "gpt-test",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop", ...rest }],
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  });

  test("gives start, deltas, finish and usage", () => {
    expect(readReply(reply({ content: "Hi", reasoning_content: "hm" })).map(({ type }) => type)).toEqual([
      "start",
      "reasoning-delta",
      "text-delta",
      "usage",
      "finish",
    ]);
  });

  test("keeps calls without ids or index apart, and those without arguments valid", () => {
    const calls = [{ function: { name: "a" } }, { function: { name: "b", arguments: '{"x":1}' } }];
    const events = readReply(reply({ content: null, tool_calls: calls }));
    const message = buildChatCompletion(events, facts).choices[0]?.message;
    expect(message?.tool_calls?.map((call) => "function" in call && call.function)).toEqual([
      { name: "a", arguments: "{}" },
      { name: "b", arguments: '{"x":1}' },
    ]);
    expect(message?.content).toBeNull();
  });

  test("gives a call without an id one of its own, also where the answer has none", () => {
    const body = { ...reply({ tool_calls: [{ function: { name: "a" } }] }), id: undefined };
    const ids = ["one", "two"].map((salt) => ofType(readReply(body, salt), "tool-call-start")[0]?.id);
    expect(ids).toEqual(["call_one_0_0", "call_two_0_0"]);
  });

  test.each([
    ["stop_sequence", {}, "stop-sequence"],
    ["end_turn", {}, "stop"],
    [null, {}, "stop"],
    ["stop_sequence", { tool_calls: [{ function: { name: "a" } }] }, "tool-calls"],
  ])("ends as the vendor says beside the aggregator's stop: %s", (native, said, reason) => {
    const events = readReply(reply({ content: "Hi", ...said }, { native_finish_reason: native }));
    expect(events.at(-1)).toMatchObject({ type: "finish", reason });
  });

  test("without a finish reason is complete", () => {
    expect(readReply(reply({ content: "Hi" }, { finish_reason: null })).at(-1)).toMatchObject({
      type: "finish",
      reason: "other",
      raw: null,
    });
  });

  test.each([
    ["null", null, "upstream_error"],
    ["text", "oops", "upstream_error"],
    ["no choices", { choices: [] }, "upstream_error"],
    ["an error under a 200", { error: { message: "no vendor", code: 429 } }, "upstream_rate_limited"],
    [
      "a failed choice",
      reply({ content: "" }, { finish_reason: "error", error: { code: 504, message: "late" } }),
      "upstream_timeout",
    ],
  ])("that is %s ends in an error event", (_, body, code) => {
    const events = readReply(body);
    expect(events.at(-1)).toMatchObject({ type: "error", code });
    expect(ofType(events, "error")).toHaveLength(1);
  });
});
