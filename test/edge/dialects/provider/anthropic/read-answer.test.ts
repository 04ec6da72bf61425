import { describe, expect, it } from "vitest";
import { anthropicDialect } from "../../../../../edge/dialects/provider/anthropic/dialect.ts";
import type { ChatEvent } from "../../../../../shared/chat.ts";
import {
  blockDelta,
  blockStart,
  blockStop,
  cacheWrite,
  foundTool,
  messageDelta,
  messageStart,
  messageStop,
  parallelTools,
  pausedTurn,
  preparedCall,
  refusedMidway,
  serverTools,
  streams,
  text,
  thinking,
} from "../../../../fixtures/anthropic-streams.ts";
import { everyCut, replay, toolArguments, toSse, type WireEvent } from "../../replay.ts";

const read = (events: readonly WireEvent[]) => replay(anthropicDialect, [toSse(events, true)]);
const isNote = (event: ChatEvent) => event.type === "opaque" && event.annotation === true;
const withoutUsage = (events: ChatEvent[]) =>
  events.filter((event) => event.type !== "usage" && !isNote(event));
const start = { type: "start", id: "msg_hand_01", model: "claude-sonnet-4-5-20250929" };
const finish = { type: "finish", choice: 0, reason: "stop", raw: "end_turn" };

describe("the Messages stream", () => {
  it("gives text, ignoring pings and event types it does not know", () => {
    expect(withoutUsage(read(text))).toEqual([
      start,
      { type: "text-delta", choice: 0, block: 0, text: "Guten Tag, " },
      { type: "text-delta", choice: 0, block: 0, text: "世界" },
      { type: "text-delta", choice: 0, block: 0, text: " 👩‍🚀!" },
      finish,
    ]);
  });

  it("keeps parallel tool calls apart, and every call ends with valid JSON arguments (failures 15, 17)", () => {
    const events = read(parallelTools);
    expect(events.filter(({ type }) => type === "tool-call-start")).toEqual([
      { type: "tool-call-start", choice: 0, block: 1, id: "toolu_a", name: "weather" },
      { type: "tool-call-start", choice: 0, block: 2, id: "toolu_b", name: "now" },
      { type: "tool-call-start", choice: 0, block: 3, id: "toolu_c", name: "convert" },
    ]);
    expect(toolArguments(events)).toEqual({
      weather: { city: "Zürich" },
      now: {},
      convert: { amount: 3, to: "CHF" },
    });
    const order = events.filter(({ type }) => /^tool-call-(start|end)$/.test(type)).map(({ type }) => type);
    expect(order).toEqual(Array.from({ length: 3 }, () => ["tool-call-start", "tool-call-end"]).flat());
    expect(events.at(-1)).toEqual({ type: "finish", choice: 0, reason: "tool-calls", raw: "tool_use" });
  });

  it("keeps signatures byte-equal, also of thinking that is withheld", () => {
    expect(withoutUsage(read(thinking))).toEqual([
      start,
      { type: "reasoning-delta", choice: 0, block: 0, text: "First " },
      { type: "reasoning-delta", choice: 0, block: 0, text: "this." },
      { type: "signature", choice: 0, block: 0, signature: "c2VhbC1vbmU=" },
      { type: "redacted-reasoning", choice: 0, block: 1, data: "ZW5jcnlwdGVk" },
      { type: "reasoning-delta", choice: 0, block: 2, text: "" },
      { type: "signature", choice: 0, block: 2, signature: "c2VhbC10d28=" },
      { type: "text-delta", choice: 0, block: 3, text: "Done." },
      finish,
    ]);
  });

  it("hands server tools on whole, as nothing a client would run, and an empty block as the empty text it is", () => {
    const events = withoutUsage(read(serverTools));
    const opaque = (block: number, data: unknown) => ({
      type: "opaque",
      choice: 0,
      block,
      dialect: "anthropic",
      data,
    });
    expect(events.filter(({ type }) => type.startsWith("tool-call"))).toEqual([]);
    expect(events).toEqual([
      start,
      { type: "text-delta", choice: 0, block: 0, text: "" },
      opaque(1, {
        type: "server_tool_use",
        id: "srvtoolu_1",
        name: "web_search",
        input: { query: "swiss lakes" },
      }),
      opaque(2, {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_1",
        content: [
          {
            type: "web_search_result",
            url: "https://example.com",
            title: "Lakes",
            encrypted_content: "eA==",
          },
        ],
      }),
      opaque(3, { type: "compaction", content: "Summary so far and on." }),
      { type: "text-delta", choice: 0, block: 4, text: "", providerData: { citations: [] } },
      { type: "text-delta", choice: 0, block: 4, text: "Lake Zürich." },
      opaque(4, {
        type: "citations_delta",
        citation: { type: "web_search_result_location", url: "https://example.com", cited_text: "Lakes" },
      }),
      { ...finish, providerData: { container: { id: "container_1" } } },
    ]);
  });

  it.each(Object.entries(streams))(
    "gives the same events for %s however its bytes are cut",
    (_name, events) => {
      const bytes = toSse(events, true);
      const whole = JSON.stringify(replay(anthropicDialect, [bytes]));
      for (const pieces of everyCut(bytes))
        expect(JSON.stringify(replay(anthropicDialect, pieces))).toBe(whole);
    },
  );

  it("reads CRLF line ends, comments and a trailing [DONE] (failures 24)", () => {
    const bytes = toSse(text, true, "\r\n");
    const more = new TextEncoder().encode(": comment\r\n\r\nevent: data\r\ndata: [DONE]\r\n\r\n");
    const events = replay(anthropicDialect, [new TextEncoder().encode(": hello\r\n\r\n"), bytes, more]);
    expect(events).toEqual(read(text));
  });

  it("takes the type from the event name where the data has none", () => {
    const bytes = new TextEncoder().encode('event: error\ndata: {"error":{"message":"no"}}\n\n');
    expect(replay(anthropicDialect, [bytes])).toEqual([
      { type: "error", code: "upstream_error", message: "no" },
    ]);
  });
});

describe("shapes that are rare in a Messages stream", () => {
  it("gives a call that stands in message_start whole (programmatic tool calling)", () => {
    expect(withoutUsage(read(preparedCall))).toEqual([
      start,
      { type: "text-delta", choice: 0, block: 0, text: "Asking." },
      {
        type: "tool-call-start",
        choice: 0,
        block: 1,
        id: "toolu_code_1",
        name: "query_sales",
        providerData: { caller: { type: "code_execution_20250825", tool_id: "srvtoolu_1" } },
      },
      { type: "tool-call-delta", choice: 0, block: 1, arguments: '{"region":"Zürich"}' },
      { type: "tool-call-end", choice: 0, block: 1 },
      { type: "finish", choice: 0, reason: "tool-calls", raw: "tool_use" },
    ]);
  });

  it("is complete by the stop reason of message_start alone", () => {
    expect(read(preparedCall.slice(0, 1)).at(-1)).toMatchObject({ type: "finish", reason: "tool-calls" });
  });

  it("leaves a search for tools to the provider and gives the call after it", () => {
    const events = read(foundTool);
    expect(toolArguments(events)).toEqual({ weather: { city: "Bern" } });
    expect(events.filter((event) => event.type === "opaque" && !isNote(event))).toHaveLength(2);
    expect(events.findLast(({ type }) => type === "usage")).toMatchObject({
      usage: { input: 90, output: 21, total: 111 },
    });
  });

  it("takes what a block starts with, hands unknown blocks on, and says that the turn pauses", () => {
    const events = read(pausedTurn);
    const joined = (wanted: ChatEvent["type"]) =>
      events.map((event) => (event.type === wanted && "text" in event ? event.text : "")).join("");
    expect(joined("reasoning-delta")).toBe("So far.");
    expect(joined("text-delta")).toBe("Here goes.");
    expect(events.find(({ type }) => type === "opaque")).toMatchObject({
      data: { type: "block_of_next_year", content: [{ any: "thing" }] },
    });
    expect(events.findLast(({ type }) => type === "usage")).toMatchObject({
      usage: { input: 531, output: 12, total: 543, cachedInput: 500 },
    });
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "pause" });
  });

  it("tells a refusal after some words", () => {
    const events = read(refusedMidway);
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "refusal", raw: "refusal" });
    expect(events.findLast(({ type }) => type === "usage")).toMatchObject({
      usage: { input: 40, output: 6 },
    });
  });
});

describe("usage of a Messages stream", () => {
  const lastUsage = (events: readonly WireEvent[]) =>
    read(events).findLast((event) => event.type === "usage")?.usage;

  it("counts input, cache writes and cache reads once each (failures 13)", () => {
    expect(lastUsage(cacheWrite)).toMatchObject({
      input: 12_307,
      output: 550,
      total: 12_857,
      cachedInput: 0,
      cacheWrite: 12_304,
      cacheWriteLong: 304,
      reasoning: 0,
    });
  });

  it("is known from the first event on, for a client that leaves early", () => {
    expect(read([messageStart({ input_tokens: 7, output_tokens: 1 })])[1]).toMatchObject({
      type: "usage",
      usage: { input: 7, output: 1 },
    });
  });

  it("lets later values win and keeps earlier ones that are absent or null", () => {
    const events = [
      messageStart({ input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 1 }),
      messageDelta(
        { stop_reason: "end_turn" },
        { input_tokens: 25, cache_read_input_tokens: null, output_tokens: 5 },
      ),
      messageStop,
    ];
    expect(lastUsage(events)).toMatchObject({ input: 125, cachedInput: 100, output: 5, total: 130 });
  });

  it("names thinking tokens as part of the output", () => {
    expect(lastUsage(thinking)).toMatchObject({ output: 30, reasoning: 21 });
  });

  it("survives counts that are no numbers", () => {
    const events = [
      messageStart({ input_tokens: "many", output_tokens: 2 }),
      messageDelta({ stop_reason: "end_turn" }),
    ];
    expect(lastUsage(events)).toMatchObject({ input: 0, output: 2 });
  });
});

describe("the end of a Messages stream", () => {
  const answer = (stop: Record<string, unknown>) => [
    messageStart(),
    blockStart(0, { type: "text", text: "Hi" }),
    blockStop(0),
    messageDelta(stop),
    messageStop,
  ];

  it.each([
    ["end_turn", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["tool_use", "tool-calls"],
    ["refusal", "refusal"],
    ["pause_turn", "pause"],
    ["compaction", "pause"],
    ["a_reason_of_next_year", "other"],
  ])("reads %s as %s and keeps the provider's word", (raw, reason) => {
    expect(read(answer({ stop_reason: raw })).at(-1)).toEqual({ type: "finish", choice: 0, reason, raw });
  });

  it("tells which stop sequence was met", () => {
    expect(read(answer({ stop_reason: "stop_sequence", stop_sequence: "END" })).at(-1)).toMatchObject({
      reason: "stop-sequence",
      stopSequence: "END",
    });
  });

  it("hands on why it refused", () => {
    const stop_details = { type: "refusal", category: "cyber", explanation: "No." };
    expect(read(answer({ stop_reason: "refusal", stop_details })).at(-1)).toMatchObject({
      providerData: { stop_details },
    });
  });

  it.each([
    ["overloaded_error", "upstream_overloaded"],
    ["rate_limit_error", "upstream_rate_limited"],
    ["timeout_error", "upstream_timeout"],
    ["api_error", "upstream_error"],
  ])("makes %s in a 200 stream the last event", (type, code) => {
    const events = read([messageStart(), { type: "error", error: { type, message: "Sorry" } }, ...text]);
    expect(events.at(-1)).toEqual({ type: "error", code, message: "Sorry" });
    expect(events.filter((event) => event.type === "text-delta")).toEqual([]);
  });

  it("reads an error without a type, as proxies write it", () => {
    const frame = `data: ${JSON.stringify({ error: { message: "Sorry", type: "overloaded_error" } })}\n\n`;
    const pieces = [toSse(text.slice(0, 3), true), new TextEncoder().encode(frame)];
    expect(replay(anthropicDialect, pieces).at(-1)).toEqual({
      type: "error",
      code: "upstream_overloaded",
      message: "Sorry",
    });
  });

  it("says that a stream cut in the middle was cut", () => {
    for (let count = 0; count < text.length - 2; count += 1) {
      expect(read(text.slice(0, count)).at(-1)).toMatchObject({
        type: "error",
        code: "upstream_truncated",
      });
    }
  });

  it("finishes an answer whose stop reason came but whose message_stop was lost", () => {
    expect(read(parallelTools.slice(0, -1))).toEqual(read(parallelTools));
  });

  it("closes a tool call whose block was never stopped", () => {
    const open = parallelTools.filter((event) => !(event.type === "content_block_stop" && event.index === 3));
    expect(toolArguments(read(open))).toEqual(toolArguments(read(parallelTools)));
    expect(read(open).filter(({ type }) => type === "tool-call-end")).toHaveLength(3);
  });

  it("ignores a second message_start and whatever follows message_stop (failures 16)", () => {
    expect(read([text[0]!, ...text, ...parallelTools])).toEqual(read(text));
  });

  it.each([
    ["data that is not JSON", "data: {\n\n"],
    ["data that is no object", "data: 1\n\n"],
    [
      "a known event of another shape",
      `data: ${JSON.stringify({ type: "content_block_start", index: "x" })}\n\n`,
    ],
  ])("turns %s into an error event instead of throwing", (_name, frame) => {
    const events = replay(anthropicDialect, [toSse([messageStart()], true), new TextEncoder().encode(frame)]);
    expect(events.at(-1)).toMatchObject({ type: "error", code: "upstream_error" });
  });

  it("keeps no copy of an answer that is longer than any model's, and goes on", () => {
    const note = (length: number) => {
      const cited = { citation: { type: "char_location", cited_text: "c" } };
      const piece = blockDelta(0, "text_delta", { text: "x".repeat(64 * 1024) });
      const pieces = Array.from({ length }, () => piece);
      const [start, , open, ...rest] = text;
      const events = [start!, open!, blockDelta(0, "citations_delta", cited), ...pieces, ...rest];
      return read(events);
    };
    expect(note(60).filter(isNote)).toHaveLength(1);
    expect(note(70).filter(isNote)).toEqual([]);
    expect(note(70).at(-1)).toMatchObject({ type: "finish", reason: "stop" });
  });

  it("ignores a delta for a block that was never opened", () => {
    const stray = [messageStart(), blockDelta(7, "text_delta", { text: "?" }), ...text.slice(1)];
    expect(read(stray)).toEqual(read(text));
  });
});
