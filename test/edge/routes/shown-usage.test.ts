// What callers are shown of usage and cost is what they pay for.
import { describe, expect, test } from "vitest";
import { createTestApp, newCaller, openaiStream, openaiUsage } from "../support/app.ts";
import { credit, hello, open, streamed } from "../support/charged-stream.ts";

describe("what callers of the pool are shown (books 9)", () => {
  const lying = { ...openaiUsage(-12, 9_000_000), cost: 0.5, cost_details: { upstream_inference_cost: 0.4 } };
  const honest = { ...openaiUsage(12, 2), cost: 0.00005, is_byok: false, cost_details: { a: 1 } };

  test.each([
    ["a lie", lying],
    ["the truth", honest],
  ])("is what they pay for, in JSON and in a stream, when the provider tells %s", async (_what, usage) => {
    const provider = [() => openaiStream(["Hi"], usage)];
    const json = await open({ provider }, hello);
    const body = await json.response.json<{ usage: Record<string, unknown>; svc: Record<string, unknown> }>();
    const row = await json.charge();
    const charged = -row.amountMicro / 1_000_000;
    expect(body.usage).toMatchObject({
      prompt_tokens: row.inputTokens,
      completion_tokens: row.outputTokens,
      cost: charged,
    });
    expect(body.usage).not.toHaveProperty("cost_details");
    expect(body.usage).not.toHaveProperty("is_byok");
    expect(body.svc.credits_charged).toBe(charged);
    expect(Number(json.response.headers.get("x-svc-credits-charged"))).toBe(charged);

    const stream = await open({ provider }, { ...streamed, stream_options: { include_usage: true } });
    const frames = (await stream.response.text()).split("\n\n");
    const last = JSON.parse(frames.at(-3)!.slice(6));
    expect(last.usage).toMatchObject({ cost: charged, completion_tokens: row.outputTokens });
    expect(last.svc.credits_charged).toBe(charged);
  });

  test.each([
    ["0.00005 of it", { ...openaiUsage(12, 2), cost: 0.00005 }, { upstream_inference_cost: 0.00005 }],
    [
      "0.00005 of it, 0.0004 elsewhere",
      { ...honest, cost_details: { upstream_inference_cost: 0.0004 } },
      { upstream_inference_cost: 0.0004 },
    ],
    ["nothing", openaiUsage(12, 2), undefined],
  ])(
    "is what they pay here also on their own key, where the aggregator asks for %s",
    async (_what, usage, details) => {
      const { response, charge } = await open({ provider: [() => openaiStream(["Hi"], usage)] }, hello, {
        "x-router-key": "sk-or-own",
      });
      const body = await response.json<{ usage: Record<string, unknown> }>();
      expect(body.usage.cost).toBe(-(await charge()).amountMicro / 1_000_000);
      expect(body.usage.cost_details).toEqual(details);
    },
  );

  test("of messages is beside the usage of message_delta", async () => {
    const caller = await newCaller(credit);
    const { post } = createTestApp({ provider: [() => openaiStream(["Hi"], honest)] });
    const response = await post("/v1/messages", caller.apiKey, { ...streamed, max_tokens: 100 });
    const line = (await response.text())
      .split("\n")
      .find((one) => one.includes('"message_delta"') && one.startsWith("data"));
    const [row] = await caller.charges();
    expect(JSON.parse(line!.slice(6)).svc).toEqual({ credits_charged: -row!.amountMicro / 1_000_000 });
  });
});
