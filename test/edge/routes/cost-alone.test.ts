// An aggregator that reports what a call cost and no tokens: the cost was lost, and the operator paid what our count missed.
import { expect, test } from "vitest";
import { createTestApp, newCaller, openaiStream } from "../support/app.ts";

test.each([
  ["alone", { cost: 0.05 }],
  ["beside the prompt's tokens", { prompt_tokens: 12, cost: 0.05 }],
])("a cost that is reported %s is charged", async (_what, usage) => {
  const caller = await newCaller(100_000_000);
  const app = createTestApp({ provider: [() => openaiStream(["Hi", " there"], usage)] });
  const response = await app.chat(caller.apiKey, {
    model: "svc-x1ac-base-gpt-4o",
    messages: [{ role: "user", content: "hi" }],
    max_tokens: 8_000,
  });
  await response.text();
  await response.settled();
  const [charge] = await caller.charges();
  expect(charge).toMatchObject({ reportedCostMicro: 50_000, outputTokens: 2 });
  expect(-charge!.amountMicro).toBeGreaterThanOrEqual(62_500);
});
