import { describe, expect, it } from "vitest";
import { anthropicDialect } from "../../../../../edge/dialects/provider/anthropic/dialect.ts";
import type { ChatEvent } from "../../../../../shared/chat.ts";
import {
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

  it("is reported with the first event already, for a client that leaves early", () => {
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

  it("counts a value that is no number as absent", () => {
    const events = [
      messageStart({ input_tokens: "many", output_tokens: 2 }),
      messageDelta({ stop_reason: "end_turn" }),
    ];
    expect(lastUsage(events)).toMatchObject({ input: 0, output: 2 });
  });
});
