// Templates and hosts add text of their own to a prompt, and bill it as input. Without room for it in the hold, an honest report of a
// short prompt was cut to the hold, flagged, and paid by the operator.
import { expect, test } from "vitest";
import { createTestApp, newCaller, openaiStream, openaiUsage } from "../support/app.ts";

/** Published reports of a greeting. */
test.each([
  ["x-ai/grok-4.3", 703],
  ["openai/gpt-oss-120b", 72],
  ["qwen/qwen3-coder", 60],
])("what %s adds to a prompt is held for and charged", async (llm, reported) => {
  const caller = await newCaller(100_000_000);
  const app = createTestApp({ provider: [() => openaiStream(["Hi"], openaiUsage(reported, 1))] });
  const response = await app.chat(caller.apiKey, {
    model: `svc-x1ac-base-${llm}`,
    messages: [{ role: "user", content: "hi" }],
    max_tokens: 16,
    svc: { plan: "off" },
  });
  expect(response.status, await response.clone().text()).toBe(200);
  await response.text();
  await response.settled();
  const [charge] = await caller.charges();
  expect(charge).toMatchObject({ flag: null, inputTokens: reported });
});
