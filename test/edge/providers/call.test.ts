import { describe, expect, test } from "vitest";
import { standardRequestLimits } from "../../../edge/pipeline/services.ts";
import { callProvider } from "../../../edge/providers/call.ts";
import type { Route } from "../../../edge/providers/resolve-route.ts";
import { providerTimeouts } from "../../../edge/providers/timeouts.ts";
import type { ChatEvent } from "../../../shared/chat.ts";
import { GatewayError } from "../../../shared/errors.ts";
import { alpha, beta, contextOf, fakeFetch, read, request, type Sent } from "../support/provider-call.ts";

const frame = (delta: unknown, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const answerFrames = [
  frame({ role: "assistant", content: "" }),
  frame({ content: "Hel" }),
  frame({ content: "lo" }),
  frame({}, "stop"),
  "data: [DONE]\n\n",
];

const geminiFrames = [
  `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text: "Hello" }] }, finishReason: "STOP" }] })}\n\n`,
];

const sse = (frames: string[]) =>
  new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } });

const textOf = (events: ChatEvent[]) =>
  events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");

/** Answers nothing until its call is cut. */
const hang = ({ init }: Sent) =>
  new Promise<Response>((_resolve, reject) =>
    init.signal?.addEventListener("abort", () => reject(new Error("aborted"))),
  );

describe("a call to a provider", () => {
  test("sends the key in a header, never in the URL, and follows no redirect", async () => {
    const { sent, fetch } = fakeFetch(sse(answerFrames));
    const answer = await callProvider(alpha, request, undefined, contextOf(fetch));
    expect(textOf(await read(answer.events))).toBe("Hello");
    expect(sent[0]?.url).toBe("https://provider.example/v1/chat/completions");
    expect(new Headers(sent[0]?.init.headers).get("authorization")).toBe("Bearer sk-proj-canary");
    expect(sent[0]?.init.redirect).toBe("manual");
  });

  test.each([503, 529])("%i says the request was not accepted: it is sent once more", async (status) => {
    const { sent, fetch } = fakeFetch(new Response("busy", { status }), sse(answerFrames));
    expect(textOf(await read((await callProvider(alpha, request, undefined, contextOf(fetch))).events))).toBe(
      "Hello",
    );
    expect(sent).toHaveLength(2);
  });

  test.each([
    ["a 500", new Response("{}", { status: 500 })],
    ["a 429", new Response("{}", { status: 429 })],
    ["a lost connection", new Error("Network connection lost.")],
  ])("%s may have been billed already: it is not sent again (failures 30)", async (_name, answer) => {
    const { sent, fetch } = fakeFetch(answer, sse(answerFrames));
    await expect(callProvider(alpha, request, undefined, contextOf(fetch))).rejects.toThrow(GatewayError);
    expect(sent).toHaveLength(1);
  });

  test("a first byte that does not come is a 504", async () => {
    const { fetch } = fakeFetch(hang);
    const call = callProvider(
      alpha,
      request,
      undefined,
      contextOf(fetch, { limits: { firstByteMs: 20, idleMs: 20, totalMs: 100 } }),
    );
    await expect(call).rejects.toMatchObject({ code: "upstream_timeout", status: 504 });
  });

  const limits = {
    firstByteMs: 30,
    idleMs: 30,
    totalMs: 5_000,
    thinking: { aloneMs: 2_000, beforeNextMs: 60 },
  };
  const router: Route = { ...alpha, provider: "router" };
  const patience = [
    ["OpenAI's gpt-5-mini", { ...alpha, model: "gpt-5-mini" }, "answers"],
    ["OpenAI's o3", { ...alpha, model: "o3" }, "answers"],
    ["OpenAI's gpt-4o-mini", { ...alpha, model: "gpt-4o-mini" }, "upstream_timeout"],
    ["OpenAI's gpt-5-chat-latest", { ...alpha, model: "gpt-5-chat-latest" }, "upstream_timeout"],
    ["Gemini 2.5", { ...alpha, provider: "gamma", model: "gemini-2.5-flash" }, "answers"],
    ["Gemini 2.0", { ...alpha, provider: "gamma", model: "gemini-2.0-flash" }, "upstream_timeout"],
    ["Anthropic, which sends pings", beta, "upstream_timeout"],
    ["a local server", { ...router, key: undefined, keySource: "pool" }, "answers"],
    ["the aggregator, which sends comments", router, "upstream_timeout"],
  ] as const satisfies [string, Route, string][];

  test.each(patience)("silence of %s before the status: it %s (failures 47)", async (_name, of, outcome) => {
    const thinking = ({ init }: Sent) =>
      new Promise<Response>((resolve, reject) => {
        init.signal?.addEventListener("abort", () => reject(new Error("aborted")));
        setTimeout(() => resolve(sse(of.provider === "gamma" ? geminiFrames : answerFrames)), 150);
      });
    const { fetch } = fakeFetch(thinking);
    const call = callProvider(of, request, undefined, contextOf(fetch, { limits }));
    const said = await call.then(
      async ({ events }) => (textOf(await read(events)) === "Hello" ? "answers" : "lost"),
      ({ code }: GatewayError) => code,
    );
    expect(said).toBe(outcome);
  });

  test.each([
    ["another model is left", { limits, hasNext: true }],
    ["its own time is up", { limits: { ...limits, thinking: { aloneMs: 60, beforeNextMs: 20 } } }],
  ])("a model that thinks is given up, uncharged, where %s", async (_name, more) => {
    const dropped: string[] = [];
    const observer = { named: () => {}, observe: () => {}, ended: () => {} };
    const observeCall = () => ({ ...observer, dropped: (why: string) => void dropped.push(why) });
    const hang = ({ init }: Sent) =>
      new Promise<Response>((_, reject) =>
        init.signal?.addEventListener("abort", () => reject(new Error("aborted"))),
      );
    const { fetch } = fakeFetch(hang);
    const of = { ...alpha, model: "gpt-5-mini" };
    const call = callProvider(of, request, undefined, contextOf(fetch, { ...more, observeCall }));
    await expect(call).rejects.toMatchObject({ code: "upstream_timeout" });
    expect(dropped).toEqual(["first-byte"]);
  });

  test("that time ends before its request does, and leaves the next model as much", () => {
    const { thinking } = providerTimeouts.call;
    expect(thinking!.aloneMs).toBeLessThan(standardRequestLimits.deadlineMs);
    expect(thinking!.beforeNextMs * 2).toBeLessThanOrEqual(standardRequestLimits.deadlineMs);
  });

  test.each([
    ["gpt-5-mini", "Hello"],
    ["gpt-4o-mini", "Hel"],
  ])("silence of %s inside a stream: %s is read (failures 47)", async (model, text) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const encoder = new TextEncoder();
    const thinking = async ({ init }: Sent) => {
      init.signal?.addEventListener("abort", () => void writer.abort(new Error("aborted")));
      void writer.write(encoder.encode(answerFrames.slice(0, 2).join("")));
      setTimeout(() => {
        writer.write(encoder.encode(answerFrames.slice(2).join(""))).catch(() => {});
        writer.close().catch(() => {});
      }, 150);
      return new Response(readable, { headers: { "content-type": "text/event-stream" } });
    };
    const { fetch } = fakeFetch(thinking);
    const answer = await callProvider({ ...alpha, model }, request, undefined, contextOf(fetch, { limits }));
    expect(textOf(await read(answer.events))).toBe(text);
  });

  test("silence after the start ends the events with a timeout", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const silent = async ({ init }: Sent) => {
      init.signal?.addEventListener("abort", () => void writer.abort(new Error("aborted")));
      void writer.write(new TextEncoder().encode(answerFrames.slice(0, 2).join("")));
      return new Response(readable, { headers: { "content-type": "text/event-stream" } });
    };
    const { fetch } = fakeFetch(silent);
    const answer = await callProvider(
      alpha,
      request,
      undefined,
      contextOf(fetch, { limits: { firstByteMs: 50, idleMs: 20, totalMs: 500 } }),
    );
    const events = await read(answer.events);
    expect(textOf(events)).toBe("Hel");
    expect(events.at(-1)).toMatchObject({ type: "error", code: "upstream_timeout" });
  });

  test("a stream that ends without its end mark is an error, not success", async () => {
    const { fetch } = fakeFetch(sse(answerFrames.slice(0, 3)));
    const events = await read((await callProvider(alpha, request, undefined, contextOf(fetch))).events);
    expect(events.at(-1)).toMatchObject({ type: "error", code: "upstream_truncated" });
  });

  test("a JSON reply gives the same events as its stream", async () => {
    const body = {
      id: "c",
      choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    };
    const { fetch } = fakeFetch(Response.json(body));
    const events = await read(
      (await callProvider(alpha, { ...request, stream: false }, undefined, contextOf(fetch))).events,
    );
    expect(textOf(events)).toBe("Hello");
    expect(events.find(({ type }) => type === "usage")).toMatchObject({
      usage: { input: 1, output: 2, total: 3 },
    });
  });

  test.each([
    ["HTML", new Response("<html>", { headers: { "content-type": "application/json" } })],
    ["nothing", new Response("", { headers: { "content-type": "application/json" } })],
  ])("a 2xx whose body is %s is an error event", async (_name, answer) => {
    const { fetch } = fakeFetch(answer);
    const events = await read(
      (await callProvider(alpha, { ...request, stream: false }, undefined, contextOf(fetch))).events,
    );
    expect(events).toMatchObject([{ type: "error", code: "upstream_error" }]);
  });

  test("a 2xx whose JSON does not end is given up at a bound, and its sender told", async () => {
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(4 * 1024 * 1024).fill(0x20)),
      cancel: () => {
        cancelled = true;
      },
    });
    const { fetch } = fakeFetch(new Response(endless, { headers: { "content-type": "application/json" } }));
    const events = await read(
      (await callProvider(alpha, { ...request, stream: false }, undefined, contextOf(fetch))).events,
    );
    expect(events).toMatchObject([{ type: "error", code: "upstream_error" }]);
    expect(cancelled).toBe(true);
  });

  const words = "vendor refused key sk-proj-canary";
  test.each([
    [
      "a stream",
      sse([answerFrames[0]!, `data: ${JSON.stringify({ error: { message: words, code: 502 } })}\n\n`]),
    ],
    ["a JSON reply", Response.json({ error: { message: words, code: 502 } })],
  ])("a failure inside %s quotes the provider without the key and says what to do", async (_name, answer) => {
    const { fetch } = fakeFetch(answer);
    const events = await read((await callProvider(alpha, request, undefined, contextOf(fetch))).events);
    expect(events.at(-1)).toEqual({
      type: "error",
      code: "upstream_error",
      message: "vendor refused key [key] - retry with exponential backoff, or choose another model.",
    });
  });

  test("the client's leaving aborts the call", async () => {
    const leaving = new AbortController();
    const { fetch, sent } = fakeFetch(hang);
    const call = callProvider(alpha, request, undefined, contextOf(fetch, { signal: leaving.signal }));
    leaving.abort();
    await expect(call).rejects.toThrow();
    expect(sent.map(({ init }) => init.signal?.aborted)).toEqual([true]);
  });
});
