import { describe, expect, test } from "vitest";
import { readSseData } from "../../support/read-sse-data.ts";
import {
  createTestApp,
  eventStream,
  newCaller,
  openaiStream,
  openaiUsage,
  testPlan,
} from "../support/app.ts";
import { openStream } from "../support/open-stream.ts";

const model = "svc-x1ac-base-gpt-4o";
const hello = { model, messages: [{ role: "user", content: "find me a flight to Oslo" }], max_tokens: 50 };

describe("a chat completion in JSON", () => {
  test("is planned, answered and charged", async () => {
    const caller = await newCaller(1_000_000);
    const { chat, sent, plans } = createTestApp();
    const response = await chat(caller.apiKey, hello);
    expect(response.status).toBe(200);
    const body = await response.json<Record<string, unknown>>();
    expect(body).toMatchObject({
      object: "chat.completion",
      model,
      choices: [{ index: 0, message: { role: "assistant", content: "Hello world" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 12, completion_tokens: 2, total_tokens: 14 },
      svc: {
        svc_model: "x1ac-base",
        execution_llm: "openai/gpt-4o",
        action_sequence: ["search", "select"],
        key_source: "pool",
        pool_markup_applied: 0.25,
        total_steps_executed: 1,
      },
    });
    expect(plans[0]?.goal).toBe("find me a flight to Oslo");
    // The plan follows the caller's own system text; the caller's words are as they were.
    expect(JSON.stringify(sent[0]?.body.messages)).toContain("[svc plan]");
    expect(sent[0]?.body.max_tokens).toBe(50);
    // gpt-4o: 12 x $2.5/M + 2 x $10/M, and 20 planning tokens x $0.10/M, all x 1.25 = 65 micro, rounded up once.
    expect(response.headers.get("x-svc-credits-charged")).toBe("0.000065");
    const [row] = await caller.charges();
    expect(row).toMatchObject({
      amountMicro: -65,
      inputTokens: 12,
      outputTokens: 2,
      planningTokens: 20,
      outcome: "completed",
      flag: null,
    });
    expect(await caller.account()).toMatchObject({
      balanceMicro: 999_935,
      availableMicro: 999_935,
      openHolds: 0,
    });
  });

  test("with the caller's own key goes to that provider, and only planning is charged", async () => {
    const caller = await newCaller(1_000);
    const { chat, sent } = createTestApp({
      provider: [
        () =>
          Response.json({
            id: "x",
            choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
            usage: openaiUsage(9_000_000, 5),
          }),
      ],
    });
    const response = await chat(caller.apiKey, hello, { "x-alpha-key": "sk-own" });
    expect(await response.json()).toMatchObject({
      usage: { prompt_tokens: 9_000_000 },
      svc: { key_source: "user", pool_markup_applied: null },
    });
    expect(sent[0]?.url).toBe("https://api.openai.com/v1/chat/completions");
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer sk-own");
    expect(response.headers.get("x-svc-credits-charged")).toBe("0.000002");
  });

  test('`svc: {plan: "off"}` keeps the block out of the prompt and the metadata in the answer', async () => {
    const caller = await newCaller(1_000_000);
    const { chat, sent } = createTestApp();
    const response = await chat(caller.apiKey, { ...hello, svc: { plan: "off" } });
    expect(JSON.stringify(sent[0]?.body)).not.toContain("[svc plan]");
    expect(await response.json()).toMatchObject({ svc: { action_sequence: ["search", "select"] } });
  });

  test("usage a provider cannot have meant is counted by us and flagged (failures 12)", async () => {
    for (const usage of [
      openaiUsage(-1_000_000, 2),
      openaiUsage(12, 1e300),
      { prompt_tokens: Number.NaN, completion_tokens: 1, total_tokens: 1 },
    ]) {
      const caller = await newCaller(1_000_000);
      const { chat } = createTestApp({ provider: [() => openaiStream(["a", "b", "c"], usage)] });
      expect((await chat(caller.apiKey, hello)).status).toBe(200);
      const [row] = await caller.charges();
      expect(row?.flag).toMatch(/^usage_/);
      expect(row?.outputTokens).toBe(3);
      expect(row!.amountMicro).toBeLessThan(0);
    }
  });

  test("an alias is priced as the model that runs (failures 3)", async () => {
    const caller = await newCaller(1_000_000);
    const { chat } = createTestApp();
    await chat(caller.apiKey, { ...hello, model: "svc-x1ac-base-gpt-4o-mini-2024-07-18" }).then((response) =>
      response.text(),
    );
    const [row] = await caller.charges();
    expect(row).toMatchObject({ model: "svc-x1ac-base-gpt-4o-mini-2024-07-18" });
    expect(row!.amountMicro).toBeLessThan(0);
    expect(row!.executionLlm).not.toBe("gpt-4o-mini-2024-07-18");
  });
});

describe("a chat completion as a stream", () => {
  test("first role and plan, then text, finish, the full metadata with usage, and [DONE]", async () => {
    const caller = await newCaller(1_000_000);
    const { chat } = createTestApp();
    const response = await chat(caller.apiKey, {
      ...hello,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const frames = readSseData(await response.text());
    expect(frames.at(-1)).toBe("[DONE]");
    const chunks = frames.slice(0, -1).map((frame) => JSON.parse(frame));
    expect(chunks[0]).toMatchObject({
      object: "chat.completion.chunk",
      choices: [{ delta: { role: "assistant" } }],
      svc: { action_sequence: ["search", "select"] },
    });
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("Hello world");
    expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(["stop"]);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 12, completion_tokens: 2 },
      svc: { total_steps_executed: 1, key_source: "pool" },
    });
    expect((await caller.account())?.openHolds).toBe(0);
  });

  test("usage is not sent unasked", async () => {
    const caller = await newCaller(1_000_000);
    const { chat } = createTestApp();
    const response = await chat(caller.apiKey, { ...hello, stream: true });
    const frames = readSseData(await response.text());
    expect(JSON.parse(frames.at(-2)!).usage ?? null).toBeNull();
  });

  test("a stream the provider breaks off ends in an error without [DONE], and what was written is charged", async () => {
    const caller = await newCaller(1_000_000);
    const { chat } = createTestApp({ provider: [() => openaiStream(["a", "b"], undefined, null)] });
    const response = await chat(caller.apiKey, { ...hello, stream: true });
    const frames = readSseData(await response.text());
    expect(JSON.parse(frames.at(-1)!)).toMatchObject({
      error: { code: "upstream_truncated", type: "upstream_error" },
    });
    const [row] = await caller.charges();
    expect(row).toMatchObject({ outcome: "error", outputTokens: 2, flag: "usage_missing" });
  });

  test("an error in place of the first event is an HTTP error, not a 200 (failures 19)", async () => {
    const caller = await newCaller(1_000_000);
    const failing = () =>
      eventStream(`data: ${JSON.stringify({ error: { message: "no capacity", code: 502 } })}\n\n`);
    const { chat } = createTestApp({ provider: [failing] });
    const response = await chat(caller.apiKey, { ...hello, stream: true });
    expect(response.status).toBe(502);
    expect((await caller.account())?.openHolds).toBe(0);
  });

  // The runtime tells a leaving twice, in either order: by the request's signal and by cancelling the body.
  test.each(["signal", "body"])(
    "a client that leaves after chunk k (told by the %s): provider aborted, at least k tokens charged, hold gone (failures 1)",
    async (toldBy) => {
      const caller = await newCaller(1_000_000);
      const provider = openStream();
      const { chat } = createTestApp({ provider: [provider.answer] });
      const leaving = new AbortController();
      const pending = chat(caller.apiKey, { ...hello, stream: true }, {}, leaving.signal);
      for (let index = 0; index < 7; index++) void provider.write("x");
      const response = await pending;
      const reader = response.body!.getReader();
      const decoder = new TextDecoder();
      let text = "";
      for (let done = false; !done && text.split('"content":"x').length <= 7; ) {
        const read = await reader.read();
        done = read.done;
        text += decoder.decode(read.value);
      }
      const leftAt = Date.now();
      if (toldBy === "signal") leaving.abort();
      await reader.cancel();
      await provider.cut();
      expect(Date.now() - leftAt).toBeLessThan(1_000);
      await response.settled();
      const [row] = await caller.charges();
      expect(row).toMatchObject({ outcome: "client_left", flag: "usage_missing" });
      expect(row!.outputTokens).toBeGreaterThanOrEqual(7);
      expect((await caller.account())?.openHolds).toBe(0);
    },
  );

  test("a client that leaves after an explicit report of nothing is charged for planning alone (failures 2)", async () => {
    const caller = await newCaller(1_000_000);
    const { chat } = createTestApp({ provider: [() => openaiStream(["x"], openaiUsage(0, 0), null)] });
    const response = await chat(caller.apiKey, { ...hello, stream: true });
    await response.text();
    const [row] = await caller.charges();
    expect(row).toMatchObject({ amountMicro: -3, inputTokens: 0, outputTokens: 0, flag: null });
  });
});

test("several calls of the opt-in loop are one answer, one charge", async () => {
  const caller = await newCaller(1_000_000);
  const plan: NonNullable<Parameters<typeof createTestApp>[0]>["plan"] = async ({ history }) => ({
    ...testPlan,
    steps: testPlan.steps.slice(history.length),
  });
  const { chat, sent } = createTestApp({ plan });
  const response = await chat(caller.apiKey, { ...hello, svc: { max_llm_calls: 4 } });
  expect(await response.json()).toMatchObject({
    usage: { prompt_tokens: 36, completion_tokens: 6 },
    svc: {
      total_steps_executed: 3,
      execution_trace: [
        { step: 1, action: "search", response_summary: "Hello world" },
        { step: 2, action: "select" },
      ],
    },
  });
  expect(sent).toHaveLength(3);
  // A plan before each call.
  expect(await caller.charges()).toMatchObject([{ planningTokens: 3 * testPlan.tokens }]);
});

test("a plan without an end gets the operator's five calls, however many are asked for", async () => {
  const caller = await newCaller(1_000_000);
  const { chat, sent } = createTestApp();
  const response = await chat(caller.apiKey, { ...hello, svc: { max_llm_calls: 10 } });
  expect(await response.json()).toMatchObject({ svc: { total_steps_executed: 5 } });
  expect(sent).toHaveLength(5);
});
