import { describe, expect, test } from "vitest";
import { estimateTokens } from "../../../edge/pipeline/token-bounds.ts";
import { addUsage, CallMeter, createUsageMeter } from "../../../edge/pipeline/usage-meter.ts";
import type { ChatEvent, ContentPart, Usage } from "../../../shared/chat.ts";
import { saying } from "../support/chat-request.ts";

const usage = (input: number, output: number, more: Partial<Usage> = {}): Usage => ({
  input,
  output,
  total: input + output,
  cachedInput: 0,
  cacheWrite: 0,
  reasoning: 0,
  ...more,
});
const text = (value: string): ChatEvent => ({ type: "text-delta", choice: 0, block: 0, text: value });

describe("the meter of a call", () => {
  test("counts at least one token for each delta that carried text", () => {
    const meter = new CallMeter();
    for (let index = 0; index < 17; index++) meter.observe([text("a")]);
    expect(meter.countedOutput).toBe(17);
  });

  test("counts what was thought, refused and written into tool arguments too", () => {
    const meter = new CallMeter();
    meter.observe([
      { type: "reasoning-delta", choice: 0, block: 0, text: "hmm, well" },
      { type: "refusal-delta", choice: 0, block: 1, text: "no" },
      { type: "tool-call-start", choice: 0, block: 2, id: "a", name: "find" },
      { type: "tool-call-delta", choice: 0, block: 2, arguments: '{"q":"x"}' },
    ]);
    expect(meter.countedOutput).toBe(estimateTokens("hmm, well") + 1 + 1 + 3);
  });

  test("keeps the latest report and the first error", () => {
    const meter = new CallMeter();
    meter.observe([
      { type: "usage", usage: usage(5, 1) },
      { type: "finish", choice: 0, reason: "length", raw: "length" },
    ]);
    meter.observe([
      { type: "usage", usage: usage(5, 9) },
      { type: "finish", choice: 1, reason: "stop", raw: "stop" },
      { type: "error", code: "upstream_error", message: "first" },
      { type: "error", code: "upstream_error", message: "second" },
    ]);
    expect(meter.reported).toEqual(usage(5, 9));
    expect(meter.error?.message).toBe("first");
  });

  test("an explicit report of nothing is a report (failures 2)", () => {
    const meter = new CallMeter();
    meter.observe([{ type: "usage", usage: usage(0, 0) }]);
    expect(meter.reported).toEqual(usage(0, 0));
  });
});

test("usage of several calls adds up, field by field, and invents no field", () => {
  const sum = addUsage(usage(10, 2, { cachedInput: 3, costUsd: 0.5 }), usage(7, 1, { reasoning: 4 }));
  expect(sum).toEqual(usage(17, 3, { cachedInput: 3, reasoning: 4, costUsd: 0.5 }));
});

test("a prompt of many parts is counted once for all the choices that send it, reported or cut", () => {
  const request = saying(...Array.from({ length: 23_000 }, (): ContentPart => ({ type: "text", text: "a" })));
  const meter = createUsageMeter({ model: "vendor/model", contextWindow: 1_000_000 }, 23_000);
  const startedAt = performance.now();
  for (let seed = 0; seed < 128; seed++) {
    const observer = meter.open({ ...request, seed }, 10);
    observer.named(`gen-${seed}`);
    if (seed % 2 === 0) observer.observe([text("a"), { type: "usage", usage: usage(23_000, 1) }]);
  }
  meter.takeUnreported();
  expect(meter.list().map((call) => call.usage.input)).toEqual(
    Array.from({ length: 64 }, () => [23_000, 5_782]).flat(),
  );
  // Counted for each call it took 11 s.
  expect(performance.now() - startedAt).toBeLessThan(2_500);
});
