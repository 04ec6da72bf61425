// Every stream, recorded or written by hand, through the whole service and out of the official client: what
// it says must be exactly what the recording says, in text, tools, finish and tokens, in each way of asking.
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, type Payer, payers, startGateway, type TestAccount } from "../../support/gateway.ts";
import { type ReadAnswer, type Way, ways } from "./ask-openai-client.ts";
import { formatOf, ownStreams, type Recording, readRecordings, recordedFolder } from "./list-recordings.ts";

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
    if (of > 0) console.log(`recordings exact, ${way}: ${passed} of ${of}`);
  }
});

/** What the caller must see; with an error in the recording only the error counts. */
function expectedOf({ expected }: Recording, { name }: Payer): Partial<ReadAnswer> {
  const { reply: _reply, failure, usage, ...answer } = expected;
  if (failure !== undefined) return { failure };
  // On the pool tokens nobody counted are counted by us, because they are billed.
  return usage === undefined && name === "pool" ? answer : { ...answer, usage, failure };
}

async function read(recording: Recording, payer: Payer, way: Way, chunking: "frame" | "byte") {
  const { provider } = gateway;
  if (way.provider === "stream") provider.replay(payer.kind, recording.lines, { chunking });
  else provider.respond(payer.kind, { json: recording.expected.reply });
  const client = new OpenAI({
    apiKey: account.apiKey,
    baseURL: gateway.baseUrl,
    defaultHeaders: payer.headers,
    maxRetries: 0,
  });
  const request = { model: payer.model, messages: [{ role: "user" as const, content: "Go on" }] };
  return way.ask(client, request).catch((error: unknown): Partial<ReadAnswer> => {
    if (error instanceof OpenAI.APIError) return { failure: error.message };
    throw error;
  });
}

async function check(recording: Recording, payer: Payer, way: Way, chunking: "frame" | "byte" = "frame") {
  const label = `${payer.name}, ${way.name}${chunking === "byte" ? ", sent byte by byte" : ""}`;
  const tally = exact.get(label) ?? { passed: 0, of: 0 };
  const counted = recorded.includes(recording) ? 1 : 0;
  exact.set(label, tally);
  tally.of += counted;
  const answer = await read(recording, payer, way, chunking);
  const expected = expectedOf(recording, payer);
  for (const field of Object.keys(expected) as (keyof ReadAnswer)[]) {
    // The provider's words stand in the error's message beside the advice what to do next.
    if (field === "failure" && expected.failure) expect(answer.failure).toContain(expected.failure);
    else if (field in answer || field !== "reasoning") expect(answer[field], field).toEqual(expected[field]);
  }
  tally.passed += counted;
}

test(
  recordedFolder
    ? `RECORDED_STREAMS holds ${recorded.length} recordings`
    : "RECORDED_STREAMS is not set: only the hand-written streams are replayed",
  () => {
    if (recordedFolder) expect(recorded.length).toBeGreaterThan(0);
    else console.log("RECORDED_STREAMS is not set: only the hand-written streams are replayed");
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
