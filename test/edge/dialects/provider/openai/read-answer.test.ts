import { describe, expect, test } from "vitest";
import { buildChatCompletion } from "../../../../../edge/dialects/caller/openai/write-reply.ts";
import { createStreamReader } from "../../../../../edge/dialects/provider/openai/read-answer.ts";
import { chunk, delta, done, finish, usageChunk } from "../../../../fixtures/openai-streams.ts";
import { leastMs } from "../../../../support/least-ms.ts";
import { facts, ofType, readFrames } from "./read-frames.ts";

describe("an answer that fails", () => {
  const hello = delta({ content: "Hel" });
  test.each([
    ["[DONE] before anything was said", [done], "upstream_truncated"],
    ["a chunk that is not JSON", [hello, "{oops"], "upstream_error"],
    ["a chunk that is not an object", [hello, "[1]"], "upstream_error"],
    [
      "an error chunk with a status",
      [hello, '{"error":{"message":"slow down","code":429}}'],
      "upstream_rate_limited",
    ],
    [
      "an error chunk with a type",
      [hello, '{"error":{"message":"busy","type":"overloaded_error"}}'],
      "upstream_overloaded",
    ],
    [
      "an overload by its newer names (failures 56)",
      [
        hello,
        '{"error":{"message":"Our servers are currently overloaded.","type":"service_unavailable_error","code":"server_is_overloaded"}}',
      ],
      "upstream_overloaded",
    ],
    [
      "an error chunk with a hostile code",
      [hello, '{"error":{"message":"x","code":"__proto__"}}'],
      "upstream_error",
    ],
    ["an error as plain text", [hello, '{"error":"broken"}'], "upstream_error"],
    [
      "an overload by the aggregator's type",
      [
        hello,
        '{"error":{"message":"x","code":502,"metadata":{"error_type":"provider_overloaded"}},"choices":[]}',
      ],
      "upstream_overloaded",
    ],
    [
      "a prompt that is too long by its code alone",
      ['{"error":{"message":"x","code":"context_length_exceeded"}}'],
      "context_length_exceeded",
    ],
    ["vLLM's error object", [hello, '{"object":"error","message":"bad","code":503}'], "upstream_overloaded"],
    [
      "OpenRouter's error beside a finish reason",
      [
        hello,
        chunk(
          { delta: { content: "" }, finish_reason: "error" },
          { error: { code: 502, message: "vendor down" } },
        ),
      ],
      "upstream_error",
    ],
    ["OpenRouter's finish reason alone", [hello, finish("error")], "upstream_error"],
    [
      "a tool call nobody named",
      [delta({ tool_calls: [{ index: 0, id: "a", function: { arguments: "{}" } }] }), finish("tool_calls")],
      "upstream_error",
    ],
  ])("%s is an error event, the last", (_, frames, code) => {
    const events = readFrames([...frames, hello, done]);
    const failures = ofType(events, "error");
    expect(failures.map((failure) => failure.code)).toEqual([code]);
    expect(events.at(-1)).toBe(failures[0]);
    expect(ofType(events, "finish")).toEqual([]);
    expect(failures[0]?.message).not.toBe("");
  });

  // github.com/Kilo-Org/kilocode/pull/7773: agents ask again and again
  test.each([
    ["nothing", [finish("tool_calls")]],
    ["thoughts", [delta({ reasoning_content: "I call it." }), finish("tool_calls")]],
    [
      "encrypted thoughts",
      [
        delta({ reasoning_details: [{ type: "reasoning.encrypted", data: "c2VhbA==" }] }),
        finish("tool_calls"),
      ],
    ],
    [
      "a seal",
      [delta({ extra_content: { google: { thought_signature: "c2VhbA==" } } }), finish("tool_calls")],
    ],
    ["the older form of a call", [delta({ function_call: { name: "a" } }), finish("function_call")]],
  ])("an answer of calls that holds %s instead is an error (failures 70)", (_, frames) => {
    const events = readFrames([...frames, done]);
    expect(events.at(-1)).toMatchObject({ type: "error", code: "upstream_error" });
    expect(ofType(events, "finish")).toEqual([]);
  });

  test.each(["content", "reasoning_content"])(
    "calls that follow their finish reason are read (failures 70): after %s",
    (field) => {
      const call = { index: 0, id: "call_a", function: { name: "find", arguments: "{}" } };
      const events = readFrames([
        delta({ [field]: "I call it." }),
        finish("tool_calls"),
        delta({ tool_calls: [call] }),
        done,
      ]);
      const [choice] = buildChatCompletion(events, facts).choices;
      expect(choice).toMatchObject({
        finish_reason: "tool_calls",
        message: { tool_calls: [{ id: "call_a" }] },
      });
      expect(ofType(events, "error")).toEqual([]);
    },
  );

  test("a finish reason in each chunk ends nothing, and the one that says most counts (failures 33)", () => {
    const events = readFrames([
      chunk({ delta: { reasoning_content: "Hm" }, finish_reason: "stop" }),
      chunk({ delta: { content: "Hel" }, finish_reason: "stop" }),
      chunk({ delta: { content: "lo" }, finish_reason: "length" }),
      finish("stop"),
      usageChunk({ prompt_tokens: 1, completion_tokens: 1 }),
      done,
    ]);
    expect(ofType(events, "text-delta").map(({ text }) => text)).toEqual(["Hel", "lo"]);
    expect(ofType(events, "usage")).toHaveLength(1);
    expect(ofType(events, "finish")).toMatchObject([{ reason: "length", raw: "length" }]);
  });

  test("a call that Google could not read is an error (failures 37)", () => {
    const events = readFrames([hello, finish("function_call_filter: MALFORMED_FUNCTION_CALL"), done]);
    expect(events.at(-1)).toMatchObject({ type: "error", code: "upstream_error" });
  });

  // The aggregator's words: github.com/OpenRouterTeam/openrouter-examples/issues/67
  test.each(["error", "stop"])(
    "the aggregator's %s for such a call is the same error (failures 37)",
    (said) => {
      const entry = { delta: { content: "" }, finish_reason: said };
      const end = chunk({ ...entry, native_finish_reason: "MALFORMED_FUNCTION_CALL" });
      const failure = readFrames([hello, end, done]).at(-1);
      expect(failure).toMatchObject({ type: "error", code: "upstream_error" });
      expect(failure).toHaveProperty("message", expect.stringContaining("MALFORMED_FUNCTION_CALL"));
    },
  );

  // DeepSeek's and GLM's API references, chat completions
  test.each([
    ["abort", "upstream_truncated"],
    ["aborted", "upstream_truncated"],
    ["network_error", "upstream_truncated"],
    ["insufficient_system_resource", "upstream_overloaded"],
  ])("an answer that its engine dropped (%s) is no whole one (failures 34)", (reason, code) => {
    const events = readFrames([hello, finish(reason), done]);
    expect(events.at(-1)).toMatchObject({ type: "error", code });
    expect(ofType(events, "finish")).toEqual([]);
  });

  // github.com/OleksandrChekhovskyi/hax/pull/15
  test.each([
    ["error", "upstream_error"],
    ["network_error", "upstream_truncated"],
    ["insufficient_system_resource", "upstream_overloaded"],
  ])("the aggregator's stop for one whose host said %s is none either (failures 34)", (native, code) => {
    const end = chunk({ delta: { content: "" }, finish_reason: "stop", native_finish_reason: native });
    const events = readFrames([hello, end, done]);
    expect(events.at(-1)).toMatchObject({ type: "error", code });
    expect(ofType(events, "finish")).toEqual([]);
  });

  // github.com/anomalyco/opencode/pull/18814, github.com/mozilla-ai/any-llm/issues/1200
  test.each([
    ["model_context_window_exceeded", "length"],
    ["model_length", "length"],
    ["repetition_truncation", "length"],
    ["sensitive", "content-filter"],
    // github.com/QwenLM/qwen-code/issues/9882
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content-filter"],
    ["content_filter: RECITATION", "content-filter"],
  ])("an answer that was cut (%s) is no whole one (failures 67)", (raw, reason) => {
    expect(ofType(readFrames([hello, finish(raw), done]), "finish")).toMatchObject([{ reason, raw }]);
  });
});

describe("a call that is told more than once", () => {
  const call = (fields: object, id: object = { id: "a" }) =>
    delta({ tool_calls: [{ index: 0, ...id, function: fields }] });
  const whole = '{"q":1}';
  // github.com/lidge-jun/opencodex/issues/361, github.com/open-webui/open-webui/pull/22235
  test.each([
    [
      "its arguments",
      [call({ name: "f", arguments: "" }), call({ arguments: whole }, {}), call({ arguments: whole }, {})],
    ],
    [
      "arguments that came in pieces",
      [
        call({ name: "f", arguments: '{"q"' }),
        call({ arguments: ":1}" }, {}),
        call({ arguments: whole }, {}),
      ],
    ],
    [
      "its name and arguments",
      [
        call({ name: "f", arguments: "" }),
        call({ arguments: whole }, {}),
        call({ name: "f", arguments: whole }, {}),
      ],
    ],
    ["its name at the end", [call({ name: "f", arguments: whole }), call({ name: "f", arguments: "" }, {})]],
    ["all of it", [call({ name: "f", arguments: whole }), call({ name: "f", arguments: whole })]],
  ])("is one call: %s (failures 79)", (_, frames) => {
    const events = readFrames([...frames, finish("tool_calls"), done]);
    expect(buildChatCompletion(events, facts).choices[0]?.message.tool_calls).toEqual([
      { id: "a", type: "function", function: { name: "f", arguments: whole } },
    ]);
  });

  test.each([
    [
      "with an index each",
      [
        call({ name: "f", arguments: whole }, {}),
        delta({ tool_calls: [{ index: 1, function: { name: "f", arguments: whole } }] }),
      ],
    ],
    [
      "with an id each",
      [call({ name: "f", arguments: whole }), call({ name: "f", arguments: whole }, { id: "b" })],
    ],
    ["with neither", [call({ name: "f", arguments: whole }, {}), call({ name: "f", arguments: whole }, {})]],
    [
      "with an id for the first and no index",
      [{ id: "a" }, {}].map((id) =>
        delta({ tool_calls: [{ ...id, function: { name: "f", arguments: whole } }] }),
      ),
    ],
  ])("is not: two equal calls %s", (_, frames) => {
    const events = readFrames([...frames, finish("tool_calls"), done]);
    const calls = buildChatCompletion(events, facts).choices[0]?.message.tool_calls;
    expect(calls?.map((each) => "function" in each && each.function.arguments)).toEqual([whole, whole]);
  });

  test("is not where the arguments differ, though the second has no id and the first one's place", () => {
    const frames = [
      call({ name: "f", arguments: whole }),
      call({ name: "f", arguments: '{"q":2}' }, {}),
      finish("tool_calls"),
      done,
    ];
    const calls = buildChatCompletion(readFrames(frames), facts).choices[0]?.message.tool_calls;
    expect(calls?.map((each) => "function" in each && each.function.arguments)).toEqual([whole, '{"q":2}']);
  });

  test("is one call where the name comes with each piece, white space last", () => {
    const pieces = ['{"q"', ":1}", "\n"].map((piece) => call({ name: "f", arguments: piece }, {}));
    const frames = [call({ name: "f", arguments: "" }), ...pieces, finish("tool_calls"), done];
    const calls = buildChatCompletion(readFrames(frames), facts).choices[0]?.message.tool_calls;
    expect(calls).toMatchObject([{ id: "a", function: { arguments: '{"q":1}\n' } }]);
  });
});

test.each([
  ["20,000 calls", (at: number) => ({ index: at, id: `c${at}`, function: { name: "f", arguments: "{}" } })],
  [
    "20,000 pieces of one call that repeat its name",
    (at: number) => ({ index: 0, function: { name: "f", arguments: at === 0 ? '{"a":[' : "1,1,1,1,1,1," } }),
  ],
])("%s are read in linear time", async (_, write) => {
  const frames = Array.from({ length: 20_000 }, (_, at) => delta({ tool_calls: [write(at)] }));
  const read = () => {
    const reader = createStreamReader();
    for (const data of frames) reader.read({ data });
  };
  expect(await leastMs(2_000, read)).toBeLessThan(2_000);
});
