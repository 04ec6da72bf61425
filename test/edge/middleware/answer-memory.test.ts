// Answers that are kept whole until their end, and what they may take of the isolate's memory.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createTestApp, eventStream, newCaller, openaiUsage } from "../support/app.ts";

const mebibyte = 1024 * 1024;
const model = "svc-x1ac-base-gpt-4o";
const top_logprobs = Array.from({ length: 20 }, (_, index) => ({
  token: `w${index}`,
  logprob: -index,
  bytes: [119],
}));
const logprobs = { content: [{ token: "w", logprob: -0.1, bytes: [119], top_logprobs }], refusal: null };

/** A provider's stream of that many tokens, each with twenty log probabilities. */
function answer(tokens: number): Response {
  const frame = (value: object) => `data: ${JSON.stringify({ id: "c", ...value })}\n\n`;
  const token = frame({ choices: [{ index: 0, delta: { content: "w" }, logprobs }] });
  const end =
    frame({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
    frame({ choices: [], usage: openaiUsage(9, tokens) });
  return eventStream(`${token.repeat(tokens)}${end}data: [DONE]\n\n`);
}

const kept = [
  ["/v1/chat/completions", { messages: [{ role: "user", content: "go" }], logprobs: true, top_logprobs: 20 }],
  [
    "/v1/responses",
    { input: "go", stream: true, top_logprobs: 20, include: ["message.output_text.logprobs"] },
  ],
] as const;

type Kept = readonly [path: string, fields: object];

async function ask(path: string, body: object, tokens: number, bodyMemoryBytes: number) {
  const { apiKey, charges } = await newCaller(10_000_000);
  const app = createTestApp({ provider: [() => answer(tokens)], bodyMemoryBytes });
  const response = await app.post(path, apiKey, { model, ...body });
  const text = await response.text();
  await expect.poll(() => app.memory.claimed()).toBe(0);
  await expect.poll(async () => (await charges()).length).toBe(1);
  return { status: response.status, text, charged: (await charges())[0]!.amountMicro };
}

test.each(kept)("%s ends an answer that passes them, and charges what was written", async (path, body) => {
  const { status, text, charged } = await ask(path, body, 2_000, 4 * mebibyte);
  expect([200, 413]).toContain(status);
  expect(text).toContain("request_too_large");
  expect(charged).toBeLessThan(0);
});

test.each(kept)("%s gives an answer that fits them whole", async (path, body) => {
  const { status, text } = await ask(path, body, 500, 4 * mebibyte);
  expect(status).toBe(200);
  expect(text).not.toContain("request_too_large");
});

describe("a stream that is kept for a retry", () => {
  async function askKept(tokens: number, bodyMemoryBytes: number, [path, fields] = kept[0] as Kept) {
    const { apiKey } = await newCaller(10_000_000);
    const app = createTestApp({ provider: [() => answer(tokens)], bodyMemoryBytes });
    const { claim } = app.memory;
    let most = 0;
    app.memory.claim = async (...wanted) => {
      const made = await claim(...wanted);
      most = Math.max(most, app.memory.claimed());
      return made;
    };
    const headers = {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "idempotency-key": "k",
    };
    const body = JSON.stringify({ ...fields, model, stream: true });
    const send = () => app.send(path, { method: "POST", headers, body });
    const first = await send();
    const text = await first.text();
    await first.settled();
    expect(app.memory.claimed()).toBe(0);
    const reasons = app.logs.filter(({ event }) => event === "answer_not_kept").map(({ reason }) => reason);
    return { text, most, send, reasons };
  }

  test("claims the memory that it takes", async () => {
    const { text, most, send } = await askKept(1_500, 16 * mebibyte);
    expect(most).toBeGreaterThan(text.length);
    expect(await (await send()).text()).toBe(text);
  });

  test("is passed on whole and not kept where there is none", async () => {
    const { text, most, send, reasons } = await askKept(1_500, 2 * mebibyte);
    expect(text).toContain("[DONE]");
    expect(most).toBeLessThanOrEqual(2 * mebibyte);
    expect(reasons).toEqual(["no_memory"]);
    const retry = await send();
    expect(retry.status).toBe(409);
    expect(await retry.json()).toMatchObject({ error: { code: "idempotency_answer_lost" } });
  });

  test("is given up for the answer's own sake", async () => {
    const { text, reasons } = await askKept(610, 4 * mebibyte, kept[1]);
    expect(text).not.toContain("service_busy");
    expect(text).toContain("response.completed");
    expect(reasons).toEqual(["no_memory"]);
  });
});

describe("a stream on the pool whose reader takes nothing", () => {
  async function stall(bodyMemoryBytes: number, now = Date.now, content = "go") {
    const { apiKey, charges } = await newCaller(10_000_000);
    const frame = (value: object) => `data: ${JSON.stringify({ id: "c", ...value })}\n\n`;
    const word = frame({ choices: [{ index: 0, delta: { content: "w".repeat(1_000) } }] });
    const end = frame({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    const report = frame({ choices: [], usage: openaiUsage(9, 300) });
    const provider = () => eventStream(`${word.repeat(300)}${end}${report}data: [DONE]\n\n`);
    const app = createTestApp({
      provider: [provider],
      bodyMemoryBytes,
      now,
      requestLimits: { patienceMs: 50 },
    });
    const leaving = new AbortController();
    const body = { model, messages: [{ role: "user", content }], stream: true };
    const response = await app.chat(apiKey, body, {}, leaving.signal);
    await expect.poll(async () => (await charges()).length).toBe(1);
    return { app, leaving, response };
  }

  test("claims what waits for him, until he has read it", async () => {
    const { app, response } = await stall(40 * mebibyte);
    expect(app.memory.claimed()).toBe(1.5 * mebibyte);
    expect(await response.text()).toContain("[DONE]");
    expect(app.memory.claimed()).toBe(0);
  });

  test("claims it until he leaves", async () => {
    const { app, leaving } = await stall(40 * mebibyte);
    expect(app.memory.claimed()).toBe(1.5 * mebibyte);
    leaving.abort();
    expect(app.memory.claimed()).toBe(0);
  });

  test("loses what comes after 64 KiB where there is no memory for more", async () => {
    const { app, response } = await stall(4 * mebibyte);
    expect(app.memory.claimed()).toBe(0);
    const text = await response.text();
    expect(text).toContain("nobody read it");
    expect(text.length).toBeLessThan(200 * 1024);
  });

  test("claims it, and his large prompt's, for as long as he stays, however long that is", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    let now = Date.now();
    const prompt = "a walk to the sea ".repeat(5_000);
    const { app, leaving } = await stall(160 * mebibyte, () => now, prompt);
    const claimed = app.memory.claimed();
    expect(claimed).toBeGreaterThan(1.5 * mebibyte + prompt.length);
    for (let passed = 0; passed < 60; passed += 5) {
      now += 5 * 60_000;
      vi.advanceTimersByTime(5 * 60_000);
    }
    const clock = { now: () => now, sleep: async () => {} };
    (await app.memory.claim({ owner: "another", request: {}, bytes: 1 }, 0, clock))!.end();
    expect(app.memory.claimed()).toBe(claimed);
    leaving.abort();
    expect(app.memory.claimed()).toBe(0);
  });
});
