import { describe, expect, test } from "vitest";
import { buildChatCompletion } from "../../../../../edge/dialects/caller/openai/write-reply.ts";
import { createStreamReader, readReply } from "../../../../../edge/dialects/provider/openai/read-answer.ts";
import { createSseParser } from "../../../../../edge/stream/sse.ts";
import type { ChatEvent } from "../../../../../shared/chat.ts";
import {
  chunk,
  delta,
  done,
  finish,
  streams,
  toSse,
  usageChunk,
} from "../../../../fixtures/openai-streams.ts";
import { leastMs } from "../../../../support/least-ms.ts";

const readFrames = (frames: readonly string[], event?: string): ChatEvent[] => {
  const reader = createStreamReader();
  return [...frames.flatMap((data) => reader.read({ event, data })), ...reader.close()];
};

function readPieces(pieces: Iterable<Uint8Array>): ChatEvent[] {
  const parser = createSseParser();
  const reader = createStreamReader();
  const events: ChatEvent[] = [];
  for (const piece of pieces) events.push(...parser.push(piece).flatMap((message) => reader.read(message)));
  return [...events, ...parser.end().flatMap((message) => reader.read(message)), ...reader.close()];
}

const ofType = <T extends ChatEvent["type"]>(events: readonly ChatEvent[], type: T) =>
  events.filter((event): event is Extract<ChatEvent, { type: T }> => event.type === type);

const facts = { id: "chatcmpl-1", created: 1, model: "m" };

describe("every fixture stream", () => {
  for (const { name, frames, answer } of streams) {
    test(`gives its answer: ${name}`, () => {
      const events = readFrames(frames);
      const [choice, ...others] = buildChatCompletion(events, facts).choices;
      expect(others).toEqual([]);
      expect(choice?.finish_reason).toBe(answer.finish);
      expect(choice?.message.content).toBe(answer.text ?? null);
      expect(choice?.message.refusal).toBe(answer.refusal ?? null);
      expect(choice?.message.reasoning_content).toBe(answer.reasoning);
      const calls = choice?.message.tool_calls
        ?.flatMap((call) => ("function" in call ? [call.function] : []))
        .map((called) => ({
          name: called.name,
          arguments: JSON.parse(called.arguments),
        }));
      expect(calls).toEqual(answer.tools);
      const usage = ofType(events, "usage").at(-1)?.usage;
      expect(usage && [usage.input, usage.output, usage.total]).toEqual(answer.usage);
      expect(ofType(events, "error")).toEqual([]);
    });

    test(`numbers its blocks from 0, closes each tool once, finishes once: ${name}`, () => {
      const events = readFrames(frames);
      const started = [...new Set(events.flatMap((event) => ("block" in event ? [event.block] : [])))];
      expect(started).toEqual(started.map((_, index) => index));
      expect(ofType(events, "tool-call-end").map(({ block }) => block)).toEqual(
        ofType(events, "tool-call-start").map(({ block }) => block),
      );
      expect(new Set(ofType(events, "tool-call-start").map(({ id }) => id)).size).toBe(
        answer.tools?.length ?? 0,
      );
      expect(ofType(events, "finish")).toHaveLength(1);
      expect(ofType(events, "start")).toHaveLength(1);
    });

    test(`gives the same events when cut at every byte: ${name}`, () => {
      const bytes = new TextEncoder().encode(`: OPENROUTER PROCESSING\n\n${toSse(frames)}`);
      const expected = readFrames(frames);
      for (let at = 0; at <= bytes.length; at++) {
        expect(readPieces([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
      }
    });

    test.each(["\n", "\r\n", "\r"])(
      `gives the same events byte by byte and without the last blank line (line end %j): ${name}`,
      (lineEnd) => {
        const bytes = new TextEncoder().encode(toSse(frames, lineEnd));
        const expected = readFrames(frames);
        expect(readPieces([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
        expect(readPieces([bytes.subarray(0, bytes.length - lineEnd.length)])).toEqual(expected);
      },
    );
  }
});

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

  test("a finish reason by itself ends the answer before its report, one beside content when nothing follows", () => {
    const report = usageChunk({ prompt_tokens: 1, completion_tokens: 1 });
    const kinds = (frames: Parameters<typeof readFrames>[0]) => readFrames(frames).map(({ type }) => type);
    const beside = chunk({ delta: { content: "Hi" }, finish_reason: "stop" });
    const alone = chunk({ delta: { content: "" }, finish_reason: "stop" });
    expect(kinds([hello, alone, report, done]).slice(-2)).toEqual(["finish", "usage"]);
    expect(kinds([beside, report, done]).slice(-2)).toEqual(["usage", "finish"]);
  });

  test("a call that Google could not read is an error (failures 37)", () => {
    const events = readFrames([hello, finish("function_call_filter: MALFORMED_FUNCTION_CALL"), done]);
    expect(events.at(-1)).toMatchObject({ type: "error", code: "upstream_error" });
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

describe("usage", () => {
  const read = (usage: unknown) =>
    ofType(readFrames([delta({ content: "a" }), usageChunk(usage), finish("stop")]), "usage")[0]?.usage;
  test.each([
    [
      "negative counts stay as reported",
      { prompt_tokens: -1e6, completion_tokens: -1 },
      { input: -1e6, output: -1, total: -1000001 },
    ],
    ["huge but finite counts stay", { prompt_tokens: 1e300, completion_tokens: 0 }, { input: 1e300 }],
    [
      "numbers as text are read",
      { prompt_tokens: "12", completion_tokens: "3", total_tokens: "15" },
      { input: 12, output: 3, total: 15 },
    ],
    ["output follows from the total", { prompt_tokens: 10, total_tokens: 14 }, { output: 4 }],
    [
      "details are read",
      {
        prompt_tokens: 10,
        completion_tokens: 9,
        total_tokens: 19,
        cost: 0.5,
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 2, audio_tokens: 1 },
        completion_tokens_details: { reasoning_tokens: 5, audio_tokens: 3 },
      },
      { cachedInput: 4, cacheWrite: 2, reasoning: 5, audioInput: 1, audioOutput: 3, costUsd: 0.5 },
    ],
    [
      "DeepSeek's cache field is read",
      { prompt_tokens: 8, completion_tokens: 1, prompt_cache_hit_tokens: 6 },
      { cachedInput: 6 },
    ],
  ])("%s", (_, raw, expected) => {
    expect(read(raw)).toMatchObject({ ...expected, raw });
  });

  test.each([
    ["NaN as text", { prompt_tokens: "NaN", completion_tokens: 1 }],
    ["nulls", { prompt_tokens: null, completion_tokens: null }],
    ["not an object", 7],
    ["an empty object", {}],
  ])("%s is no usage, so that we count ourselves", (_, raw) => {
    expect(read(raw)).toBeUndefined();
  });

  test("Infinity (1e999 in JSON) is no usage", () => {
    const frame = `{"choices":[],"usage":{"prompt_tokens":1e999,"completion_tokens":1}}`;
    expect(ofType(readFrames([delta({ content: "a" }), frame, finish("stop")]), "usage")).toEqual([]);
  });
});

describe("what an answer carries beside text", () => {
  test("the aggregator's reasoning entries keep id, format and kind; each seal follows its block", () => {
    const events = readFrames([
      delta({
        reasoning_details: [
          { type: "reasoning.summary", summary: "Sum", id: "rs_1", format: "openai-responses-v1", index: 0 },
        ],
      }),
      delta({
        reasoning_details: [
          { type: "reasoning.encrypted", data: "ENC", id: "rs_1", format: "openai-responses-v1", index: 1 },
        ],
      }),
      delta({ content: "a" }),
      finish("stop"),
    ]);
    expect(events.slice(1, 3)).toEqual([
      {
        type: "reasoning-delta",
        choice: 0,
        block: 0,
        text: "Sum",
        providerData: {
          reasoning_detail: {
            type: "reasoning.summary",
            id: "rs_1",
            format: "openai-responses-v1",
            index: 0,
          },
        },
      },
      {
        type: "redacted-reasoning",
        choice: 0,
        block: 1,
        data: "ENC",
        providerData: { reasoning_detail: { id: "rs_1", format: "openai-responses-v1", index: 1 } },
      },
    ]);
  });

  test("a seal without text opens its block with an empty delta", () => {
    const events = readFrames([
      delta({ reasoning_details: [{ type: "reasoning.text", text: "", signature: "s", index: 0 }] }),
      finish("stop"),
    ]);
    expect(events.slice(1, 3)).toMatchObject([
      { type: "reasoning-delta", block: 0, text: "" },
      { type: "signature", block: 0, signature: "s" },
    ]);
  });

  test("Gemini's seals come off tool calls and text", () => {
    const seal = { extra_content: { google: { thought_signature: "seal" } } };
    const events = readFrames([
      delta({ content: "a", ...seal }),
      delta({ tool_calls: [{ id: "x", function: { name: "f", arguments: "{}" }, ...seal }] }),
      finish("tool_calls"),
    ]);
    expect(ofType(events, "signature")).toEqual([
      { type: "signature", choice: 0, block: 0, signature: "seal" },
      { type: "signature", choice: 0, block: 1, signature: "seal" },
    ]);
  });

  test("log probabilities, citations and images are handed on whole", () => {
    const logprobs = {
      content: [{ token: "a", logprob: -0.1, bytes: [97], top_logprobs: [] }],
      refusal: null,
    };
    const annotations = [{ type: "url_citation", url_citation: { url: "https://example.com" } }];
    const events = readFrames([
      chunk({ delta: { content: "a", annotations, audio: null, images: [] }, logprobs }),
      finish("stop"),
    ]);
    expect(ofType(events, "logprobs").map(({ data }) => data)).toEqual([logprobs]);
    expect(ofType(events, "opaque")).toMatchObject([{ dialect: "openai", data: { annotations } }]);
  });

  test("nothing of a choice follows its end", () => {
    const logprobs = { content: [{ token: "b", logprob: -0.1, bytes: [98], top_logprobs: [] }] };
    const events = readFrames([
      delta({ content: "a" }),
      finish("stop"),
      chunk({ delta: { content: "b" }, logprobs }),
      done,
    ]);
    expect(events.at(-1)?.type).toBe("finish");
  });

  test("choices of n > 1 keep their index and number their own blocks", () => {
    const events = readFrames([
      chunk({ index: 1, delta: { content: "b" } }),
      chunk({ index: 0, delta: { content: "a" } }),
      chunk({ index: 1, delta: {}, finish_reason: "stop" }),
      chunk({ index: 0, delta: {}, finish_reason: "length" }),
      done,
    ]);
    const { choices } = buildChatCompletion(events, facts);
    expect(
      choices.map(({ index, message, finish_reason: reason }) => [index, message.content, reason]),
    ).toEqual([
      [0, "a", "length"],
      [1, "b", "stop"],
    ]);
    expect(ofType(events, "text-delta").map(({ block }) => block)).toEqual([0, 0]);
  });

  test("a call without an id gets one from the answer's own, within OpenAI's 40 characters", () => {
    const frame = delta(
      { tool_calls: [{ index: 0, function: { name: "f" } }] },
      { id: `chatcmpl-${"x".repeat(80)}` },
    );
    const [call] = ofType(readFrames([frame, finish("stop")]), "tool-call-start");
    expect(call?.id).toMatch(/^call_x{24}_0_0$/);
    expect(call?.id.length).toBeLessThanOrEqual(40);
  });
});

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
