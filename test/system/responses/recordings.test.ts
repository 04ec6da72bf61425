// Every stream, recorded or written by hand, through /v1/responses and out of the official client: text, thoughts,
// calls, status and tokens exactly as the recording has them, and events in the order clients rely on.
import OpenAI from "openai";
import { expect } from "vitest";
import { findResponseBreaks, type ResponseEvent, readOutput } from "../../support/responses-stream.ts";
import { type ExpectedAnswer, parseOrKeep } from "../recordings/expected-answer.ts";
import { type ReplayWay, testReplays } from "../recordings/replay-suite.ts";

type Request = { model: string; input: string };
type Answer = { response?: OpenAI.Responses.Response; failure?: string };
type Way = ReplayWay & { ask: (client: OpenAI, request: Request) => Promise<OpenAI.Responses.Response> };

/** `create({stream: true})`, event by event, held to the documented order. */
async function readEvents(client: OpenAI, request: Request): Promise<OpenAI.Responses.Response> {
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  for await (const event of await client.responses.create({ ...request, stream: true })) events.push(event);
  expect(findResponseBreaks(JSON.parse(JSON.stringify(events)) as ResponseEvent[])).toEqual([]);
  const last = events.at(-1);
  if (last?.type !== "response.completed" && last?.type !== "response.incomplete") throw new Error("no end");
  return last.response;
}

const askJson: Way["ask"] = (client, request) => client.responses.create(request);

const ways: readonly Way[] = [
  { name: "as a stream, event by event", provider: "stream", ask: readEvents },
  {
    name: "as a stream, by the client's .stream() helper",
    provider: "stream",
    ask: (client, request) => client.responses.stream(request).finalResponse(),
  },
  { name: "as JSON, from the provider's stream", provider: "stream", ask: askJson },
  { name: "as JSON, from the provider's JSON", provider: "reply", ask: askJson },
];

const statuses: Readonly<Record<ExpectedAnswer["finish"], string>> = {
  stop: "completed",
  tool_calls: "completed",
  length: "incomplete",
  content_filter: "incomplete",
};

function expectAnswer(response: OpenAI.Responses.Response, expected: ExpectedAnswer): void {
  const said = readOutput(JSON.parse(JSON.stringify(response.output)));
  expect(said.text).toBe(expected.text);
  // The client's own field, which an event has not.
  if ("output_text" in response) expect(response.output_text).toBe(expected.text);
  expect(said.reasoning).toBe(expected.reasoning);
  expect(said.refusal).toBe(expected.refusal);
  expect(said.calls.map((call) => ({ name: call.name, arguments: parseOrKeep(call.arguments) }))).toEqual(
    expected.calls,
  );
  expect(response.status).toBe(statuses[expected.finish]);
  if (expected.usage === undefined) return;
  const { prompt, completion, total, cached, reasoning } = expected.usage;
  const apart = total === prompt + completion + reasoning;
  expect(response.usage).toMatchObject({
    input_tokens: prompt,
    output_tokens: apart ? completion + reasoning : completion,
    total_tokens: total,
    input_tokens_details: { cached_tokens: cached },
    output_tokens_details: { reasoning_tokens: reasoning },
  });
}

testReplays("recordings exact through /v1/responses", ways, async (target, { expected }, way) => {
  const { baseUrl, apiKey, payer } = target;
  const client = new OpenAI({ apiKey, baseURL: baseUrl, defaultHeaders: payer.headers, maxRetries: 0 });
  const answer: Answer = await way.ask(client, { model: payer.model, input: "Go on" }).then(
    (response) => ({ response }),
    (error: unknown) => {
      if (!(error instanceof OpenAI.APIError)) throw error;
      return { failure: error.message };
    },
  );
  if (expected.failure !== undefined) expect(answer.failure).toContain(expected.failure);
  else {
    expect(answer.failure).toBeUndefined();
    expectAnswer(answer.response!, expected);
  }
});
