import { describe, expect, test } from "vitest";
import type { OtlpSpan } from "../../../edge/telemetry/encode-spans.ts";
import { SpanExporter, type SpanOutcome } from "../../../edge/telemetry/span-exporter.ts";

const span = { name: "x" } as OtlpSpan;
const spans = (count: number) => Array.from({ length: count }, () => span);
const settings = {
  url: "http://c.test",
  headers: {},
  serviceName: "s",
  sampler: { ratio: 1, byParent: true },
};

/** An exporter whose clock, sleeps and collector a test moves. */
function start(collector: () => Promise<Response> = async () => new Response("{}")) {
  let at = 1_000_000;
  const sent: number[] = [];
  const counted: Record<SpanOutcome, number> = { exported: 0, failed: 0, dropped: 0 };
  const work: Promise<unknown>[] = [];
  const sleepers: (() => void)[] = [];
  const exporter = new SpanExporter({
    settings,
    version: "v",
    now: () => at,
    fetch: (async (_input: RequestInfo | URL, init: RequestInit = {}) => {
      sent.push(JSON.parse(String(init.body)).resourceSpans[0].scopeSpans[0].spans.length);
      return collector();
    }) as typeof fetch,
    count: (outcome, number) => {
      counted[outcome] += number;
    },
  });
  const background = {
    waitUntil: (one: Promise<unknown>) => void work.push(one),
    sleep: () => new Promise<void>((resolve) => void sleepers.push(resolve)),
  };
  return {
    sent,
    counted,
    sleepers,
    add: (count: number) => exporter.add(spans(count), background),
    pass: (ms: number) => {
      at += ms;
    },
    wake: () => {
      for (const resolve of sleepers.splice(0)) resolve();
    },
    done: () => Promise.all(work),
  };
}

describe("spans", () => {
  test("of many requests wait a moment and go in one piece", async () => {
    const { add, wake, done, sent, sleepers, counted } = start();
    for (let at = 0; at < 20; at++) add(6);
    expect(sleepers).toHaveLength(1);
    wake();
    await done();
    expect([sent, counted.exported]).toEqual([[120], 120]);
  });

  test("go at once where there are enough for a batch", async () => {
    const { add, done, sent } = start();
    add(1_000);
    add(100);
    expect(sent).toEqual([1_024]);
    await Promise.race([done(), Promise.resolve()]);
  });

  test("past the queue's end are dropped and counted, and later ones are taken again", async () => {
    let open = () => {};
    const held = new Promise<Response>((resolve) => {
      open = () => resolve(new Response("{}"));
    });
    const { add, wake, done, sent, counted } = start(() => held);
    for (let at = 0; at < 60; at++) add(100);
    expect(sent).toEqual([1_024]);
    expect(counted.dropped).toBeGreaterThan(0);
    expect(counted.dropped).toBeLessThan(6_000 - 4_096);
    open();
    wake();
    await done();
    expect(counted.exported + counted.dropped).toBeLessThanOrEqual(6_000);
    const before = counted.dropped;
    add(6);
    expect(counted.dropped).toBe(before);
  });

  test("of a batch that is not taken are gone, and the next is tried", async () => {
    let status = 500;
    const { add, wake, done, counted } = start(async () => new Response("{}", { status }));
    add(6);
    wake();
    await done();
    status = 200;
    add(6);
    wake();
    await done();
    expect(counted).toEqual({ exported: 6, failed: 6, dropped: 0 });
  });

  test("behind a batch that is not taken wait for another request: the collector is not asked again at once", async () => {
    const { add, sent, counted } = start(async () => new Response("{}", { status: 503 }));
    add(1_000);
    add(100);
    await expect.poll(() => counted.failed).toBeGreaterThan(0);
    expect([sent, counted.failed]).toEqual([[1_024], 1_024]);
  });

  test("planned by a request that died are sent by a later one", async () => {
    const { add, pass, wake, done, sleepers, counted } = start();
    add(6);
    sleepers.length = 0;
    add(6);
    expect(sleepers).toHaveLength(0);
    pass(12_000);
    add(6);
    expect(sleepers).toHaveLength(1);
    wake();
    await Promise.race([done(), new Promise((resolve) => setTimeout(resolve, 20))]);
    expect(counted.exported).toBe(18);
  });

  test.each([
    ['{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}', 3],
    ['{"partialSuccess":{"rejectedSpans":9}}', 0],
    ['{"partialSuccess":{"errorMessage":"only a warning"}}', 5],
    ["", 5],
  ])("that a collector rejects in a 200 are counted as failed: %s", async (body, taken) => {
    const { add, wake, done, counted } = start(async () => new Response(body));
    add(5);
    wake();
    await done();
    expect(counted).toEqual({ exported: taken, failed: 5 - taken, dropped: 0 });
  });
});
