// What a request with `models` is held and charged for when one model takes over from another.
import { describe, expect, test } from "vitest";
import { eventStream, newCaller, openaiStream, openaiUsage } from "../support/app.ts";
import {
  type Answer,
  ask,
  errorFrame,
  fineClaude,
  first,
  frames,
  hello,
  messages,
  named,
  second,
  start,
  status,
} from "../support/ask-fallbacks.ts";

describe("what a request with models is held and charged for", () => {
  const required = async (body: object) => {
    const { response, json } = await ask({}, { body, creditMicro: 1 });
    expect(response.status).toBe(402);
    return json().error.required_credits as number;
  };

  test("the hold covers the dearest model, wherever it stands", async () => {
    const cheap = named("gpt-4o-mini");
    const [dear, alone] = [named("claude-opus-4-1"), { messages, max_tokens: 50 }];
    const ofDear = await required({ ...alone, model: dear });
    expect(await required({ ...alone, model: cheap })).toBeLessThan(ofDear);
    expect(await required({ ...alone, model: cheap, models: [first, dear] })).toBe(ofDear);
    expect(await required({ ...alone, model: dear, models: [cheap] })).toBe(ofDear);
  });

  test("the price is that of the model that ran", async () => {
    const { charge, response } = await ask({ "gpt-4o": status(500) });
    // Claude Sonnet 4.5: 12 x 3 + 2 x 15; 20 planning tokens at 0.10: 2; a quarter more.
    expect(charge).toMatchObject({
      amountMicro: -85,
      model: first,
      executionLlm: "anthropic/claude-sonnet-4.5",
      inputTokens: 12,
      outputTokens: 2,
      outcome: "completed",
      flag: null,
    });
    expect(Number(response.headers.get("x-svc-credits-charged"))).toBe(0.000085);
  });

  const reporting: Answer = () => frames({ choices: [], usage: openaiUsage(100, 0) }, errorFrame);

  test("what an earlier one reported before it failed is owed too, at its own price", async () => {
    const { charge, json } = await ask({ "gpt-4o": reporting });
    // 100 x 2.50 of gpt-4o beside the 68 above.
    expect(charge).toMatchObject({ amountMicro: -Math.ceil((66 + 2 + 250) * 1.25), inputTokens: 12 });
    expect(charge!.prices).toMatchObject({
      earlier: [{ model: "openai/gpt-4o", usage: { input: 100 }, prices: { input: 2_500_000 } }],
    });
    expect(json().usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 2 });
    expect(json().usage.cost).toBe(json().svc.credits_charged);
  });

  /** A model that thinks up to its cap, reports it, and fails before the first word. */
  const spending: Answer = () => frames({ choices: [], usage: openaiUsage(20, 2_000) }, errorFrame);
  const whole: Answer = () => openaiStream(["Hello"], openaiUsage(20, 2_000));
  const long = { model: first, models: [named("gpt-4.1"), named("gpt-5")], messages, max_tokens: 2_000 };

  test("all that they reported is charged, though each alone may use the whole hold", async () => {
    const answers = { "gpt-4o": spending, "gpt-4.1": spending, "gpt-5": whole };
    const { charge, caller, json } = await ask(answers, { body: long });
    expect(json().choices[0].message.content).toBe("Hello");
    // 20 and 2,000 tokens at 2.50 and 10 (gpt-4o), 2 and 8 (gpt-4.1), 1.25 and 10 (gpt-5); planning 2; a quarter more.
    const micro = 50 + 20_000 + 40 + 16_000 + 25 + 20_000 + 2;
    expect(charge).toMatchObject({ amountMicro: -Math.ceil(micro * 1.25), flag: null });
    expect(await caller.account()).toMatchObject({ openHolds: 0 });
  });

  /** The aggregator's report is a chunk of its own, the last one, also where the model's call could not be read. */
  const unreadable: Answer = () =>
    frames(
      { choices: [{ delta: {}, finish_reason: "function_call_filter: MALFORMED_FUNCTION_CALL" }] },
      { choices: [], usage: openaiUsage(20, 2_000) },
    );

  test("a report that comes after the failure is charged", async () => {
    const body = { ...long, models: [named("gpt-5")] };
    const { charge, json } = await ask({ "gpt-4o": unreadable, "gpt-5": whole }, { body });
    expect(json().choices[0].message.content).toBe("Hello");
    expect(charge).toMatchObject({ amountMicro: -Math.ceil((20_050 + 20_025 + 2) * 1.25), flag: null });
  });

  test("a report that comes after the failure is charged where no model is left", async () => {
    const { response, charge } = await ask({ "gpt-4o": unreadable }, { body: { ...long, models: [] } });
    expect(response.status).toBe(502);
    expect(charge).toMatchObject({ amountMicro: -Math.ceil(20_052 * 1.25), outputTokens: 2_000, flag: null });
  });

  test.each(["in one packet", "in two"])(
    "a report after the failure that bills nothing is no reason to charge the call, nor to end there (%s)",
    async (how) => {
      const report = { choices: [], usage: { ...openaiUsage(20, 0), cost: 0 } };
      const texts = [errorFrame, report].map((value) => `data: ${JSON.stringify(value)}\n\n`);
      const packets = how === "in two" ? texts : [texts.join("")];
      const free: Answer = () => {
        const left = packets.map((text) => new TextEncoder().encode(text));
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            const next = left.shift();
            if (next === undefined) controller.close();
            else controller.enqueue(next);
          },
        });
        return eventStream(body);
      };
      const body = { ...long, models: [named("gpt-5")] };
      const { charge, json } = await ask({ "gpt-4o": free, "gpt-5": whole }, { body });
      expect(json().choices[0].message.content).toBe("Hello");
      expect(charge).toMatchObject({ amountMicro: -Math.ceil((20_025 + 2) * 1.25), flag: null });
    },
  );

  const nothing = { choices: [], usage: { ...openaiUsage(20, 0), cost: 0 } };
  test.each<[string, object[]]>([
    ["before the failure", [nothing, errorFrame]],
    ["after it", [errorFrame, nothing]],
    ["in its chunk", [{ ...nothing, ...errorFrame }]],
  ])("a call is free whose report says that nothing is billed, %s", async (_where, sent) => {
    const answers = { "gpt-4o": () => frames(...sent), "gpt-5": whole };
    const last = await ask(answers, { body: { ...long, models: [] } });
    expect(last.response.status).toBe(502);
    // Planning alone.
    expect(last.charge).toMatchObject({ amountMicro: -Math.ceil(2 * 1.25), inputTokens: null, flag: null });
    const { charge } = await ask(answers, { body: { ...long, models: [named("gpt-5")] } });
    expect(charge).toMatchObject({ amountMicro: -Math.ceil((20_025 + 2) * 1.25), flag: null });
  });

  test("it is not where the operator's own key at the host is billed, which costs the aggregator nothing", async () => {
    const report = { choices: [], usage: { ...openaiUsage(20, 2_000), cost: 0, is_byok: true } };
    const answers = { "gpt-4o": () => frames(errorFrame, report) };
    const { charge } = await ask(answers, { body: { ...long, models: [] } });
    expect(charge).toMatchObject({ amountMicro: -Math.ceil(20_052 * 1.25), outputTokens: 2_000 });
  });

  test("without credit for one more the failure stands, and is charged", async () => {
    const { response, charge, caller, tried } = await ask(
      { "gpt-4o": spending, "gpt-4.1": whole },
      { body: long, creditMicro: 40_000 },
    );
    expect(response.status).toBe(502);
    expect(tried()).toEqual(["openai/gpt-4o"]);
    expect(charge).toMatchObject({ amountMicro: -Math.ceil(20_052 * 1.25), flag: null });
    expect(await caller.account()).toMatchObject({ openHolds: 0 });
  });

  test.each([
    ["reported no tokens", 0, {}, 0],
    ["reported little", 5, {}, 50 + 50],
    ["was on the caller's own key", 2_000, { "x-alpha-key": "sk-own" }, 0],
  ])(
    "no credit is needed beside what is charged where the failed one %s",
    async (_what, output, headers, earlier) => {
      const body = { ...long, models: [second] };
      const reported: Answer = () =>
        frames({ choices: [], usage: openaiUsage(output && 20, output) }, errorFrame);
      const creditMicro = (await required(body)) * 1_000_000 + earlier * 1.25;
      const { response, charge } = await ask({ "gpt-4o": reported }, { body, creditMicro, headers });
      expect(response.status).toBe(200);
      expect(charge).toMatchObject({ amountMicro: -Math.ceil((66 + 2 + earlier) * 1.25), flag: null });
    },
  );

  test("the pool's share bears its markup where the caller's own key took over", async () => {
    const headers = { "x-beta-key": "sk-ant-own" };
    const { charge, json } = await ask(
      { "gpt-4o": reporting, claude: fineClaude },
      { headers, body: { ...hello, models: [second] } },
    );
    expect(json()).toMatchObject({
      choices: [{ message: { content: "Hello" } }],
      svc: {
        key_source: "user",
        pool_markup_applied: null,
        execution_llm: expect.stringContaining("claude"),
      },
    });
    // 2 of planning as they are, 250 of the pool's with a quarter more.
    expect(charge).toMatchObject({ amountMicro: -Math.ceil(2 + 250 * 1.25), keySource: "user", markup: 0 });
  });

  test("a key that may not use a model may not fall back on it", async () => {
    const app = start({});
    const caller = await newCaller(1_000_000, { models: [first] });
    const response = await app.chat(caller.apiKey, hello);
    expect(response.status).toBe(403);
    expect(app.sent).toEqual([]);
  });
});
