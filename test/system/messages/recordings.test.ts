// Every stream, recorded or written by hand, through /v1/messages and out of Anthropic's client: blocks, tools,
// stop reason and tokens exactly as the recording has them, and events in the order clients rely on.
import Anthropic from "@anthropic-ai/sdk";
import { expect } from "vitest";
import { findOrderBreaks, foldMessage, type StreamEvent } from "../../support/messages-stream.ts";
import {
  count,
  type ExpectedAnswer,
  type Line,
  list,
  record,
  string,
} from "../recordings/expected-answer.ts";
import { type ReplayWay, testReplays } from "../recordings/replay-suite.ts";
import { connect } from "./anthropic-driver.ts";

/** What a caller has in hand: the client's message, or a message of the same fields. */
type Answer = {
  content: Line[];
  stopReason: unknown;
  usage: Line;
  failure?: string | undefined;
};
type Request = Anthropic.MessageCreateParamsNonStreaming;
type Way = ReplayWay & {
  /** Blocks of every kind; the client's helper leaves out what its types do not know. */
  wholeBlocks: boolean;
  ask: (client: Anthropic, request: Request) => Promise<Answer>;
};

const readMessage = ({ content, stop_reason, usage }: Anthropic.Message): Answer => ({
  content: JSON.parse(JSON.stringify(content)) as Line[],
  stopReason: stop_reason,
  usage: usage as unknown as Line,
});

/** `create({stream: true})`, event by event, held to the documented order. */
async function readEvents(client: Anthropic, request: Request): Promise<Answer> {
  const events: StreamEvent[] = [];
  for await (const event of await client.messages.create({ ...request, stream: true })) {
    events.push(JSON.parse(JSON.stringify(event)) as StreamEvent);
  }
  expect(findOrderBreaks(events)).toEqual([]);
  return foldMessage(events);
}

const askJson: Way["ask"] = async (client, request) => readMessage(await client.messages.create(request));

const ways: readonly Way[] = [
  { name: "as a stream, event by event", provider: "stream", wholeBlocks: true, ask: readEvents },
  {
    name: "as a stream, by the client's .stream() helper",
    provider: "stream",
    wholeBlocks: false,
    ask: async (client, request) => readMessage(await client.messages.stream(request).finalMessage()),
  },
  { name: "as JSON, from the provider's stream", provider: "stream", wholeBlocks: true, ask: askJson },
  { name: "as JSON, from the provider's JSON", provider: "reply", wholeBlocks: true, ask: askJson },
];

const join = (content: readonly Line[], type: string, field: string) =>
  content
    .filter((block) => block.type === type)
    .map((block) => string(block[field]))
    .join("");

const stopReasons: Readonly<Record<ExpectedAnswer["finish"], string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
};

/** Tokens in this dialect's terms: the prompt without what a cache held, thinking inside the output. */
function expectUsage(usage: Line, expected: NonNullable<ExpectedAnswer["usage"]>) {
  const { prompt, completion, total, cached, reasoning } = expected;
  const apart = total === prompt + completion + reasoning;
  expect(count(usage.cache_read_input_tokens)).toBe(cached);
  const input = count(usage.input_tokens) + cached + count(usage.cache_creation_input_tokens);
  expect(input).toBe(prompt);
  expect(usage.output_tokens).toBe(apart ? completion + reasoning : completion);
  expect(count(record(usage.output_tokens_details).thinking_tokens)).toBe(reasoning);
}

/** Anthropic's own answer is passed on as it came: every block, every count; the helper's lacks blocks and counts that it does not know. */
function expectNative(
  { content, stopReason, usage }: Answer,
  expected: ExpectedAnswer,
  wholeBlocks: boolean,
) {
  const reply = record(expected.reply);
  const known = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);
  const wanted = (blocks: Line[]) => blocks.filter(({ type }) => wholeBlocks || known.has(string(type)));
  expect(wanted(content)).toEqual(wanted(list(reply.content)));
  if (typeof reply.stop_reason === "string") expect(stopReason).toBe(reply.stop_reason);
  if (wholeBlocks) expect(usage).toMatchObject(JSON.parse(JSON.stringify(record(reply.usage))));
}

function expectTranslated({ content, stopReason }: Answer, expected: ExpectedAnswer) {
  expect(join(content, "text", "text")).toBe(expected.text + expected.refusal);
  expect(join(content, "thinking", "thinking")).toBe(expected.reasoning);
  const calls = content
    .filter(({ type }) => type === "tool_use")
    .map(({ name, input }) => ({ name, arguments: input }));
  expect(calls).toEqual(expected.calls);
  expect(stopReason).toBe(expected.refusal === "" ? stopReasons[expected.finish] : "refusal");
}

testReplays("recordings exact through /v1/messages", ways, async (target, { expected }, way) => {
  const { baseUrl, apiKey, payer } = target;
  const client = connect({ baseUrl, apiKey, model: payer.model, headers: payer.headers });
  const request: Request = {
    model: payer.model,
    max_tokens: 4096,
    messages: [{ role: "user", content: "Go on" }],
  };
  const answer = await way.ask(client, request).catch((error: unknown): Answer => {
    if (!(error instanceof Anthropic.APIError)) throw error;
    return { content: [], stopReason: undefined, usage: {}, failure: error.message };
  });
  if (expected.failure !== undefined) expect(answer.failure).toContain(expected.failure);
  else {
    expect(answer.failure).toBeUndefined();
    if (payer.kind === "beta") expectNative(answer, expected, way.wholeBlocks);
    else expectTranslated(answer, expected);
    // On the pool tokens nobody counted are counted by us, because they are billed.
    if (expected.usage !== undefined) expectUsage(answer.usage, expected.usage);
  }
});
