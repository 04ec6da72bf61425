// Exported spans as a collector receives them, driven through the whole app.
import { describe, expect, test } from "vitest";
import type { OtlpAttribute, OtlpSpan } from "../../../edge/telemetry/encode-spans.ts";
import { Telemetry } from "../../../edge/telemetry/telemetry.ts";
import type { TraceSettings } from "../../../edge/telemetry/trace-settings.ts";
import { GatewayError } from "../../../shared/errors.ts";
import {
  createTestApp,
  eventStream,
  newCaller,
  openaiStream,
  openaiUsage,
  type TestAppOptions,
} from "../support/app.ts";

const model = "svc-x1ac-base-gpt-4o";
const hello = { model, messages: [{ role: "user", content: "canary-prompt" }], max_tokens: 50 };
const settings: TraceSettings = {
  url: "http://collector.test/v1/traces",
  headers: { authorization: "Basic collectors-key" },
  serviceName: "gateway",
  sampler: { ratio: 1, byParent: true },
};
type Envelope = {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] };
    scopeSpans: { scope: { name: string }; spans: OtlpSpan[] }[];
  }[];
};

async function start(options: TestAppOptions = {}, collector = () => new Response("{}")) {
  const posts: { url: string; headers: Headers; text: string }[] = [];
  const fetchCollector = async (input: RequestInfo | URL, init: RequestInit = {}) => {
    posts.push({ url: String(input), headers: new Headers(init.headers), text: String(init.body) });
    return collector();
  };
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const telemetry = new Telemetry({
    startedAt: 0,
    gitSha: "abc",
    traces: { settings, fetch: fetchCollector as typeof fetch, randomBytes, gatherMs: 1 },
  });
  const app = createTestApp({ ...options, telemetry });
  const caller = await newCaller(1_000_000);
  const chat = async (body: object, headers: Record<string, string> = {}) => {
    const response = await app.chat(caller.apiKey, body, headers);
    await response.text().catch(() => {});
    await response.settled();
    return response;
  };
  const spans = () =>
    posts
      .flatMap(({ text }) => (JSON.parse(text) as Envelope).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  return { app, caller, chat, posts, spans, page: () => telemetry.render() };
}

/** Attributes as they would be written down by hand. */
const read = ({ attributes }: { attributes: OtlpAttribute[] }): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
const find = (spans: OtlpSpan[], name: string) => spans.find((span) => span.name === name)!;

describe("a chat request's trace", () => {
  test("is a server's span with one under it for each stage, up to the settlement", async () => {
    const { chat, spans, posts } = await start();
    const response = await chat({ ...hello, stream: true });
    expect(posts).toHaveLength(1);
    const [root, ...stages] = spans();
    expect(root).toMatchObject({ name: "POST /v1/chat/completions", kind: 2, status: {} });
    expect(root!.parentSpanId).toBeUndefined();
    expect(stages.map(({ name }) => name).sort()).toEqual([
      "auth",
      "chat openai/gpt-4o",
      "hold",
      "plan",
      "settle",
    ]);
    for (const span of stages) {
      expect(span).toMatchObject({ traceId: root!.traceId, parentSpanId: root!.spanId, status: {} });
      expect(span.startTimeUnixNano >= root!.startTimeUnixNano).toBe(true);
      expect(span.endTimeUnixNano <= root!.endTimeUnixNano).toBe(true);
      expect(span.startTimeUnixNano).toMatch(/^\d{19}$/);
    }
    expect(new Set(spans().map(({ spanId }) => spanId)).size).toBe(6);
    expect(read(root!)).toMatchObject({
      "http.request.method": "POST",
      "http.route": "/v1/chat/completions",
      "http.response.status_code": "200",
      "svc.request_id": response.headers.get("x-request-id"),
      "svc.outcome": "completed",
      "svc.key_source": "pool",
      "svc.planning_tokens": "20",
    });
  });

  test("names the provider's call as the GenAI conventions do", async () => {
    const { chat, spans } = await start();
    await chat({ ...hello, stream: true });
    expect(read(find(spans(), "chat openai/gpt-4o"))).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openrouter",
      "gen_ai.request.model": "openai/gpt-4o",
      "gen_ai.request.max_tokens": "50",
      "gen_ai.request.stream": true,
      "gen_ai.response.id": "c",
      "gen_ai.response.model": "m",
      "gen_ai.response.finish_reasons": { values: [{ stringValue: "stop" }] },
      "gen_ai.response.time_to_first_chunk": expect.any(Number),
      "gen_ai.usage.input_tokens": "12",
      "gen_ai.usage.output_tokens": "2",
      "gen_ai.usage.cache_read.input_tokens": "0",
      "gen_ai.usage.cache_creation.input_tokens": "0",
      "gen_ai.usage.reasoning.output_tokens": "0",
    });
  });

  test("says of the plan where its time went", async () => {
    const { chat, spans } = await start();
    await chat(hello);
    expect(read(find(spans(), "plan"))).toEqual({
      "svc.size": "base",
      "svc.planning_tokens": "20",
      "svc.queue_ms": 0.1,
      "svc.model_ms": 1,
    });
  });

  test("goes on under the caller's span, and neither header nor ids go to the provider", async () => {
    const { app, chat, spans } = await start();
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    await chat(hello, { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: "a=canary" });
    expect(spans()[0]).toMatchObject({ traceId, parentSpanId: "00f067aa0ba902b7" });
    expect(app.sent[0]!.headers.get("traceparent")).toBeNull();
    expect(JSON.stringify([...app.sent[0]!.headers])).not.toContain(traceId);
  });

  test("is left out where the caller's says so", async () => {
    const { chat, posts } = await start();
    await chat(hello, { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00" });
    expect(posts).toEqual([]);
  });
});

describe("a failure", () => {
  test("of the provider marks its call and the request, by tags", async () => {
    const refusal = () => new Response('{"error":{"message":"canary-words"}}', { status: 500 });
    const { chat, spans, posts } = await start({ provider: [refusal] });
    await chat(hello, { "x-alpha-key": "sk-proj-own-canary-key" });
    const call = find(spans(), "chat gpt-4o");
    expect([call.status, read(call)["error.type"]]).toEqual([{ code: 2 }, "500"]);
    expect([spans()[0]!.status, read(spans()[0]!)["error.type"]]).toEqual([{ code: 2 }, "upstream_error"]);
    expect(posts[0]!.text).not.toMatch(/canary|sk-proj/);
  });

  test("that another model makes good has a span for each try, and the request is well", async () => {
    const provider = [
      () => new Response("{}", { status: 500 }),
      () => openaiStream(["x"], openaiUsage(5, 1)),
    ];
    const { chat, spans } = await start({ provider });
    const models = ["svc-x1ac-base-gpt-4o-mini"];
    expect((await chat({ ...hello, models }, { "x-alpha-key": "sk-proj-own-0123456789" })).status).toBe(200);
    const tries = spans().filter(({ name }) => name.startsWith("chat "));
    expect(tries.map((span) => [span.name, read(span)["error.type"]])).toEqual([
      ["chat gpt-4o", "500"],
      ["chat gpt-4o-mini", undefined],
    ]);
    expect(spans()[0]!.status).toEqual({});
  });

  test("of the caller is no failure of ours", async () => {
    const { chat, spans } = await start();
    await chat({ ...hello, messages: 5 });
    expect(spans()[0]).toMatchObject({ name: "POST /v1/chat/completions", status: {} });
    expect(read(spans()[0]!)["error.type"]).toBe("validation_error");
  });

  test("of the caller to wait for the answer is no failure of the provider's call", async () => {
    const never = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    const { app, caller, spans } = await start({ provider: [() => eventStream(never)] });
    const leaving = new AbortController();
    const response = await app.chat(caller.apiKey, { ...hello, stream: true }, {}, leaving.signal);
    leaving.abort();
    await response.body?.cancel().catch(() => {});
    await response.settled();
    const call = find(spans(), "chat openai/gpt-4o");
    expect([call.status, read(call)["error.type"]]).toEqual([{}, "client_left"]);
  });

  test("of the planner ends its span", async () => {
    const plan = () => Promise.reject(new GatewayError("world_model_unavailable", "canary-words"));
    const { chat, spans, posts } = await start({ plan });
    await chat(hello);
    expect(find(spans(), "plan")).toMatchObject({ status: { code: 2 } });
    expect(read(find(spans(), "plan"))["error.type"]).toBe("world_model_unavailable");
    expect(posts[0]!.text).not.toContain("canary");
  });

  test("by which a stream breaks off marks a request that was 200", async () => {
    const { chat, spans } = await start({ provider: [() => openaiStream(["x"], undefined, null)] });
    await chat({ ...hello, stream: true }, { "x-alpha-key": "sk-proj-own-0123456789" });
    expect(spans()[0]).toMatchObject({ status: { code: 2 } });
    expect(read(spans()[0]!)).toMatchObject({
      "http.response.status_code": "200",
      "error.type": "upstream_truncated",
    });
  });

  test("of the collector touches no answer, and is counted", async () => {
    const broken: (() => Response)[] = [
      () => new Response("no", { status: 503 }),
      () => {
        throw new TypeError("unreachable");
      },
    ];
    for (const collector of broken) {
      const { chat, page, posts } = await start({}, collector);
      expect((await chat(hello)).status).toBe(200);
      expect(posts).toHaveLength(1);
      expect(page()).toContain('svc_edge_spans_total{outcome="failed"} 6');
    }
  });
});

describe("what is sent", () => {
  test("goes to the collector with its headers, from a service with a name and a version", async () => {
    const { chat, posts, page } = await start();
    await chat(hello);
    const [{ url, headers, text }] = posts as [(typeof posts)[0]];
    expect(url).toBe(settings.url);
    expect(headers.get("authorization")).toBe("Basic collectors-key");
    expect(headers.get("content-type")).toBe("application/json");
    const { resource } = (JSON.parse(text) as Envelope).resourceSpans[0]!;
    expect(read(resource)).toEqual({ "service.name": "gateway", "service.version": "abc" });
    expect(page()).toContain('svc_edge_spans_total{outcome="exported"} 6');
  });

  test("holds no prompt, no answer, no key and no account", async () => {
    const provider = [() => openaiStream(["canary-answer"], openaiUsage(12, 2))];
    const { caller, chat, posts } = await start({ provider });
    await chat({ ...hello, user: "canary-user" }, { "x-alpha-key": "sk-proj-canary-key" });
    await chat({ ...hello, stream: true });
    const sent = posts.map(({ text }) => text).join();
    expect(sent).not.toMatch(/canary/);
    for (const secret of [caller.apiKey, caller.accountId, caller.keyId]) expect(sent).not.toContain(secret);
  });

  test("is no id where a provider writes the key, or other text, in its place", async () => {
    const key = "sk-proj-own-0123456789";
    const odd = (id: string) => () =>
      eventStream(
        `data: ${JSON.stringify({ id, model: "a sentence", choices: [{ index: 0, delta: { content: "x" }, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`,
      );
    const { chat, spans } = await start({ provider: [odd(`id-${key}`)] });
    await chat(hello, { "x-alpha-key": key });
    const described = read(find(spans(), "chat gpt-4o"));
    expect([described["gen_ai.response.id"], described["gen_ai.response.model"]]).toEqual([
      undefined,
      undefined,
    ]);
  });
});
