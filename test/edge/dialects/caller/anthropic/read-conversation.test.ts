// What a caller of Anthropic's API wrote reaches each provider whole, or is named.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readMessagesRequest } from "../../../../../edge/dialects/caller/anthropic/read-request.ts";
import { MessagesRequest } from "../../../../../edge/dialects/caller/anthropic/schema.ts";
import { anthropicDialect } from "../../../../../edge/dialects/provider/anthropic/dialect.ts";
import { geminiDialect } from "../../../../../edge/dialects/provider/gemini/dialect.ts";
import { alphaDialect, routerDialect } from "../../../../../edge/dialects/provider/openai/dialect.ts";
import type { ChatRequest } from "../../../../../shared/chat.ts";

const base = { model: "m", max_tokens: 100, messages: [{ role: "user", content: "Hello" }] };
const read = (fields: object) => readMessagesRequest(MessagesRequest.parse({ ...base, ...fields }));
const request = (fields: object) => read(fields).request;

/** Blocks as a caller of Anthropic may send them; no empty text, which Anthropic refuses. */
const words = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 10 })
  .filter((text) => text.trim() !== "");
const mark = fc.constantFrom({}, { cache_control: { type: "ephemeral", ttl: "1h" } });
const textBlock = fc.tuple(words, mark).map(([text, marks]) => ({ type: "text", text, ...marks }));
const imageBlock = fc.constantFrom(
  { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0=" } },
  { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
  { type: "image", source: { type: "file", file_id: "file_1" } },
);
const documentBlock = fc.constantFrom(
  { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBE" }, title: "A" },
  {
    type: "document",
    source: { type: "text", media_type: "text/plain", data: "Löwe\u0000👩‍🚀" },
    context: "c",
  },
  { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
  { type: "document", source: { type: "file", file_id: "file_2" }, citations: { enabled: true } },
  { type: "document", source: { type: "content", content: [{ type: "text", text: "a" }] } },
);
const otherBlock = fc.constantFrom(
  { type: "search_result", source: "s", title: "t", content: [{ type: "text", text: "b" }] },
  { type: "container_upload", file_id: "file_3" },
);
const json = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
const turns = fc
  .array(
    fc.record({
      user: fc.array(fc.oneof(textBlock, imageBlock, documentBlock, otherBlock), {
        minLength: 1,
        maxLength: 3,
      }),
      thinking: fc.constantFrom(
        [],
        [
          { type: "thinking", thinking: "", signature: "c2ln" },
          { type: "redacted_thinking", data: "eA==" },
        ],
      ),
      said: textBlock,
      input: json,
      result: fc.array(fc.oneof(textBlock, imageBlock, otherBlock), { minLength: 1, maxLength: 2 }),
      failed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((rounds) =>
    rounds.flatMap(({ user, thinking, said, input, result, failed }, index) => [
      { role: "user", content: user },
      {
        role: "assistant",
        content: [
          ...thinking,
          said,
          { type: "tool_use", id: `toolu_${index}`, name: "now", input, caller: { type: "direct" } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: `toolu_${index}`,
            content: result,
            ...(failed && { is_error: true }),
          },
        ],
      },
      { role: "assistant", content: [said] },
    ]),
  );

const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("the messages of a caller of Anthropic's API", () => {
  test("reach Anthropic as the caller wrote them", () => {
    fc.assert(
      fc.property(turns, (messages) => {
        const { body, unsupported } = anthropicDialect.writeRequest(request({ messages }), {
          model: "claude-sonnet-4-5",
        });
        // As it goes over the wire, where -0 is written 0.
        expect(overTheWire(body.messages)).toEqual(overTheWire(messages));
        expect(unsupported).toEqual([]);
      }),
    );
  });

  test.each([
    ["OpenAI", alphaDialect],
    ["Gemini", geminiDialect],
    ["the aggregator", routerDialect],
  ])("reach %s with nothing dropped that is not named", (_name, dialect) => {
    fc.assert(
      fc.property(turns, (messages) => {
        const { body, unsupported } = dialect.writeRequest(request({ messages }), { model: "m" });
        const sent = JSON.stringify(body);
        const wanted = JSON.stringify(messages);
        for (const [part, names] of [
          ["cache_control", ["cache_control"]],
          ["file_1", ["messages.content.image"]],
          ["file_2", ["messages.content.document"]],
          ["file_3", ["messages.content.container_upload"]],
          ["is_error", ["is_error"]],
        ] as const) {
          const kept = sent.includes(part) || (part === "is_error" && sent.includes('"error"'));
          if (wanted.includes(part) && !kept) expect(unsupported).toEqual(expect.arrayContaining([...names]));
        }
        for (const { content } of messages)
          for (const block of content)
            if (block.type === "text")
              expect(sent).toContain(JSON.stringify((block as { text: string }).text));
      }),
    );
  });

  test("instructions between turns keep their place for Anthropic", () => {
    const messages = [
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
      { role: "system", content: "From now on in French." },
      { role: "user", content: "c" },
    ];
    const { body } = anthropicDialect.writeRequest(request({ messages, system: "s" }), {
      model: "claude-opus-5",
    });
    expect((body.messages as { role: string }[]).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "system",
      "user",
    ]);
    expect(body.system).toEqual([{ type: "text", text: "s" }]);
  });

  test("a later instruction keeps the fields of its own, with or without words; others are told that they do not get them", () => {
    const later = { role: "system", content: [{ type: "text", text: "b" }], clear_at: "next_user_message" };
    const silent = { role: "system", output_config: { effort: "low" } };
    const user = { role: "user", content: [{ type: "text", text: "a" }] };
    const messages = [user, later, silent, user, silent, user];
    const asked = request({ messages });
    const { body } = anthropicDialect.writeRequest(asked, { model: "claude-opus-5" });
    expect(body.messages).toEqual(messages);
    expect(alphaDialect.writeRequest(asked, { model: "gpt-4o" }).unsupported).toEqual([
      "messages.clear_at",
      "messages.output_config",
    ]);
    expect(MessagesRequest.safeParse({ ...base, messages: [{ role: "user" }] }).success).toBe(false);
  });

  test.each([
    ["Anthropic", anthropicDialect],
    ["OpenAI", alphaDialect],
  ])(
    "a field beside a turn's content, which Anthropic refuses, is named and not sent to %s",
    (_, dialect) => {
      const messages = [{ role: "user", content: "a", cache_control: { type: "ephemeral" } }];
      const { body, unsupported } = dialect.writeRequest(request({ messages }), { model: "claude-opus-5" });
      expect(JSON.stringify(body)).not.toContain("ephemeral");
      expect(unsupported).toEqual(["messages.cache_control"]);
    },
  );

  test("what others cannot read is given in plainer words where it has them", () => {
    const content = [
      {
        type: "search_result",
        source: "https://example.com",
        title: "Lakes",
        content: [{ type: "text", text: "Deep." }],
      },
      {
        type: "document",
        title: "D",
        source: { type: "content", content: [{ type: "text", text: "Wide." }] },
      },
    ];
    const { body, unsupported } = alphaDialect.writeRequest(
      request({ messages: [{ role: "user", content }] }),
      { model: "gpt-4o" },
    );
    const sent = JSON.stringify(body);
    for (const text of ["Lakes", "https://example.com", "Deep.", "Wide."]) expect(sent).toContain(text);
    expect(unsupported).toEqual([]);
  });

  test("the plainer words keep the marks of the prompt's cache, and what was said about a document", () => {
    const mark = { cache_control: { type: "ephemeral" } };
    const text = { type: "text", text: "Deep." };
    const source = { type: "content", content: [text] };
    const content = [
      { type: "search_result", source: "s", title: "t", content: [{ ...text, ...mark }, text], ...mark },
      { type: "document", title: "D", context: "Of 1984.", source, ...mark },
      { type: "tool_reference", tool_name: "now", ...mark },
    ];
    const { body, unsupported } = routerDialect.writeRequest(
      request({ messages: [{ role: "user", content }] }),
      { model: "anthropic/claude-sonnet-4.5" },
    );
    expect((body.messages as { content: unknown }[])[0]?.content).toEqual([
      { type: "text", text: "t\ns" },
      { ...text, ...mark },
      { ...text, ...mark },
      { type: "text", text: "D" },
      { type: "text", text: "Of 1984." },
      { ...text, ...mark },
      { type: "text", text: "Found the tool now.", ...mark },
    ]);
    expect(unsupported).toEqual([]);
  });

  test("a budget above the output limit goes to Claude as it is where thinking may be interleaved", () => {
    const asked = request({
      max_tokens: 2_000,
      messages: [{ role: "user", content: "x" }],
      thinking: { type: "enabled", budget_tokens: 4_000 },
    });
    const providerHeaders = { "anthropic-beta": "a-1,interleaved-thinking-2025-05-14" };
    const write = (given: ChatRequest) =>
      anthropicDialect.writeRequest(given, { model: "claude-sonnet-4-5" });
    expect(write({ ...asked, providerHeaders }).body.thinking).toEqual({
      type: "enabled",
      budget_tokens: 4_000,
    });
    expect(write({ ...asked, providerHeaders }).unsupported).toEqual([]);
    expect(write(asked).body.thinking).toEqual({ type: "enabled", budget_tokens: 1_999 });
  });

  test("what is asked of the output beside an effort and a format is named", () => {
    const asked = request({
      messages: [{ role: "user", content: "x" }],
      output_config: { effort: "low", task_budget: { type: "tokens", total: 20_000 } },
    });
    expect(alphaDialect.writeRequest(asked, { model: "gpt-5.1" }).unsupported).toEqual([
      "output_config.task_budget",
    ]);
    expect(anthropicDialect.writeRequest(asked, { model: "claude-opus-4-6" }).unsupported).toEqual([]);
  });
});
