/**
 * The law of a caller of Anthropic whose provider is Anthropic: what it is answered is what was said, in JSON and streamed, with
 * every documented field, and those that we do not know (Claude Code's auto mode asks for `safeguard_results`). Found by comparing what the official client reads with and without the gateway.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { buildMessage } from "../../../../../edge/dialects/caller/anthropic/write-reply.ts";
import { createMessagesStreamWriter } from "../../../../../edge/dialects/caller/anthropic/write-stream.ts";
import { anthropicDialect } from "../../../../../edge/dialects/provider/anthropic/dialect.ts";
import { foldMessage, parseFrames } from "../../../../support/messages-stream.ts";
import { replay, toSse, type WireEvent } from "../../replay.ts";

type Json = Record<string, unknown>;
const runs = { seed: 20_261_123, numRuns: 300 };

const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 9 });
const input = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 });
/** A text in two pieces. */
const halves = (text: string) => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

const callId = fc.stringMatching(/^toolu_\w{4}$/);
const citation = words.map((cited_text) => ({ type: "char_location", cited_text, document_index: 0 }));
const block = fc.oneof(
  fc.record({
    type: fc.constant("text"),
    text: words,
    citations: fc.option(fc.array(citation, { maxLength: 2 })),
  }),
  fc.record({ type: fc.constant("thinking"), thinking: words, signature: words }),
  fc.record({ type: fc.constant("redacted_thinking"), data: words }),
  fc.record(
    {
      type: fc.constant("tool_use"),
      id: callId,
      name: words,
      input,
      caller: fc.constant({ type: "direct" }),
    },
    { requiredKeys: ["type", "id", "name", "input"] },
  ),
  fc.record({ type: fc.constant("server_tool_use"), id: callId, name: fc.constant("web_search"), input }),
  fc.record({ type: fc.constant("web_search_tool_result"), tool_use_id: words, content: fc.array(input) }),
  fc.record({ type: fc.constant("compaction"), content: words, encrypted_content: fc.option(words) }),
);
const message = fc.record(
  {
    id: fc.constant("msg_01"),
    type: fc.constant("message"),
    role: fc.constant("assistant"),
    model: fc.constant("claude"),
    content: fc.array(block, { minLength: 1, maxLength: 5 }) as fc.Arbitrary<Json[]>,
    stop_reason: fc.constantFrom("end_turn", "tool_use", "pause_turn", "model_context_window_exceeded"),
    stop_sequence: fc.constant(null),
    stop_details: fc.option(fc.constant({ type: "refusal", category: "cyber" })),
    container: fc.option(fc.constant({ id: "container_1", expires_at: "2027-01-01T00:00:00Z" })),
    diagnostics: fc.option(
      fc.record({ cache_miss_reason: fc.option(fc.constant({ type: "model_changed" })) }),
    ),
    usage: fc.record({
      input_tokens: fc.nat(99),
      output_tokens: fc.nat(99),
      service_tier: fc.constant("standard"),
    }),
    context_management: fc.constant({ applied_edits: [] }),
    input_transformations: fc.constant([{ type: "thinking_dropped" }]),
    safeguard_results: fc.option(
      fc.constant([{ type: "dangerous_tool_use", status: { type: "available" } }]),
    ),
    new_at_start: input,
    new_beside_usage: input,
  },
  {
    noNullPrototype: true,
    requiredKeys: [
      "id",
      "type",
      "role",
      "model",
      "content",
      "stop_reason",
      "stop_sequence",
      "stop_details",
      "container",
      "diagnostics",
      "usage",
    ],
  },
);

function* toDeltas({ type, ...block }: Json): Generator<Json> {
  if (type === "text") {
    for (const cited of (block.citations as Json[] | null) ?? [])
      yield { type: "citations_delta", citation: cited };
    for (const text of halves(String(block.text))) yield { type: "text_delta", text };
  } else if (type === "thinking") {
    for (const thinking of halves(String(block.thinking))) yield { type: "thinking_delta", thinking };
    yield { type: "signature_delta", signature: block.signature };
  } else if (/tool_use$/.test(String(type)))
    for (const partial_json of halves(JSON.stringify(block.input)))
      yield { type: "input_json_delta", partial_json };
  else if (type === "compaction") yield { ...block, type: "compaction_delta" };
}

/** A block as it starts: what deltas bring is empty. */
const empty: Json = { text: "", thinking: "", signature: "", encrypted_content: null };
const toStart = (block: Json): Json => ({
  ...Object.fromEntries(
    Object.entries(block).map(([name, value]) => [name, name in empty ? empty[name] : value]),
  ),
  ...(block.type === "text" && block.citations !== null && { citations: [] }),
  ...(/tool_use$/.test(String(block.type)) && { input: {} }),
  ...(block.type === "compaction" && { content: null }),
});

const given = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** As Anthropic streams it. */
function toEvents(whole: Json & { content: Json[] }): WireEvent[] {
  const {
    content,
    stop_reason,
    stop_sequence,
    stop_details,
    container,
    context_management,
    safeguard_results,
    new_beside_usage,
    usage,
    ...facts
  } = whole;
  const end = { stop_reason, stop_sequence, stop_details, container, ...given({ safeguard_results }) };
  // The fields of the end are null at the start.
  const unknown = Object.fromEntries(Object.keys(end).map((name) => [name, null]));
  const head = { ...facts, content: [], ...unknown, usage };
  return [
    { type: "message_start", message: head },
    ...content.flatMap((block, index) => [
      { type: "content_block_start", index, content_block: toStart(block) },
      ...[...toDeltas(block)].map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: end,
      usage,
      ...given({ context_management, new_beside_usage }),
    },
    { type: "message_stop" },
  ];
}

const facts = { id: "msg_ours", model: "ours", provider: "anthropic" } as const;

test("Anthropic's answer reaches its own callers whole, in JSON and streamed (failures 71)", () => {
  fc.assert(
    fc.property(message, (said) => {
      const expected = { ...said, model: "ours" };
      const events = anthropicDialect.readReply(said);
      const usage = events.findLast((event) => event.type === "usage")?.usage;
      expect(buildMessage(events, facts, usage)).toEqual(expected);

      const streamed = replay(anthropicDialect, [toSse(toEvents(said), true)]);
      const reported = streamed.findLast((event) => event.type === "usage")?.usage;
      expect(buildMessage(streamed, facts, reported)).toEqual(expected);

      const writer = createMessagesStreamWriter(facts);
      const frames = parseFrames(writer.write(streamed) + writer.last(reported));
      const [start, end] = [frames[0], frames.at(-2)] as Json[];
      const { content, usage: counted } = foldMessage(frames);
      const { type: _type, delta, usage: _usage, ...rest } = end as { delta: Json } & Json;
      expect({ ...(start!.message as Json), ...delta, ...rest, content, usage: counted }).toEqual(expected);
    }),
    runs,
  );
});

test("fields that this service writes are its own, whatever the provider sends under their names", () => {
  const theirs = { svc: { credits_charged: 9 }, extra_content: { google: {} } };
  const whole = { id: "msg_01", content: [], stop_reason: "end_turn", usage: {}, ...theirs };
  const streamed = toEvents(whole).map((event) =>
    event.type === "message_delta"
      ? { ...event, ...theirs, delta: { ...(event.delta as Json), ...theirs } }
      : event,
  );
  for (const events of [
    anthropicDialect.readReply(whole),
    replay(anthropicDialect, [toSse(streamed, true)]),
  ]) {
    const writer = createMessagesStreamWriter(facts);
    const frames = parseFrames(writer.write(events) + writer.last(undefined, { credits_charged: 1 }));
    expect(frames.at(-2)).toMatchObject({ svc: { credits_charged: 1 } });
    for (const written of [buildMessage(events, facts), frames[0]!.message, frames.at(-2)!.delta]) {
      expect(written).not.toHaveProperty("svc");
      expect(written).not.toHaveProperty("extra_content");
    }
  }
});

test("transformations that the end of a stream tells replace those of its start", () => {
  const [first, last] = [
    [{ type: "thinking_dropped", path: "a" }],
    [{ type: "thinking_dropped", path: "b" }],
  ];
  const events = toEvents({ content: [], stop_reason: "end_turn", input_transformations: first, usage: {} });
  const told = events.map((event) =>
    event.type === "message_delta" ? { ...event, input_transformations: last } : event,
  );
  const streamed = replay(anthropicDialect, [toSse(told, true)]);
  expect(buildMessage(streamed, facts)).toMatchObject({ input_transformations: last });
  const writer = createMessagesStreamWriter(facts);
  const frames = parseFrames(writer.write(streamed) + writer.last(undefined)) as Json[];
  expect((frames[0]!.message as Json).input_transformations).toEqual(first);
  expect(frames.at(-2)).toMatchObject({ type: "message_delta", input_transformations: last });
});

test("a compaction that is only encrypted is streamed as JSON", () => {
  const block = { type: "compaction", encrypted_content: "sealed" };
  const events = replay(anthropicDialect, [
    toSse(
      toEvents({ content: [] }).toSpliced(
        1,
        0,
        { type: "content_block_start", index: 0, content_block: block },
        { type: "content_block_stop", index: 0 },
      ),
      true,
    ),
  ]);
  const frames = parseFrames(createMessagesStreamWriter(facts).write(events));
  expect(frames.find(({ type }) => type === "content_block_delta")).toMatchObject({
    delta: { type: "compaction_delta", content: null, encrypted_content: "sealed" },
  });
});

// The beta `thinking-token-count-2026-05-13`: clients sum the counts for a progress display.
test("counts of withheld thinking are passed on, in the deltas that bring them", () => {
  const delta = (fields: Json) => ({ type: "content_block_delta", index: 0, delta: fields });
  const counted = [150, 0, null, 250].map((estimated_tokens) =>
    delta({ type: "thinking_delta", thinking: "", estimated_tokens }),
  );
  const events: WireEvent[] = [
    { type: "message_start", message: { id: "msg_01", content: [], usage: { input_tokens: 1 } } },
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "thinking", thinking: "", signature: "" },
    },
    ...counted,
    delta({ type: "signature_delta", signature: "c2VhbA==" }),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 400 } },
    { type: "message_stop" },
  ];
  const writer = createMessagesStreamWriter({ id: "msg_x", model: "claude", provider: "anthropic" });
  const written = parseFrames(writer.write(replay(anthropicDialect, [toSse(events, true)])));
  const deltas = written.flatMap((event) => (event.type === "content_block_delta" ? [event.delta] : []));
  expect(deltas).toEqual([
    ...[150, 0, 250].map((estimated_tokens) => ({ type: "thinking_delta", thinking: "", estimated_tokens })),
    { type: "signature_delta", signature: "c2VhbA==" },
  ]);
});
