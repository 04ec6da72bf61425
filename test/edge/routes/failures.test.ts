// Failures that other gateways had, driven through the app in workerd, both dialects where both are hit.
// docs/known-failures.md says which test holds which.
import { describe, expect, test } from "vitest";
import { parallelTools } from "../../fixtures/anthropic-streams.ts";
import { toSse } from "../dialects/replay.ts";
import { createTestApp, newCaller, openaiStream, openaiUsage } from "../support/app.ts";
import {
  type Asked,
  ask,
  type CallerDialect,
  messages,
  pooled,
  readData,
  slowly,
} from "../support/ask-dialects.ts";

const claude = "svc-x1ac-base-claude-sonnet-4-5";
const betaKey = { "x-beta-key": "sk-ant-own" };

describe("an answer longer than was reserved for (failures 11)", () => {
  test.each([
    ["the caller's cap", { max_tokens: 50 }, 50],
    ["a cap of ours where the caller gave none", { max_tokens: undefined }, 8_192],
    ["the model's limit where the caller asks for more", { max_tokens: 1_000_000 }, 16_384],
  ])("is not asked for: the provider is sent %s", async (_name, fields, cap) => {
    const caller = await newCaller(100_000_000);
    const { chat, sent } = createTestApp();
    await (await chat(caller.apiKey, { model: pooled, messages, ...fields })).text();
    expect(sent[0]?.body.max_tokens).toBe(cap);
  });

  test("is charged up to what was held, when the provider writes on all the same", async () => {
    const pieces = Array.from({ length: 500 }, () => "word ");
    const { response, caller } = await ask({
      provider: [() => openaiStream(pieces, openaiUsage(12, 1_000_000))],
    });
    await response.text();
    const [charge] = await caller.charges();
    expect(charge).toMatchObject({ outputTokens: 50, flag: "usage_out_of_bounds" });
    expect(await caller.account()).toMatchObject({
      balanceMicro: 1_000_000 + charge!.amountMicro,
      openHolds: 0,
    });
  });
});

test("a stream whose provider names no usage still ends (failures 14)", async () => {
  const { response, caller } = await ask({ provider: [() => openaiStream(["a", "b"])] });
  const text = await response.text();
  expect(text).toContain('"finish_reason":"stop"');
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  expect(await caller.charges()).toMatchObject([{ outputTokens: 2, flag: "usage_missing" }]);
});

describe("three parallel tool calls (failures 15, 16, 17)", () => {
  const wanted = [
    ["weather", { city: "Zürich" }],
    ["now", {}],
    ["convert", { amount: 3, to: "CHF" }],
  ];
  const tools = wanted.map(([name]) => ({ name, input_schema: { type: "object" } }));
  const functions = tools.map(({ name, input_schema: parameters }) => ({
    type: "function",
    function: { name, parameters },
  }));
  const byClaude = () => slowly([toSse(parallelTools, true)]);
  const byOpenai = () => {
    const frame = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const pieces = wanted.flatMap(([name, input], index) => [
      { index, id: `call_${index}`, type: "function", function: { name, arguments: "" } },
      ...JSON.stringify(input)
        .match(/.{1,5}/gsu)!
        .map((text) => ({ index, function: { arguments: text } })),
    ]);
    // The providers that interleave their calls are the hard case.
    const woven = [...pieces.filter((piece) => "id" in piece), ...pieces.filter((piece) => !("id" in piece))];
    return slowly([
      ...woven.map((piece) => frame({ tool_calls: [piece] })),
      frame({}, "tool_calls"),
      "data: [DONE]\n\n",
    ]);
  };
  const providers: [string, Asked, () => Response][] = [
    ["Anthropic's wire", { model: claude, headers: betaKey }, byClaude],
    ["OpenAI's wire", {}, byOpenai],
  ];

  test.each(providers)("from %s have an index each for an OpenAI caller", async (_name, asked, provider) => {
    const { response } = await ask(
      { provider: [provider] },
      { ...asked, fields: { stream: true, tools: functions } },
    );
    const calls = new Map<number, { name: string; text: string; ids: string[] }>();
    for (const chunk of await readData(response)) {
      const [choice] = chunk.choices as { delta: { tool_calls?: Record<string, never>[] } }[];
      for (const call of choice?.delta.tool_calls ?? []) {
        const {
          index,
          id,
          function: part,
        } = call as unknown as {
          index: number;
          id?: string;
          function: { name?: string; arguments?: string };
        };
        const known = calls.get(index) ?? { name: "", text: "", ids: [] };
        calls.set(index, known);
        known.name += part.name ?? "";
        known.text += part.arguments ?? "";
        if (id !== undefined) known.ids.push(id);
      }
    }
    expect([...calls.keys()]).toEqual([0, 1, 2]);
    expect([...calls.values()].map(({ name, text }) => [name, JSON.parse(text)])).toEqual(wanted);
    expect(new Set([...calls.values()].flatMap(({ ids }) => ids)).size).toBe(3);
  });

  test.each(providers)(
    "from %s are one block at a time, numbered in order, for an Anthropic caller",
    async (_name, asked, provider) => {
      const fields = { stream: true, tools };
      const { response } = await ask({ provider: [provider] }, { ...asked, dialect: "anthropic", fields });
      const events = await readData(response);
      expect(events.filter(({ type }) => type === "message_start")).toHaveLength(1);
      expect(events[0]).toMatchObject({ type: "message_start" });
      const blocks: { name: string | undefined; text: string; input: unknown }[] = [];
      let open: number | undefined;
      for (const event of events) {
        const index = event.index as number;
        if (event.type === "content_block_start") {
          expect([open, index]).toEqual([undefined, blocks.length]);
          open = index;
          const { name, input } = event.content_block as { name?: string; input?: unknown };
          blocks.push({ name, text: "", input });
        }
        if (event.type === "content_block_delta") {
          expect(index).toBe(open);
          blocks[index]!.text += (event.delta as { partial_json?: string }).partial_json ?? "";
        }
        if (event.type === "content_block_stop") {
          expect(index).toBe(open);
          open = undefined;
        }
      }
      const called = blocks.flatMap(({ name, text, input }) =>
        name === undefined ? [] : [[name, text === "" ? input : JSON.parse(text)]],
      );
      expect(called).toEqual(wanted);
      expect(events.at(-1)).toMatchObject({ type: "message_stop" });
    },
  );
});

describe("an error after the provider's first frames, but before its first word (failures 19)", () => {
  const role = `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { role: "assistant", content: "" } }] })}\n\n`;
  const failure = `data: ${JSON.stringify({ error: { message: "no capacity", code: 503 } })}\n\n`;
  const start = `data: ${JSON.stringify({ type: "message_start", message: { id: "m", usage: { input_tokens: 9, output_tokens: 1 } } })}\n\n`;
  const overloaded = `data: ${JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } })}\n\n`;
  const early: [string, CallerDialect, Asked, string[]][] = [
    ["OpenAI's wire", "openai", {}, [role, failure]],
    ["OpenAI's wire", "anthropic", {}, [role, failure]],
    ["Anthropic's wire", "openai", { model: claude, headers: betaKey }, [start, overloaded]],
    ["Anthropic's wire", "anthropic", { model: claude, headers: betaKey }, [start, overloaded]],
  ];
  // The status waits 40 ms for the first word, which a busy machine may need for these frames.
  const slowClock = (milliseconds: number) =>
    new Promise<void>((resolve) => setTimeout(resolve, 50 * milliseconds));
  test.each(early)("on %s is an HTTP error for a caller of %s", async (_wire, dialect, asked, frames) => {
    const { response, caller } = await ask(
      { provider: [() => slowly(frames, 5)], sleep: slowClock },
      { ...asked, dialect },
    );
    expect(response.status).toBe(502);
    expect((await caller.account())?.openHolds).toBe(0);
  });

  const sse = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
  const gemini = { model: "svc-x1ac-base-gemini-2.5-flash", headers: { "x-gamma-key": "AIzaOwn" } };
  const ofClaude = (type: string) => [start, sse({ type: "error", error: { type, message: "no" } })];
  const ofRouter = (error: object) => [role, sse({ error: { message: "no", ...error } })];
  // The aggregator has sent 200 with its first comment when a host refuses: the error's own code is all that tells.
  test.each<[string, Asked, string[], number, string | null, string | null]>([
    ["OpenRouter's 400", {}, ofRouter({ code: 400 }), 400, "false", null],
    ["OpenRouter's 429", {}, ofRouter({ code: 429 }), 429, null, "1"],
    ["OpenRouter's 402", {}, ofRouter({ code: 402, type: "invalid_request_error" }), 502, null, null],
    ["OpenRouter's 403 to a key", {}, ofRouter({ code: 403 }), 502, null, null],
    [
      "what OpenRouter flags",
      {},
      ofRouter({ code: 403, metadata: { reasons: ["hate"] } }),
      400,
      "false",
      null,
    ],
    ["OpenRouter's 413", {}, ofRouter({ code: 413 }), 413, "false", null],
    ["OpenAI's", {}, ofRouter({ code: "invalid_prompt", type: "invalid_request_error" }), 400, "false", null],
    ["Claude's", { model: claude, headers: betaKey }, ofClaude("invalid_request_error"), 400, "false", null],
    ["Claude's limit", { model: claude, headers: betaKey }, ofClaude("rate_limit_error"), 429, null, "1"],
    ["Gemini's", gemini, [sse({ error: { code: 400, status: "INVALID_ARGUMENT" } })], 400, "false", null],
  ])("%s inside a 200 has the status it has alone", async (_whose, asked, frames, status, again, after) => {
    for (const stream of [true, false]) {
      const provider = [() => slowly(frames)];
      const { response } = await ask({ provider }, { ...asked, fields: { stream } });
      const told = ["x-should-retry", "retry-after"].map((name) => response.headers.get(name));
      expect([response.status, ...told]).toEqual([status, again, after]);
    }
  });

  test.each([400, 413, 429, 503])(
    "and is %i, costs the planning alone, as nothing was taken",
    async (code) => {
      const { response, caller } = await ask({ provider: [() => slowly(ofRouter({ code }))] });
      await response.text();
      const [charge] = await caller.charges();
      expect(charge).toMatchObject({ outcome: "error", inputTokens: null, outputTokens: null, flag: null });
      expect(-charge!.amountMicro).toBeLessThan(10);
    },
  );

  test.each([
    ["word", `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content: "Hi" } }] })}\n\n`],
    ["failure of another kind", ""],
  ])("but after a %s the prompt is charged", async (_what, word) => {
    const frames = word === "" ? ofRouter({ code: 500 }) : [word, ...ofRouter({ code: 400 })];
    const { response, caller } = await ask({ provider: [() => slowly(frames)] });
    await response.text();
    const [charge] = await caller.charges();
    expect(charge!.inputTokens).toBeGreaterThan(0);
  });

  test("and what came before the first word is sent on with it", async () => {
    const words = [role, role.replace('"content":""', '"content":"Hi"'), "data: [DONE]\n\n"];
    const { response } = await ask({ provider: [() => slowly(words, 5)] });
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text.match(/"role":"assistant"/g)).toHaveLength(1);
    expect(text).toContain('"content":"Hi"');
  });
});

test.each(["openai", "anthropic"] as const)(
  "characters of several bytes arrive whole however they are cut, for a caller of %s (failures 23)",
  async (dialect) => {
    const said = "世界 👩‍🚀 Zürich";
    const bytes = new Uint8Array(await openaiStream([said], openaiUsage(1, 5)).arrayBuffer());
    const { response } = await ask(
      { provider: [() => slowly([...bytes].map((byte) => Uint8Array.of(byte)))] },
      { dialect },
    );
    const text = await response.text();
    expect(text).toContain(JSON.stringify(said).slice(1, -1));
    expect(text).not.toContain("\u{fffd}");
  },
);

test("a stream has its own headers and the request's (failures 25)", async () => {
  const { response } = await ask({}, { headers: { "x-request-id": "mine-25", origin: "https://a.example" } });
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "x-request-id": "mine-25",
    "access-control-allow-origin": "*",
  });
  await response.text();
});
