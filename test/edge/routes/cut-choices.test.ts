// Several choices as separate calls: when one fails, the gateway aborts the others. Their usage is asked of the aggregator afterwards
// and charged; the caller gets the error at once.
import { describe, expect, test } from "vitest";
import { buildCatalog } from "../../../edge/catalog/catalog.ts";
import { readRouterList } from "../../../edge/catalog/router-snapshot.ts";
import { createTestApp, newCaller, type Sent } from "../support/app.ts";

const hello = {
  model: "svc-x1ac-base-vendor/thinker",
  messages: [{ role: "user", content: "hi" }],
  max_tokens: 4_000,
  stream: true,
};
const list = readRouterList(
  {
    data: [
      {
        id: "vendor/thinker",
        context_length: 100_000,
        pricing: { prompt: "0.000002", completion: "0.00001" },
        supported_parameters: ["max_tokens", "reasoning", "seed"],
      },
    ],
  },
  0,
);
if (!list.ok) throw new Error(list.reason);
const catalog = buildCatalog({ snapshot: list.snapshot, startedAtMs: Date.UTC(2026, 10, 1) });

type Answer = (sent: Sent, id: string) => Response;

const frame = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (id: string, delta: object, finish_reason: string | null = null) =>
  frame({ id, object: "chat.completion.chunk", created: 1, model: "m", choices: [{ delta, finish_reason }] });
const stream = (body: BodyInit, id: string) =>
  new Response(body, { headers: { "content-type": "text/event-stream", "x-generation-id": id } });

const words = { role: "assistant", content: "four words are shown" };
/** 1,500 tokens of which five are shown. */
const usage = { prompt_tokens: 11, completion_tokens: 1_500, total_tokens: 1_511 };
const written = { native_tokens_prompt: 11, native_tokens_completion: 1_500, native_tokens_reasoning: 1_495 };

const whole: Answer = (_sent, id) =>
  stream(chunk(id, words) + chunk(id, {}, "stop") + frame({ choices: [], usage }), id);
const broken: Answer = (_sent, id) =>
  stream(chunk(id, words) + frame({ id, error: { code: 502, message: "the host broke" } }), id);
const refused =
  (status: number): Answer =>
  () =>
    Response.json({ error: { message: "no" } }, { status });
/** Four words, then silence until it is aborted. */
const hanging: Answer = ({ signal }, id) => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(chunk(id, words)));
      signal?.addEventListener("abort", () => controller.error(new Error("aborted")));
    },
  });
  return stream(body, id);
};

/** `answers`: to the calls in their order, whose ids are `gen-0` and so on. */
async function ask(answers: Answer[], body: object, generation: () => Response | Promise<Response>) {
  const caller = await newCaller(100_000_000);
  const asked: (string | null)[] = [];
  const seeds: unknown[] = [];
  const app = createTestApp({
    catalog: async () => catalog,
    sleep: async () => {},
    provider: [
      (sent) => {
        if (sent.url.includes("/generation")) {
          asked.push(new URL(sent.url).searchParams.get("id"));
          return generation();
        }
        seeds.push(sent.body.seed);
        return answers[Math.min(seeds.length, answers.length) - 1]!(sent, `gen-${seeds.length - 1}`);
      },
    ],
  });
  const response = await app.chat(caller.apiKey, { ...hello, ...body });
  const text = await response.text();
  const settle = async () => {
    await response.settled();
    const charges = await caller.charges();
    expect(charges).toHaveLength(1);
    expect((await caller.account())?.openHolds).toBe(0);
    return charges[0]!;
  };
  return { response, text, settle, asked, seeds };
}

const known = () => Response.json({ data: written });
const unknown = () => Response.json({ error: { message: "not found" } }, { status: 404 });
const fifthRefused = [whole, hanging, hanging, hanging, refused(429)];

describe("choices that are cut because another one failed", () => {
  test("are charged with what they thought, when a later one is refused", async () => {
    const { text, settle, asked } = await ask(fifthRefused, { n: 5 }, known);
    expect(text).toContain("One of the answers asked for was refused");
    expect(await settle()).toMatchObject({
      outcome: "error",
      flag: null,
      inputTokens: 4 * 11,
      outputTokens: 4 * 1_500,
    });
    expect(asked).toEqual(["gen-1", "gen-2", "gen-3"]);
  });

  test("are charged with what was shown where the aggregator does not say", async () => {
    const { settle, asked } = await ask(fifthRefused, { n: 5 }, unknown);
    expect(await settle()).toMatchObject({ flag: "usage_missing", outputTokens: 1_500 + 3 * 5 });
    expect(asked).toHaveLength(9);
  });

  test("are charged when one of the first is refused, and nobody gets an answer", async () => {
    const body = { n: 3, stream: false };
    const { response, settle, asked } = await ask([hanging, refused(400), hanging], body, known);
    expect(response.status).toBe(400);
    expect(await settle()).toMatchObject({ outcome: "error", outputTokens: 2 * 1_500 });
    expect(asked).toEqual(["gen-0", "gen-2"]);
  });

  test("are asked about, but not the one that its provider broke off", async () => {
    const { settle, asked } = await ask([broken, hanging], { n: 2 }, known);
    expect(await settle()).toMatchObject({ outcome: "error", outputTokens: 5 + 1_500 });
    expect(asked).toEqual(["gen-1"]);
  });

  test.each([
    ["a stream", fifthRefused, { n: 5 }],
    ["JSON", fifthRefused, { n: 5, stream: false }],
    ["a refusal", [hanging, refused(400), hanging], { n: 3 }],
  ])("keep nobody waiting for the error: %s", async (_what, answers, body) => {
    let tell = (_reply: Response) => {};
    const reply = new Promise<Response>((resolve) => {
      tell = resolve;
    });
    const { text, settle } = await ask(answers, body, async () => (await reply).clone());
    expect(text).toContain("error");
    tell(known());
    expect((await settle()).outputTokens).toBeGreaterThanOrEqual(3_000);
  });
});

describe("the seeds of several choices", () => {
  test.each([
    ["follow each other", 7, [7, 8, 9]],
    ["stay within 32 bits where the first is", 2 ** 31 - 2, [2 ** 31 - 2, 2 ** 31 - 1, -(2 ** 31)]],
    ["are longer where the first is", 2 ** 40, [2 ** 40, 2 ** 40 + 1, 2 ** 40 + 2]],
    ["differ where the first is too large to add one to", 2 ** 62, [2 ** 62, 2 ** 51 + 1, 2 ** 51 + 2]],
  ])("%s", async (_what, seed, expected) => {
    const { seeds, settle } = await ask([whole], { n: 3, seed }, unknown);
    await settle();
    expect(seeds).toEqual(expected);
  });
});
