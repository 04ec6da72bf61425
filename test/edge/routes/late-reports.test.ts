// A caller who leaves just before the usage report: hidden reasoning and pictures are in no text that we could count. The aggregator is
// asked for the usage after the call is cut, and the caller pays as much as one who stayed.
import { describe, expect, test } from "vitest";
import { buildCatalog } from "../../../edge/catalog/catalog.ts";
import { readRouterList } from "../../../edge/catalog/router-snapshot.ts";
import { createTestApp, eventStream, newCaller, openaiStream, type Sent } from "../support/app.ts";

const modelName = "svc-x1ac-base-vendor/thinker";
const hello = {
  model: modelName,
  messages: [{ role: "user", content: "hi" }],
  max_tokens: 4_000,
  stream: true,
};
const generationId = "gen-1764547200-a/b";
const defaultPricing = { prompt: "0.000002", completion: "0.00001" };
const startedAtMs = Date.UTC(2026, 10, 1);

const catalogOf = (supported: string[], id = "vendor/thinker", pricing: object = defaultPricing) => {
  const list = readRouterList(
    {
      data: [id, "vendor/other"].map((each) => ({
        id: each,
        context_length: 100_000,
        pricing,
        supported_parameters: supported,
      })),
    },
    0,
  );
  if (!list.ok) throw new Error(list.reason);
  return async () => buildCatalog({ snapshot: list.snapshot, startedAtMs });
};
const thinker = catalogOf(["max_tokens", "reasoning"]);

const frame = (value: object) =>
  `data: ${JSON.stringify({ id: generationId, object: "chat.completion.chunk", created: 1, model: "m", ...value })}\n\n`;
const words = frame({
  choices: [{ index: 0, delta: { role: "assistant", content: "four words are shown" } }],
});
const finish = frame({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
/** 1,500 tokens of which five were shown. */
const usage = {
  prompt_tokens: 11,
  completion_tokens: 1_500,
  total_tokens: 1_511,
  completion_tokens_details: { reasoning_tokens: 1_495 },
};
const written = {
  data: {
    id: generationId,
    native_tokens_prompt: 11,
    native_tokens_completion: 1_500,
    native_tokens_reasoning: 1_495,
  },
};

/** These frames, then silence until it is aborted. */
function hanging(
  frames: readonly string[],
  { signal }: Sent,
  headers: Record<string, string> = {},
): Response {
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = frames[at++];
      if (next !== undefined) return controller.enqueue(new TextEncoder().encode(next));
      return new Promise<void>((_, reject) => {
        if (signal?.aborted) reject(new Error("aborted"));
        else signal?.addEventListener("abort", () => reject(new Error("aborted")));
      });
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream", ...headers } });
}

type Options = {
  /** Of the request, beside `hello`. */
  body?: object;
  frames?: readonly string[];
  /** Answers to `GET /generation`, in turn; the last one stays. */
  generation?: (() => Response | Promise<Response>)[];
  catalog?: ReturnType<typeof catalogOf>;
  headers?: Record<string, string>;
  /** Of the provider's answer. */
  answerHeaders?: Record<string, string>;
  deadlineMs?: number;
};

/** A stream that is left as soon as `until` was read of it. */
async function leave(
  until: string | undefined,
  { frames = [words, finish], generation = [], ...rest }: Options = {},
) {
  const caller = await newCaller(100_000_000);
  const asked: { url: string; authorization: string | null }[] = [];
  const waits: number[] = [];
  const app = createTestApp({
    catalog: rest.catalog ?? thinker,
    requestLimits: rest.deadlineMs === undefined ? {} : { deadlineMs: rest.deadlineMs },
    provider: [
      (sent) => {
        if (!sent.url.includes("/generation")) return hanging(frames, sent, rest.answerHeaders);
        asked.push({ url: sent.url, authorization: sent.headers.get("authorization") });
        const answer = generation[Math.min(asked.length, generation.length) - 1];
        return answer?.() ?? Response.json({ error: { message: "not found" } }, { status: 404 });
      },
    ],
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
    },
  });
  const leaving = new AbortController();
  const response = await app.chat(
    caller.apiKey,
    { ...hello, ...rest.body },
    rest.headers ?? {},
    leaving.signal,
  );
  const reader = response.body!.getReader();
  let text = "";
  while (until === undefined || !text.includes(until)) {
    const { done, value } = await reader.read();
    if (done) break;
    text += new TextDecoder().decode(value);
  }
  if (until !== undefined) leaving.abort();
  await reader.cancel().catch(() => {});
  await response.settled();
  const charges = await caller.charges();
  expect(charges).toHaveLength(1);
  expect((await caller.account())?.openHolds).toBe(0);
  return { asked, waits, charge: charges[0]! };
}

/** What a caller who stays pays for the same answer. */
async function stay(body: object = {}, reported: object | null = usage, catalog = thinker) {
  const caller = await newCaller(100_000_000);
  const answer = () => openaiStream(["four words are shown"], reported ?? undefined);
  const app = createTestApp({ catalog, provider: [answer] });
  const response = await app.chat(caller.apiKey, { ...hello, ...body });
  await response.text();
  await response.settled();
  expect(app.sent).toHaveLength(1);
  return (await caller.charges())[0]!;
}

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

/** Of no bytes in particular. */
const base64 = btoa(
  String.fromCharCode(
    ...Array.from({ length: 21_000 }, (_, at) => ((at * at * 2_654_435 + at * 97) >>> 9) & 255),
  ),
);

describe("a prompt whose tokens we cannot count", () => {
  const turn = (...content: object[]) => ({ messages: [{ role: "user", content }] });
  const text = (words: string) => turn({ type: "text", text: words });
  // Models that do not think.
  const catalog = catalogOf(["max_tokens"], "vendor/reader");
  const model = "svc-x1ac-base-vendor/reader";
  const read = (tokens: number) => ({ native_tokens_prompt: tokens, native_tokens_completion: 5 });
  // As from a tool that repeats one text on many pages.
  const pdf = { file_data: "data:application/pdf;base64,JVBERi0=", filename: "a.pdf" };

  test.each([
    ["a document", turn({ type: "file", file: pdf }), 60_000],
    [
      "a document somewhere else",
      turn({ type: "file", file: { file_data: "https://a.example/b.pdf" } }),
      300,
    ],
    ["sound", turn({ type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } }), 100],
    [
      "a document in a tool's result",
      {
        messages: [
          { role: "user", content: "hi" },
          {
            role: "assistant",
            tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
          },
          { role: "tool", tool_call_id: "c", content: [{ type: "file", file: pdf }] },
        ],
      },
      60_000,
    ],
    [
      "a cache mark, whose writes cost more than tokens that we count",
      turn({ type: "text", text: "hi", cache_control: { type: "ephemeral", ttl: "1h" } }),
      30,
    ],
    ["digits", text("3141592653 ".repeat(3_000)), 30_000],
    ["base64", text(base64), 19_000],
    ["another script", text("漢字仮名交じり文".repeat(1_000)), 9_000],
    ["signs", text("🧮±∮".repeat(1_000)), 8_500],
    [
      "JSON",
      text('{"name":"alice", "city":"oslo", "likes":["books", "long walks by the sea"]}, '.repeat(200)),
      6_000,
    ],
  ])("with %s costs who leaves as much as who stays", async (_what, body, tokens) => {
    const generation = [() => Response.json({ data: read(tokens) })];
    const left = await leave("four words", { body: { ...body, model }, catalog, generation });
    expect(left.asked).toHaveLength(1);
    expect(left.charge).toMatchObject({ inputTokens: tokens, flag: null });
    const wireUsage = { prompt_tokens: tokens, completion_tokens: 5, total_tokens: tokens + 5 };
    const stayed = await stay({ ...body, model }, wireUsage, catalog);
    expect(left.charge.amountMicro).toBe(stayed.amountMicro);
  });

  test.each([
    ["prose", "Whoever reads this, reads a plain sentence, with a comma or 2. ".repeat(50)],
    [
      "code",
      "for (const one of list) total += one.price * one.count; // adds up what each costs\n".repeat(50),
    ],
  ])("is not one of %s: its hold is gone when its caller is", async (_what, words) => {
    const { asked, charge } = await leave("four words", { body: { ...text(words), model }, catalog });
    expect(asked).toEqual([]);
    expect(charge).toMatchObject({ flag: "usage_missing", outputTokens: 5 });
  });
});

describe("an answer whose tokens we cannot count", () => {
  const pricing = { ...defaultPricing, image_output: "0.00012" };
  const catalog = catalogOf(["max_tokens"], "vendor/writer", pricing);
  const body = { model: "svc-x1ac-base-vendor/writer", max_tokens: 10_000 };
  const say = (delta: object) => frame({ choices: [{ index: 0, delta: { role: "assistant", ...delta } }] });
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
  const painted = say({ images: [image] });
  const last = say({ content: "four words" });

  test.each([
    [
      "another script",
      say({ content: "漢字仮名交じり文".repeat(100) }),
      { native_tokens_completion: 900 },
      900,
    ],
    ["digits", say({ content: "3141592653".repeat(100) }), { native_tokens_completion: 1_000 }, 1_000],
    ["base64", say({ content: base64.slice(0, 1_000) }), { native_tokens_completion: 700 }, 700],
    [
      "a picture",
      painted,
      { native_tokens_completion: 1_294, native_tokens_completion_images: 1_290 },
      1_294,
    ],
  ])("because of %s is charged as the aggregator wrote it down", async (_what, said, figures, tokens) => {
    const data = { native_tokens_prompt: 11, ...figures };
    const generation = [() => Response.json({ data })];
    const { asked, charge } = await leave("four words", { body, catalog, frames: [said, last], generation });
    expect(asked).toHaveLength(1);
    expect(charge).toMatchObject({ outputTokens: tokens, flag: null });
  });

  test("costs a picture's own price where nobody says what it used", async () => {
    const { charge } = await leave("four words", { body, catalog, frames: [painted, last] });
    expect(charge).toMatchObject({ flag: "usage_missing", outputTokens: 1_293 });
    expect(-charge.amountMicro).toBeGreaterThan(1_290 * 120 * 1.25);
  });

  test("costs a picture's own price where the aggregator says its tokens and no cost", async () => {
    const data = {
      native_tokens_prompt: 11,
      native_tokens_completion: 1_294,
      native_tokens_completion_images: 1_290,
    };
    const generation = [() => Response.json({ data })];
    const { charge } = await leave("four words", { body, catalog, frames: [painted, last], generation });
    expect(-charge.amountMicro).toBeGreaterThan(1_290 * 120 * 1.25);
  });

  test.each([
    ["prose", "Whoever reads this, reads a plain sentence, with a comma or 2. "],
    ["code", "for (const one of list) total += one.price * one.count; // adds up what each costs\n"],
    ["JSON", '{"name":"Alice","age":30,"city":"Oslo","likes":["books","long walks"]},'],
  ])("is not one of %s", async (_what, words) => {
    const frames = [say({ content: words.repeat(20) }), last];
    expect((await leave("four words", { body, catalog, frames })).asked).toEqual([]);
  });
});

describe("a model that another takes over from", () => {
  test("is asked about beside the other's answer", async () => {
    const caller = await newCaller(100_000_000);
    const order: string[] = [];
    const app = createTestApp({
      catalog: thinker,
      sleep: async () => {},
      provider: [
        (sent) => {
          if (sent.url.includes("/generation")) {
            order.push("asked");
            return Response.json(written);
          }
          if (order.push("called") > 1) {
            const body = new ReadableStream<Uint8Array>({
              async start(controller) {
                await new Promise((resolve) => setTimeout(resolve, 100));
                order.push("answered");
                controller.enqueue(new TextEncoder().encode(words + finish + frame({ choices: [], usage })));
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
    expect(order.at(-1)).toBe("answered");
    const [charge] = await caller.charges();
    const once = await stay();
    expect(charge).toMatchObject({ outcome: "completed", outputTokens: 1_500, flag: null });
    expect(-charge!.amountMicro).toBeGreaterThan(-once.amountMicro * 1.9);
  });
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
