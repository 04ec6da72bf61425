// A model that thinks without showing it, left just before its report: what it thought is in no word that was passed on. The
// aggregator wrote it down, so it is asked once the call is cut, and the caller pays as if he had stayed.
import { describe, expect, test } from "vitest";
import { buildCatalog } from "../../../edge/catalog/catalog.ts";
import { readRouterList } from "../../../edge/catalog/router-snapshot.ts";
import { createTestApp, newCaller, openaiStream, type Sent } from "../support/app.ts";

const modelName = "svc-x1ac-base-vendor/thinker";
const hello = {
  model: modelName,
  messages: [{ role: "user", content: "hi" }],
  max_tokens: 4_000,
  stream: true,
};
const generationId = "gen-1764547200-a/b";
const startedAtMs = Date.UTC(2026, 10, 1);

const catalogOf = (supported: string[]) => {
  const pricing = { prompt: "0.000002", completion: "0.00001" };
  const list = readRouterList(
    { data: [{ id: "vendor/thinker", context_length: 100_000, pricing, supported_parameters: supported }] },
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
    pace: rest.deadlineMs === undefined ? {} : { deadlineMs: rest.deadlineMs },
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
  const response = await app.chat(caller.apiKey, hello, rest.headers ?? {}, leaving.signal);
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
async function stay() {
  const caller = await newCaller(100_000_000);
  const answer = () => openaiStream(["four words are shown"], usage);
  const app = createTestApp({ catalog: thinker, provider: [answer] });
  const response = await app.chat(caller.apiKey, hello);
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
    expect(charge.outputTokens).toBeLessThanOrEqual(4_000);
    expect(charge.flag).not.toBeNull();
  });
});

describe("nobody is asked", () => {
  test("of a model that does not think", async () => {
    const { asked, charge } = await leave("four words", { catalog: catalogOf(["max_tokens"]) });
    expect(asked).toEqual([]);
    expect(charge.outputTokens).toBe(5);
  });

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
