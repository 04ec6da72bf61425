import { describe, expect, test } from "vitest";
import { openTrace, readTraceparent, writeTraceparent } from "../../../edge/telemetry/trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parentId = "00f067aa0ba902b7";
const always = { ratio: 1, byParent: true };
const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));

describe("traceparent", () => {
  test.each([
    ["a sampled one", `00-${traceId}-${parentId}-01`, true],
    ["one that is not sampled", `00-${traceId}-${parentId}-00`, false],
    ["other flags", `00-${traceId}-${parentId}-03`, true],
    ["a later version with more", `cc-${traceId}-${parentId}-01-what-comes`, true],
  ])("%s is read", (_name, header, sampled) => {
    expect(readTraceparent(header)).toEqual({ traceId, parentId, sampled });
  });

  test.each([
    null,
    "",
    "canary prompt",
    `00-${traceId}-${parentId}`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    `00-${"0".repeat(32)}-${parentId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId}-${parentId}-01-more`,
    `ff-${traceId}-${parentId}-01`,
  ])("%s begins a trace of our own", (header) => {
    expect(readTraceparent(header)).toBeUndefined();
    const trace = openTrace(header, always, randomBytes);
    expect(trace).toMatchObject({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/), parentId: undefined });
    expect(trace.sampled).toBe(true);
  });

  test("goes on with a span of ours under the caller's trace", () => {
    const trace = openTrace(`00-${traceId}-${parentId}-01`, always, randomBytes);
    expect(trace).toMatchObject({ traceId, parentId, sampled: true });
    expect(writeTraceparent(trace, trace.spanId)).toBe(`00-${traceId}-${trace.spanId}-01`);
    expect(trace.spanId).not.toBe(parentId);
  });
});

describe("sampling", () => {
  const share = (ratio: number) => {
    const ids = Array.from({ length: 2_000 }, () => openTrace(null, { ratio, byParent: true }, randomBytes));
    return ids.filter(({ sampled }) => sampled).length / 2_000;
  };

  test("takes about its share, none at 0 and all at 1", () => {
    expect(share(0)).toBe(0);
    expect(share(1)).toBe(1);
    expect(share(0.25)).toBeGreaterThan(0.2);
    expect(share(0.25)).toBeLessThan(0.3);
  });

  test("of one trace is the same wherever it is decided", () => {
    const header = `00-${traceId}-${parentId}-00`;
    const decided = [0.1, 0.5].map((ratio) =>
      Array.from({ length: 5 }, () => openTrace(header, { ratio, byParent: false }, randomBytes).sampled),
    );
    for (const same of decided) expect(new Set(same).size).toBe(1);
  });

  test("is the caller's choice only where the parent decides", () => {
    const on = `00-${traceId}-${parentId}-01`;
    const off = `00-${traceId}-${parentId}-00`;
    expect(openTrace(on, { ratio: 0, byParent: true }, randomBytes).sampled).toBe(true);
    expect(openTrace(off, { ratio: 1, byParent: true }, randomBytes).sampled).toBe(false);
    expect(openTrace(on, { ratio: 0, byParent: false }, randomBytes).sampled).toBe(false);
    expect(openTrace(off, { ratio: 1, byParent: false }, randomBytes).sampled).toBe(true);
  });
});
