// With `plan: "off"` the prompt does not depend on the plan, so the provider is called at once: the plan is made meanwhile and joins the
// answer. It is returned and charged as always.
import { describe, expect, test } from "vitest";
import { GatewayError } from "../../../shared/errors.ts";
import type { PlanResponse } from "../../../shared/planning.ts";
import {
  createTestApp,
  eventStream,
  newCaller,
  type Sent,
  type TestAppOptions,
  testPlan,
} from "../support/app.ts";

const off = { svc: { plan: "off" } };
const hello = {
  model: "svc-x1ac-base-gpt-4o",
  // Long enough to be read as the tokens that the plan says: no worker is believed beyond what a request can have.
  messages: [{ role: "user", content: "go to the harbour" }],
  max_tokens: 20,
  ...off,
};
type Chunk = { svc?: { action_sequence: string[] }; choices: { delta: { content?: string } }[] };

/** A plan that is made when it is told to be; whether the provider was asked by then. */
function createSlowPlan() {
  let make: (plan: PlanResponse) => void = () => {};
  let fail: (error: Error) => void = () => {};
  const plan = () =>
    new Promise<PlanResponse>((resolve, reject) => {
      make = resolve;
      fail = reject;
    });
  return { plan, make: () => make(testPlan), fail: (error: Error) => fail(error) };
}

/** A provider whose answer is written piece by piece. */
function createProvider() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  let asked: (sent: Sent) => void = () => {};
  const whenAsked = new Promise<Sent>((resolve) => {
    asked = resolve;
  });
  const frame = (value: object) => new TextEncoder().encode(`data: ${JSON.stringify(value)}\n\n`);
  const chunk = (delta: object, finish_reason: string | null = null) =>
    frame({
      id: "c",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason }],
    });
  return {
    answer: (sent: Sent) => {
      asked(sent);
      return eventStream(readable);
    },
    whenAsked,
    say: (content: string) => writer.write(chunk({ content })),
    async end() {
      await writer.write(chunk({}, "stop"));
      await writer.write(
        frame({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } }),
      );
      await writer.write(new TextEncoder().encode("data: [DONE]\n\n"));
      await writer.close();
    },
  };
}

async function start(options: TestAppOptions = {}) {
  const caller = await newCaller(1_000_000);
  const provider = createProvider();
  const slow = createSlowPlan();
  const app = createTestApp({ serves: true, plan: slow.plan, provider: [provider.answer], ...options });
  return { ...app, caller, provider, slow };
}

/** Chunks of a stream as they come. */
function readChunks(response: Response) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return async (): Promise<Chunk | undefined> => {
    while (!text.includes("\n\n")) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      text += value;
    }
    const end = text.indexOf("\n\n");
    const data = text.slice("data: ".length, end);
    text = text.slice(end + 2);
    return data === "[DONE]" ? undefined : (JSON.parse(data) as Chunk);
  };
}

describe("a plan that nobody waits for", () => {
  test("joins the stream when it is there: words first, then the plan, and the whole at the end", async () => {
    const { chat, caller, provider, slow } = await start();
    const answering = chat(caller.apiKey, { ...hello, stream: true });
    await provider.whenAsked;
    void provider.say("Hel");
    const response = await answering;
    const next = readChunks(response);
    expect(await next()).not.toHaveProperty("svc");
    expect((await next())?.choices[0]?.delta.content).toBe("Hel");
    slow.make();
    await Promise.resolve();
    void provider.say("lo");
    expect((await next())?.svc?.action_sequence).toEqual(["search", "select"]);
    expect((await next())?.choices[0]?.delta.content).toBe("lo");
    void provider.end();
    let last: Chunk | undefined;
    for (let chunk = await next(); chunk; chunk = await next()) last = chunk;
    expect(last?.svc).toMatchObject({
      action_sequence: ["search", "select"],
      credits_charged: expect.any(Number),
    });
    await response.settled();
    expect((await caller.charges())[0]).toMatchObject({ planningTokens: testPlan.tokens });
  });

  test("opens the stream where it is there before the first word", async () => {
    const { chat, caller, provider, slow } = await start();
    const answering = chat(caller.apiKey, { ...hello, stream: true });
    await provider.whenAsked;
    slow.make();
    void provider.say("Hel");
    const next = readChunks(await answering);
    expect((await next())?.svc?.action_sequence).toEqual(["search", "select"]);
    void provider.end();
    while (await next());
  });

  test("is waited for at the end of an answer in JSON, and charged", async () => {
    const { chat, caller, provider, slow } = await start();
    const answering = chat(caller.apiKey, hello);
    await provider.whenAsked;
    void provider.say("Hello").then(provider.end);
    setTimeout(slow.make, 30);
    const response = await answering;
    expect(await response.json()).toMatchObject({ svc: { action_sequence: ["search", "select"] } });
    await response.settled();
    expect((await caller.charges())[0]).toMatchObject({
      planningTokens: testPlan.tokens,
      outcome: "completed",
    });
  });

  test("stands in the headers of /v1/messages, whose status waits for it", async () => {
    const { post, caller, provider, slow } = await start();
    const { svc: _, ...body } = hello;
    const answering = post("/v1/messages", caller.apiKey, { ...body, stream: true }, { "x-svc-plan": "off" });
    await provider.whenAsked;
    void provider.say("Hello").then(provider.end);
    setTimeout(slow.make, 60);
    const response = await answering;
    expect(response.headers.get("x-svc-plan")).toBe("search, select");
    await response.text();
  });

  test("that fails is no reason to fail: the answer tells that there was none, and nothing is charged for it", async () => {
    const { chat, caller, provider, slow } = await start();
    const answering = chat(caller.apiKey, hello);
    await provider.whenAsked;
    slow.fail(new GatewayError("world_model_unavailable", "away"));
    void provider.say("Hello").then(provider.end);
    const response = await answering;
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: "Hello" } }],
      svc: {
        action_sequence: [],
        steps_to_goal: 0,
        brain_signal: { action_type: "none", abstention: "unsure" },
      },
    });
    await response.settled();
    expect((await caller.charges())[0]).toMatchObject({ planningTokens: 0 });
  });

  test("holds up nobody who leaves: what was written is charged at once", async () => {
    const { chat, caller, provider } = await start();
    const leaving = new AbortController();
    const answering = chat(caller.apiKey, { ...hello, stream: true }, {}, leaving.signal);
    await provider.whenAsked;
    void provider.say("Hello");
    const response = await answering;
    const next = readChunks(response);
    await next();
    await next();
    leaving.abort();
    await response.settled();
    expect((await caller.charges())[0]).toMatchObject({ outcome: "client_left", planningTokens: 0 });
  });

  test("is waited for where none was made lately: a size that is not loaded stays an error", async () => {
    const { chat, caller, sent, slow } = await start({ serves: false });
    const answering = chat(caller.apiKey, hello);
    await new Promise((resolve) => setTimeout(resolve, 50));
    slow.fail(new GatewayError("world_model_not_loaded", "not here"));
    expect((await answering).status).toBe(503);
    expect(sent).toHaveLength(0);
  });
});
