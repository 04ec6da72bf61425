// Every stream, recorded or written by hand, through /v1/messages and out of Anthropic's client: blocks, tools,
// stop reason and tokens exactly as the recording has them, and events in the order clients rely on.
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, type Payer, payers, startGateway, type TestAccount } from "../../support/gateway.ts";
import { findOrderBreaks, foldMessage, type StreamEvent } from "../../support/messages-stream.ts";
import type { ExpectedAnswer, Line } from "../recordings/expected-answer.ts";
import { list, record, string } from "../recordings/expected-answer.ts";
import {
  formatOf,
  ownStreams,
  type Recording,
  readRecordings,
  recordedFolder,
} from "../recordings/list-recordings.ts";

const recorded = recordedFolder ? readRecordings(recordedFolder) : [];
const recordings = [...recorded, ...ownStreams];

/** Longest stream that is also sent byte by byte, in bytes: one turn of the event loop each. */
const byteWiseBytes = 4_000;

let gateway: Gateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startGateway();
  account = await gateway.createAccount(1_000);
});
afterAll(() => gateway?.stop());

const exact = new Map<string, { passed: number; of: number }>();
afterAll(() => {
  for (const [way, { passed, of }] of exact) {
    if (of > 0) console.log(`recordings exact through /v1/messages, ${way}: ${passed} of ${of}`);
  }
});

/** What a caller has in hand: the client's message, or a message of the same fields. */
type Answer = {
  content: Line[];
  stopReason: unknown;
  usage: Line;
  failure?: string | undefined;
};
type Request = Anthropic.MessageCreateParamsNonStreaming;
type Way = {
  name: string;
  /** Whether the provider answers with the recorded stream, or with the JSON reply it would send instead. */
  provider: "stream" | "reply";
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

const count = (value: unknown) => (typeof value === "number" ? value : 0);

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

/** Anthropic's own answer is given as it came: every block, every count. */
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
  expect(usage).toMatchObject(JSON.parse(JSON.stringify(wholeBlocks ? record(reply.usage) : {})));
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

async function check(recording: Recording, payer: Payer, way: Way, chunking: "frame" | "byte" = "frame") {
  const label = `${payer.name}, ${way.name}${chunking === "byte" ? ", sent byte by byte" : ""}`;
  const tally = exact.get(label) ?? { passed: 0, of: 0 };
  const counted = recorded.includes(recording) ? 1 : 0;
  exact.set(label, tally);
  tally.of += counted;
  const { provider } = gateway;
  if (way.provider === "stream") provider.replay(payer.kind, recording.lines, { chunking });
  else provider.respond(payer.kind, { json: recording.expected.reply });
  const client = new Anthropic({
    apiKey: account.apiKey,
    baseURL: gateway.baseUrl.replace(/\/v1$/, ""),
    defaultHeaders: payer.headers,
    maxRetries: 0,
  });
  const request: Request = {
    model: payer.model,
    max_tokens: 4096,
    messages: [{ role: "user", content: "Go on" }],
  };
  const answer = await way.ask(client, request).catch((error: unknown): Answer => {
    if (!(error instanceof Anthropic.APIError)) throw error;
    return { content: [], stopReason: undefined, usage: {}, failure: error.message };
  });
  const { expected } = recording;
  if (expected.failure !== undefined) expect(answer.failure).toContain(expected.failure);
  else {
    expect(answer.failure).toBeUndefined();
    if (payer.kind === "beta") expectNative(answer, expected, way.wholeBlocks);
    else expectTranslated(answer, expected);
    // On the pool tokens nobody counted are counted by us, because they are billed.
    if (expected.usage !== undefined) expectUsage(answer.usage, expected.usage);
  }
  tally.passed += counted;
}

test(
  recordedFolder
    ? `RECORDED_STREAMS holds ${recorded.length} recordings`
    : "RECORDED_STREAMS is not set: only the hand-written streams are replayed",
  () => {
    if (recordedFolder) expect(recorded.length).toBeGreaterThan(0);
  },
);

describe.each(payers)("$name", (payer) => {
  const own = recordings.filter(({ format }) => format === formatOf[payer.kind]);
  // A provider's JSON reply is for those who are asked for one: on the pool we always ask for a stream.
  const asked = ways.filter(({ provider }) => provider === "stream" || payer.name !== "pool");

  describe.each(asked)("$name", (way) => {
    const readable = own.filter(
      ({ expected }) => way.provider === "stream" || expected.failure === undefined,
    );
    test.each(readable)("$name", (recording) => check(recording, payer, way));
  });

  const short = own.filter(({ lines }) => lines.join("").length < byteWiseBytes);
  test.each(short)("byte by byte: $name", (recording) => check(recording, payer, ways[0]!, "byte"));
});
