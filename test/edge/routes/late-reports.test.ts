// A caller who leaves just before the usage report: hidden reasoning and pictures are in no text that we could count. The aggregator is
// asked for the usage after the call is cut, and the caller pays as much as one who stayed.
import { describe, expect, test } from "vitest";
import type { MemoryBudget } from "../../../edge/admission/memory-budget.ts";
import { createTestApp, eventStream, newCaller } from "../support/app.ts";
import {
  catalogOf,
  defaultPricing,
  finish,
  frame,
  generationId,
  hello,
  leave,
  stay,
  thinker,
  usage,
  words,
} from "../support/leave-early.ts";

const written = {
  data: {
    id: generationId,
    native_tokens_prompt: 11,
    native_tokens_completion: 1_500,
    native_tokens_reasoning: 1_495,
  },
};

const ready = () => Response.json(written);
const notYet = () => Response.json({ error: { message: "not found" } }, { status: 404 });

describe("thinking that is not shown", () => {
  test.each([
    ["after the last word", '"finish_reason":"stop"', [words, finish]],
    ["after some words", "four words", [words]],
  ])("is charged to who leaves %s, as to who stays", async (_when, until, frames) => {
    const { charge, asked } = await leave(until, { frames, generation: [ready] });
    expect(charge).toMatchObject({
      inputTokens: 11,
      outputTokens: 1_500,
      reasoningTokens: 1_495,
      flag: null,
    });
    expect(charge.amountMicro).toBe((await stay()).amountMicro);
    expect(asked).toEqual([
      {
        url: expect.stringMatching(/\/generation\?id=gen-1764547200-a%2Fb$/),
        authorization: "Bearer pool-canary-key",
      },
    ]);
  });

  test("is charged to who leaves before the first word, by the id in the answer's headers", async () => {
    const answerHeaders = { "x-generation-id": generationId };
    const { charge, asked } = await leave("svc", { frames: [], generation: [ready], answerHeaders });
    expect(asked).toHaveLength(1);
    expect(charge).toMatchObject({ outcome: "client_left", outputTokens: 1_500 });
    expect(charge.amountMicro).toBe((await stay()).amountMicro);
  });

  test("is charged where the request reaches its deadline", async () => {
    const { charge, asked } = await leave(undefined, {
      frames: [words],
      generation: [ready],
      deadlineMs: 200,
    });
    expect(asked).toHaveLength(1);
    expect(charge).toMatchObject({ outcome: "error", reason: "deadline", outputTokens: 1_500 });
  });

  test.each<[string, (() => Response | Promise<Response>)[]]>([
    ["not written yet", [notYet, ready]],
    ["an error", [() => new Response("oops", { status: 500 }), ready]],
    ["a body without figures", [() => Response.json({ data: { id: generationId } }), ready]],
    ["a broken connection", [() => Promise.reject(new TypeError("lost")), ready]],
  ])("is asked for again after %s", async (_what, generation) => {
    const { charge, asked, waits } = await leave("four words", { generation });
    expect(charge.outputTokens).toBe(1_500);
    expect(asked).toHaveLength(2);
    expect(waits[1]).toBeGreaterThan(waits[0]!);
  });

  test("keeps a large prompt's memory claimed until it is known, or as long as a Worker may go on", async () => {
    const content = "a walk to the sea ".repeat(8_000);
    const claimed: number[] = [];
    const generation = async (memory: MemoryBudget) => {
      claimed.push(memory.claimed());
      const later = { now: () => Date.now() + 31_000, sleep: async () => {} };
      (await memory.claim({ owner: "another", request: {}, bytes: 1 }, 0, later))!.end();
      claimed.push(memory.claimed());
      return ready();
    };
    const body = { messages: [{ role: "user", content }] };
    const { memory } = await leave("four words", { body, generation: [generation] });
    expect(claimed).toEqual([expect.any(Number), 0]);
    expect(claimed[0]).toBeGreaterThan(content.length);
    expect(memory.claimed()).toBe(0);
  });

  test("counts among the account's running requests until it is known, so that they are bounded", async () => {
    const seen: number[] = [];
    const generation = (_memory: MemoryBudget, running: () => number) => {
      seen.push(running());
      return seen.length < 2 ? notYet() : ready();
    };
    await leave("four words", { generation: [generation] });
    expect(seen).toEqual([1, 1]);
  });

  test("is not known where the aggregator never says it: then what was shown is charged, within ten seconds", async () => {
    const { charge, asked, waits } = await leave("four words");
    expect(asked).toHaveLength(3);
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(10_000);
    expect(charge).toMatchObject({ flag: "usage_missing", outputTokens: 5 });
  });

  test("costs no more than was held for it", async () => {
    const data = { ...written.data, native_tokens_completion: 90_000_000 };
    const { charge } = await leave("four words", { generation: [() => Response.json({ data })] });
    // The cap, and what a host may let it think beside that.
    expect(charge.outputTokens).toBeLessThanOrEqual(4_000 + 4_096);
    expect(charge.flag).not.toBeNull();
  });
});

describe("pictures", () => {
  const picture = {
    type: "image_url",
    image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "high" },
  };
  const seen = (pictures: number) => ({
    messages: [{ role: "user", content: [{ type: "text", text: "hi" }, ...Array(pictures).fill(picture)] }],
  });
  // A model that does not think, and counts pictures many times over.
  const mini = { ...seen(3), model: "svc-x1ac-base-openai/gpt-4o-mini" };
  const catalog = catalogOf(["max_tokens"], "openai/gpt-4o-mini");
  const read = 3 * 25_501 + 11;
  const wireUsage = { prompt_tokens: read, completion_tokens: 5, total_tokens: read + 5 };
  const data = { native_tokens_prompt: read, native_tokens_completion: 5 };

  test("are charged to who leaves after the last word, as to who stays", async () => {
    const generation = [() => Response.json({ data })];
    const { charge, asked } = await leave('"finish_reason":"stop"', { body: mini, catalog, generation });
    expect(asked).toHaveLength(1);
    expect(charge).toMatchObject({ outcome: "completed", inputTokens: read, flag: null });
    expect(charge.amountMicro).toBe((await stay(mini, wireUsage, catalog)).amountMicro);
  });

  test("with a price of their own are charged by what the aggregator says it took", async () => {
    const priced = catalogOf(["max_tokens"], "openai/gpt-4o-mini", { ...defaultPricing, image: "0.01" });
    const total_cost = 0.2;
    const left = await leave("four words", {
      body: mini,
      catalog: priced,
      generation: [() => Response.json({ data: { ...data, total_cost } })],
    });
    const stayed = await stay(mini, { ...wireUsage, cost: total_cost }, priced);
    expect(left.charge.amountMicro).toBe(stayed.amountMicro);
    expect(-left.charge.amountMicro).toBeGreaterThanOrEqual(250_000);
    // By a key of the operator's own the aggregator bills a fee, and the provider the rest.
    const byok = { total_cost: 0, is_byok: true, upstream_inference_cost: total_cost };
    const own = await leave("four words", {
      body: mini,
      catalog: priced,
      generation: [() => Response.json({ data: { ...data, ...byok } })],
    });
    expect(own.charge.amountMicro).toBe(stayed.amountMicro);
  });

  test.each([
    ["openai/gpt-4o-mini", 1, 50_000],
    ["openai/gpt-4o-mini", 3, 99_000],
    ["vendor/eye", 3, 18_000],
  ])("of %s, %i of them, cost no less where nobody says what they came to", async (id, pictures, least) => {
    const body = { ...seen(pictures), model: `svc-x1ac-base-${id}` };
    const { charge, asked } = await leave("four words", { body, catalog: catalogOf(["max_tokens"], id) });
    expect(asked).toHaveLength(3);
    expect(charge).toMatchObject({ flag: "usage_missing", outputTokens: 5 });
    expect(charge.inputTokens).toBeGreaterThanOrEqual(least);
    // Of the model's window, for which the hold was taken.
    expect(charge.inputTokens).toBeLessThanOrEqual(Math.min(least + 1_000, 100_000));
  });

  test("are counted as they usually are where the provider ends its answer without a report", async () => {
    const charge = await stay(mini, null, catalog);
    expect(charge).toMatchObject({ flag: "usage_missing", outcome: "completed" });
    expect(charge.inputTokens).toBeLessThan(3_500);
  });
});

describe("a model that another takes over from", () => {
  test.each([
    ["before the answer has come", 100, 0],
    ["after it has come", 0, 100],
  ])(
    "is asked about beside the other's answer, and charged where its report comes %s",
    async (_when, answerMs, reportMs) => {
      const caller = await newCaller(100_000_000);
      const order: string[] = [];
      const app = createTestApp({
        catalog: thinker,
        sleep: async () => {},
        provider: [
          async (sent) => {
            if (sent.url.includes("/generation")) {
              order.push("asked");
              await new Promise((resolve) => setTimeout(resolve, reportMs));
              return Response.json(written);
            }
            if (order.push("called") > 1) {
              const body = new ReadableStream<Uint8Array>({
                async start(controller) {
                  await new Promise((resolve) => setTimeout(resolve, answerMs));
                  order.push("answered");
                  controller.enqueue(
                    new TextEncoder().encode(words + finish + frame({ choices: [], usage })),
                  );
                  controller.close();
                },
              });
              return eventStream(body);
            }
            const lost = new ReadableStream({ pull: (controller) => controller.error(new Error("lost")) });
            const headers = { "content-type": "text/event-stream", "x-generation-id": generationId };
            return new Response(lost, { headers });
          },
        ],
      });
      const response = await app.chat(caller.apiKey, { ...hello, models: ["svc-x1ac-base-vendor/other"] });
      await response.text();
      await response.settled();
      expect(order.toSorted()).toEqual(["answered", "asked", "called", "called"]);
      if (answerMs > 0) expect(order.at(-1)).toBe("answered");
      const [charge] = await caller.charges();
      const once = await stay();
      expect(charge).toMatchObject({ outcome: "completed", outputTokens: 1_500, flag: null });
      expect(-charge!.amountMicro).toBeGreaterThan(-once.amountMicro * 1.9);
    },
  );
});

describe("nobody is asked", () => {
  test("where the caller's own key paid for it", async () => {
    const { asked } = await leave("four words", { headers: { "x-router-key": "sk-or-v1-own" } });
    expect(asked).toEqual([]);
  });

  test("where the report had come before he left", async () => {
    const frames = [words, frame({ choices: [], usage })];
    const later = frame({ choices: [{ index: 0, delta: { content: " and more" } }] });
    const { asked } = await leave("and more", { frames: [...frames, later], generation: [ready] });
    expect(asked).toEqual([]);
  });

  test("for an answer without an id", async () => {
    const nameless = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "four words" } }] })}\n\n`;
    const { asked } = await leave("four words", { frames: [nameless], generation: [ready] });
    expect(asked).toEqual([]);
  });
});
