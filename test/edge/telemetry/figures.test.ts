// What requests add to Prometheus metrics and to data points, driven through the whole app.
import { describe, expect, test } from "vitest";
import type { DataPoint } from "../../../edge/telemetry/data-point.ts";
import { edgeFamilies } from "../../../edge/telemetry/metrics.ts";
import { Telemetry } from "../../../edge/telemetry/telemetry.ts";
import { errorTable } from "../../../shared/errors.ts";
import { usageFlags } from "../../../shared/usage-flags.ts";
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
const route = "POST /v1/chat/completions";

async function start(options: TestAppOptions = {}) {
  const points: DataPoint[] = [];
  const dataset = { writeDataPoint: (point: DataPoint) => void points.push(point) };
  const telemetry = new Telemetry({ gitSha: "abc", startedAt: 0, dataset });
  const app = createTestApp({ ...options, telemetry });
  const caller = await newCaller(1_000_000);
  const chat = async (body: object, headers: Record<string, string> = {}, key = caller.apiKey) => {
    const response = await app.chat(key, body, headers);
    await response.text();
    await response.settled();
    return response;
  };
  /** The value of one series; undefined where there is none. */
  const read = (series: string): number | undefined => {
    const line = telemetry
      .render()
      .split("\n")
      .find((one) => one.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length));
  };
  return { app, caller, chat, read, points, page: () => telemetry.render() };
}

const label = (name: string, labels: Record<string, string>) =>
  `${name}{${Object.entries(labels)
    .map(([key, value]) => `${key}="${value}"`)
    .join(",")}}`;

describe("an answered request", () => {
  test("is counted by route and class of status, with its times, its tokens and what it cost", async () => {
    const { chat, read } = await start();
    const response = await chat(hello);
    await chat({ ...hello, stream: true });
    expect(read(label("svc_edge_requests_total", { route, status: "2xx" }))).toBe(2);
    expect(read(label("svc_edge_request_seconds_count", { route }))).toBe(2);
    expect(read("svc_edge_first_byte_seconds_count")).toBe(2);
    expect(read(label("svc_edge_provider_first_byte_seconds_count", { provider: "router" }))).toBe(2);
    expect(read(label("svc_edge_provider_calls_total", { provider: "router", outcome: "completed" }))).toBe(
      2,
    );
    // The second request's key is known from the first.
    expect(read(label("svc_edge_stage_seconds_count", { stage: "auth" }))).toBe(1);
    for (const stage of ["plan", "hold", "settle"]) {
      expect(read(label("svc_edge_stage_seconds_count", { stage }))).toBe(2);
    }
    const once = Number(response.headers.get("x-svc-credits-charged"));
    expect(read(label("svc_edge_credits_charged_total", { key_source: "pool" }))).toBeCloseTo(2 * once, 9);
    expect(read(label("svc_edge_settled_total", { outcome: "completed", key_source: "pool" }))).toBe(2);
    expect(read(label("svc_edge_tokens_total", { kind: "input" }))).toBe(24);
    expect(read(label("svc_edge_tokens_total", { kind: "output" }))).toBe(4);
    expect(read(label("svc_edge_tokens_total", { kind: "planning" }))).toBe(40);
    expect(read("svc_edge_streams")).toBe(0);
  });

  test("on the caller's own key is counted apart, and without what its provider took", async () => {
    const { chat, read } = await start();
    await chat(hello, { "x-alpha-key": "sk-proj-own-0123456789" });
    expect(read(label("svc_edge_settled_total", { outcome: "completed", key_source: "user" }))).toBe(1);
    expect(read(label("svc_edge_provider_calls_total", { provider: "alpha", outcome: "completed" }))).toBe(1);
    expect(read("svc_edge_reported_cost_credits_total")).toBeUndefined();
  });

  test("leaves its flag, and what the aggregator took", async () => {
    const provider = [() => openaiStream(["x"], { ...openaiUsage(12, 2), cost: 0.0005 })];
    const { chat, read } = await start({ provider });
    await chat(hello);
    expect(read("svc_edge_reported_cost_credits_total")).toBeCloseTo(0.0005, 9);
    expect(read(label("svc_edge_usage_flags_total", { flag: "cost_above_price" }))).toBe(1);
  });

  test("that streams is in flight until its last byte is read", async () => {
    const { app, caller, read } = await start();
    const response = await app.chat(caller.apiKey, { ...hello, stream: true });
    expect(read("svc_edge_streams")).toBe(1);
    await response.text();
    await response.settled();
    expect(read("svc_edge_streams")).toBe(0);
  });

  test("whose caller leaves in mid-stream ends as left, and is in flight no more", async () => {
    const { app, caller, read } = await start();
    const leaving = new AbortController();
    const response = await app.chat(caller.apiKey, { ...hello, stream: true }, {}, leaving.signal);
    leaving.abort();
    await response.body?.cancel().catch(() => {});
    await response.settled();
    expect(read("svc_edge_streams")).toBe(0);
    expect(read(label("svc_edge_requests_total", { route, status: "2xx" }))).toBe(1);
  });
});

describe("before anything has failed", () => {
  test("what alerts take the growth of stands at 0: Prometheus sees no growth in a series that begins with its first failure", async () => {
    const { read } = await start();
    for (const [code, { type }] of Object.entries(errorTable))
      expect(read(label("svc_edge_errors_total", { type, code }))).toBe(0);
    for (const stage of ["auth", "plan", "rollout", "embed", "hold", "settle"])
      expect(read(label("svc_edge_stage_failures_total", { stage }))).toBe(0);
    for (const flag of usageFlags) expect(read(label("svc_edge_usage_flags_total", { flag }))).toBe(0);
    for (const outcome of ["exported", "failed", "dropped"])
      expect(read(label("svc_edge_spans_total", { outcome }))).toBe(0);
  });

  test("the operator's page has no kind of error", () => {
    expect(new Telemetry({ gitSha: "abc", startedAt: 0 }).readErrors().errors).toEqual([]);
  });
});

describe("a failure", () => {
  test.each([
    ["of the caller's key", { key: "svc_sk_live_wrong" }, "4xx", "invalid_api_key"],
    [
      "of a model that is none",
      { body: { ...hello, model: "svc-x1ac-base-none" } },
      "4xx",
      "model_not_found",
    ],
    ["of the body", { body: { ...hello, messages: 5 } }, "4xx", "validation_error"],
  ] as const)("%s has its type and code", async (_name, asked, status, code) => {
    const { caller, chat, read } = await start();
    const { body, key } = { body: hello, key: caller.apiKey, ...asked };
    await chat(body, {}, key);
    expect(read(label("svc_edge_requests_total", { route, status }))).toBe(1);
    expect(read(label("svc_edge_errors_total", { type: errorTable[code].type, code }))).toBe(1);
  });

  test.each([
    [429, "429", "upstream_rate_limited"],
    [500, "5xx", "upstream_error"],
    [400, "4xx", "upstream_rejected"],
  ] as const)("of a provider by %i names the call's outcome", async (status, outcome, code) => {
    const { chat, read } = await start({ provider: [() => new Response("{}", { status })] });
    await chat(hello, { "x-alpha-key": "sk-proj-own-0123456789" });
    expect(read(label("svc_edge_provider_calls_total", { provider: "alpha", outcome }))).toBe(1);
    expect(read(label("svc_edge_errors_total", { type: errorTable[code].type, code }))).toBe(1);
    expect(read(label("svc_edge_settled_total", { outcome: "error", key_source: "user" }))).toBe(1);
  });

  test("of a provider that bills nothing for it names that", async () => {
    const failure = {
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
      error: { code: 502, message: "host fell over" },
    };
    const frames = [failure, { choices: [], usage: { ...openaiUsage(9, 0), cost: 0 } }];
    const free = () => eventStream(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(""));
    const { chat, read } = await start({ provider: [free] });
    await chat({ ...hello, stream: true });
    const outcome = "unbilled";
    expect(read(label("svc_edge_provider_calls_total", { provider: "router", outcome }))).toBe(1);
  });

  test("after the head counts once, beside a 2xx", async () => {
    const cut = () => openaiStream(["x"], undefined, null);
    const { chat, read } = await start({ provider: [cut] });
    await chat({ ...hello, stream: true }, { "x-alpha-key": "sk-proj-own-0123456789" });
    expect(read(label("svc_edge_requests_total", { route, status: "2xx" }))).toBe(1);
    expect(read(label("svc_edge_errors_total", { type: "upstream_error", code: "upstream_truncated" }))).toBe(
      1,
    );
  });

  test("of the gpu-workers is a failed stage", async () => {
    const plan = () => Promise.reject(new Error("canary-words"));
    const { chat, read, page } = await start({ plan });
    await chat(hello);
    expect(read(label("svc_edge_stage_failures_total", { stage: "plan" }))).toBe(1);
    expect(page()).not.toContain("canary");
  });
});

describe("labels", () => {
  test("are bounded: whatever a caller sends adds no series", async () => {
    const { app, caller, chat, page } = await start();
    await chat(hello);
    const series = () =>
      page()
        .split("\n")
        .filter((one) => !one.startsWith("#"))
        .map((one) => one.split(" ")[0]);
    await app.send("/nowhere");
    const authorization = `Bearer ${caller.apiKey}`;
    await app.send("/v1/models/canary", { headers: { authorization } });
    const before = series();
    for (let at = 0; at < 5; at++) {
      await chat({ ...hello, user: `u${at}` }, { "x-request-id": `r${at}` });
      await app.send(`/nowhere/${at}?x=${at}`);
      await app.send(`/v1/models/canary-${at}`, { headers: { authorization } });
    }
    expect(series()).toEqual(before);
    expect(page()).toMatch(/route="other"/);
    expect(page()).not.toMatch(/canary|gpt-4o|acct_|key_[0-9a-f]|svc_sk/);
  });

  test("of every family have a help and a type, each line in the format's grammar", async () => {
    const { chat, page } = await start();
    await chat(hello);
    const lines = page().trimEnd().split("\n");
    for (const one of lines) {
      expect(one).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [\d.e+-]+)$/);
    }
    const families = lines.flatMap((one) => /^# TYPE (\w+)/.exec(one)?.[1] ?? []);
    expect(families).toEqual(Object.keys(edgeFamilies));
  });
});

describe("a data point", () => {
  test("has a request's columns in fixed places, and nothing of its texts", async () => {
    const { chat, points } = await start();
    const response = await chat(hello);
    expect(points).toEqual([
      {
        indexes: [route],
        blobs: [route, "2xx", "", "router", "pool", "completed", ""],
        doubles: Array.from({ length: 11 }, () => expect.any(Number)),
      },
    ]);
    const charged = Number(response.headers.get("x-svc-credits-charged"));
    expect(points[0]!.doubles.slice(6)).toEqual([charged, 0, 12, 2, 20]);
  });

  test("has what the aggregator took beside what the caller paid", async () => {
    const provider = [() => openaiStream(["x"], { ...openaiUsage(12, 2), cost: 0.0005 })];
    const { chat, points } = await start({ provider });
    await chat(hello);
    expect(points[0]!.doubles[7]).toBeCloseTo(0.0005, 9);
  });

  test("that cannot be written fails no request", async () => {
    const dataset = {
      writeDataPoint() {
        throw new Error("no such dataset");
      },
    };
    const app = createTestApp({ telemetry: new Telemetry({ gitSha: "abc", startedAt: 0, dataset }) });
    const caller = await newCaller(1_000_000);
    const response = await app.chat(caller.apiKey, hello);
    expect(response.status).toBe(200);
    await response.settled();
  });
});
