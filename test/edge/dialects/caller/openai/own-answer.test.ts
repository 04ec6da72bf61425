/**
 * The law of a caller of OpenAI whose provider is OpenAI: what it is answered is what was said, in JSON and streamed, with every
 * documented field. Found by comparing what the official client reads with and without the gateway.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { buildChatCompletion } from "../../../../../edge/dialects/caller/openai/write-reply.ts";
import { createChatStreamWriter } from "../../../../../edge/dialects/caller/openai/write-stream.ts";
import { alphaDialect } from "../../../../../edge/dialects/provider/openai/dialect.ts";
import { foldChatMessage } from "../../../../support/chat-stream.ts";
import { replay, toSse, type WireEvent } from "../../replay.ts";

type Json = Record<string, unknown>;
const runs = { seed: 20_261_123, numRuns: 300 };

const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 9 });
const input = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 });
/** A text in two pieces; arguments of none (`{}`) come in one, as OpenAI sends them. */
const halves = (text: string) =>
  text === "{}" ? [text] : [text.slice(0, text.length / 2), text.slice(text.length / 2)];

const call = fc.record({
  id: fc.stringMatching(/^call_\w{6}$/),
  type: fc.constant("function"),
  function: fc.record({
    name: fc.constantFrom("look", "find"),
    arguments: input.map((value) => JSON.stringify(value)),
  }),
});
const annotation = words.map((title) => ({
  type: "url_citation",
  url_citation: { title, url: "https://a.example" },
}));
const chatMessage = fc.record(
  {
    role: fc.constant("assistant"),
    content: fc.option(words),
    refusal: fc.option(words),
    annotations: fc.array(annotation, { minLength: 1, maxLength: 2 }),
    tool_calls: fc.uniqueArray(call, { minLength: 1, maxLength: 3, selector: ({ id }) => id }),
  },
  { noNullPrototype: true, requiredKeys: ["role", "content", "refusal"] },
);
const judged = { type: "moderation_results", model: "omni-moderation", results: [{ flagged: false }] };
const completionFacts = fc.record(
  {
    service_tier: fc.constantFrom("default", "flex", "priority"),
    system_fingerprint: words,
    moderation: fc.constant({ input: judged, output: judged }),
  },
  { noNullPrototype: true, requiredKeys: ["system_fingerprint"] },
);
type Call = { function: { name: string; arguments: string } };

const head = { id: "chatcmpl-1", created: 1, model: "gpt" };
const logprobs = { content: [{ token: "a", logprob: -1, bytes: [97], top_logprobs: [] }], refusal: null };
const build = (events: Parameters<typeof buildChatCompletion>[0]) =>
  buildChatCompletion(events, { ...head, model: "ours" });

/** As OpenAI streams it: the judgement in a chunk after the answer. */
const toChunks = (said: Json, { moderation, ...facts }: Json): WireEvent[] => {
  const { content, refusal, annotations, tool_calls: calls } = said;
  const chunk = (delta: Json, rest: Json = {}) => ({
    ...head,
    ...facts,
    choices: [{ index: 0, delta, ...rest }],
  });
  return [
    chunk({ role: "assistant", content: "" }, { logprobs }),
    ...halves(String(content ?? "")).map((text) => chunk({ content: text })),
    ...halves(String(refusal ?? "")).map((text) => chunk({ refusal: text })),
    ...(annotations === undefined ? [] : [chunk({ annotations })]),
    ...((calls ?? []) as Call[]).flatMap(({ function: { name, arguments: text }, ...rest }, index) => [
      chunk({ tool_calls: [{ index, ...rest, function: { name, arguments: "" } }] }),
      ...halves(text).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    chunk({}, { finish_reason: "stop" }),
    ...(moderation === undefined ? [] : [{ ...head, choices: [], moderation }]),
  ];
};

test("OpenAI's answer reaches its own callers whole, and a call's arguments before the next call starts", () => {
  fc.assert(
    fc.property(chatMessage, completionFacts, (said, facts) => {
      const silent = said.content === null && said.refusal === null && said.tool_calls === undefined;
      const expected = {
        ...facts,
        choices: [{ message: silent ? { ...said, content: "" } : said, logprobs }],
      };
      const choices = [{ index: 0, message: said, logprobs, finish_reason: "stop" }];
      expect(build(alphaDialect.readReply({ ...head, ...facts, choices }))).toMatchObject(expected);

      const events = replay(alphaDialect, [toSse(toChunks(said, facts), false)]);
      expect(build(events)).toMatchObject(expected);

      const writer = createChatStreamWriter({ ...head, includeUsage: false });
      const text = writer.write(events) + writer.last({});
      const given = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null));
      expect(foldChatMessage(text)).toMatchObject(given);
      const frames = text.split("\n\n").slice(0, -2);
      const last = JSON.parse(frames.at(-1)!.slice("data: ".length));
      expect(last.moderation).toEqual(facts.moderation);

      let open = { index: 0, arguments: "{}" };
      for (const frame of frames) {
        const [delta] = JSON.parse(frame.slice("data: ".length)).choices[0]?.delta.tool_calls ?? [];
        if (delta === undefined) continue;
        if (delta.index !== open.index) {
          JSON.parse(open.arguments);
          open = { index: delta.index, arguments: "" };
        } else if (delta.id !== undefined) open.arguments = "";
        open.arguments += delta.function.arguments;
      }
    }),
    runs,
  );
});
