// Every stream, recorded or written by hand, through the whole service and out of the official client: what
// it says must be exactly what the recording says, in text, tools, finish and tokens, in each way of asking.
import OpenAI from "openai";
import { expect } from "vitest";
import type { Payer } from "../../support/gateway.ts";
import { type ReadAnswer, ways } from "./ask-openai-client.ts";
import type { Recording } from "./list-recordings.ts";
import { testReplays } from "./replay-suite.ts";

/** What the caller must see; with an error in the recording only the error counts. */
function expectedOf({ expected }: Recording, { name }: Payer): Partial<ReadAnswer> {
  const { reply: _reply, failure, usage, ...answer } = expected;
  if (failure !== undefined) return { failure };
  // On the pool tokens nobody counted are counted by us, because they are billed.
  return usage === undefined && name === "pool" ? answer : { ...answer, usage, failure };
}

testReplays("recordings exact", ways, async ({ baseUrl, apiKey, payer }, recording, way) => {
  const client = new OpenAI({ apiKey, baseURL: baseUrl, defaultHeaders: payer.headers, maxRetries: 0 });
  const request = { model: payer.model, messages: [{ role: "user" as const, content: "Go on" }] };
  const answer = await way.ask(client, request).catch((error: unknown): Partial<ReadAnswer> => {
    if (error instanceof OpenAI.APIError) return { failure: error.message };
    throw error;
  });
  const expected = expectedOf(recording, payer);
  for (const field of Object.keys(expected) as (keyof ReadAnswer)[]) {
    // The provider's words stand in the error's message beside the advice what to do next.
    if (field === "failure" && expected.failure) expect(answer.failure).toContain(expected.failure);
    else if (field in answer || field !== "reasoning") expect(answer[field], field).toEqual(expected[field]);
  }
});
