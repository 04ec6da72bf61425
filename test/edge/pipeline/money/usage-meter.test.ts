import { describe, expect, test } from "vitest";
import { addUsage } from "../../../../edge/billing/settled-usage.ts";
import { CallMeter, createUsageMeter } from "../../../../edge/pipeline/money/usage-meter.ts";
import type { ChatEvent, ContentPart, Usage } from "../../../../shared/chat.ts";
import { leastMs } from "../../../support/least-ms.ts";
import { saying } from "../../support/chat-request.ts";

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
    // 24 characters, four a token.
    expect(meter.countedOutput).toBe(6);
  });

  test("rounds once, not for each delta, as most providers send a token in each", () => {
    const sentence =
      "The| harbour| master| has| agreed| that| the| ferry| may| leave| an| hour| later| today|,| if| the| sea| is| calm| enough";
    const meter = new CallMeter();
    for (const token of sentence.split("|")) meter.observe([text(token)]);
    // 21 tokens of o200k in 101 characters; with each rounded up they were 32.
    expect(meter.countedOutput).toBe(26);
  });

  test.each([
    ["words", "The harbour master has agreed that the ferry may leave later.", false],
    ["code", "const left = await ferry.leave(harbour, { hours: 1 });\n", false],
    ["JSON", '{"id": "ferry-7", "leaves": 14, "open": true, "seats": [3, 5]}', false],
    ["a table", "7,14:30,2026-11-28,OK\n", true],
    ["Chinese", "港务长同意渡轮晚一小时离开。", true],
  ])("whether %s are hard to count", (_what, piece, hard) => {
    const meter = new CallMeter();
    meter.observe(Array.from({ length: 20 }, () => text(piece)));
    expect(meter.isHardToCount()).toBe(hard);
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

  test.each<[string, Usage, Usage, number]>([
    ["of nothing does not replace a real one", usage(20, 9), usage(0, 0), 0],
    ["of a cost alone does not replace one of tokens", usage(20, 9), usage(0, 0, { costUsd: 0.1 }), 0],
    ["of tokens that cost nothing replaces another", usage(20, 1), usage(20, 9, { costUsd: 0 }), 1],
    ["of tokens replaces one of nothing", usage(0, 0), usage(20, 9), 1],
  ])("a later report %s", (_what, earlier, later, kept) => {
    const meter = new CallMeter();
    meter.observe([
      { type: "usage", usage: earlier },
      { type: "usage", usage: later },
    ]);
    expect(meter.reported).toBe([earlier, later][kept]);
  });

  test.each<[string, Usage[], number]>([
    ["alone, after tokens", [usage(20, 9), usage(0, 0, { costUsd: 0.1 })], 0.1],
    ["before a report that leaves it out", [usage(20, 9, { costUsd: 0.1 }), usage(20, 9)], 0.1],
    ["before one of nothing", [usage(20, 9, { costUsd: 0.1 }), usage(0, 0, { costUsd: 0 })], 0.1],
    ["that a later report corrects", [usage(20, 9, { costUsd: 0.1 }), usage(20, 9, { costUsd: 0 })], 0],
  ])("keeps a cost %s", (_what, reports, cost) => {
    const meter = new CallMeter();
    meter.observe(reports.map((each): ChatEvent => ({ type: "usage", usage: each })));
    expect(meter).toMatchObject({ costUsd: cost, reported: { input: 20, output: 9 } });
  });

  test("a cost beside no tokens leaves them to our count", () => {
    const meter = new CallMeter();
    meter.observe([text("word"), { type: "usage", usage: usage(0, 0, { costUsd: 0.1 }) }]);
    expect([meter.reported, meter.costUsd, meter.countedOutput]).toEqual([undefined, 0.1, 1]);
  });

  test("an explicit report of nothing is a report (failures 2)", () => {
    const meter = new CallMeter();
    meter.observe([{ type: "usage", usage: usage(0, 0) }]);
    expect(meter.reported).toEqual(usage(0, 0));
  });
});

describe("an answer that ended", () => {
  const endWith = (...events: ChatEvent[]) => {
    const meter = createUsageMeter({ model: "vendor/model", contextWindow: 1_000 }, 100);
    const observer = meter.open(saying({ type: "text", text: "hi" }), 600);
    observer.observe(events);
    observer.ended();
    return meter.list()[0]!;
  };
  const words = Array.from({ length: 200 }, () => text("word"));

  test.each([0, 1])(
    "is charged our count after a report of the prompt and %i tokens (failures 77)",
    (output) => {
      expect(endWith({ type: "usage", usage: usage(20, output) }, ...words)).toMatchObject({
        usage: { input: 20, output: 200, total: 220 },
      });
    },
  );

  test.each([-5, 1.5])("is charged our count, with a flag, after a report of %d tokens", (output) => {
    expect(endWith({ type: "usage", usage: usage(20, output) }, ...words)).toMatchObject({
      usage: { output: 200 },
      flag: "usage_invalid",
    });
  });

  test("is charged a cost that was reported without tokens, also where it failed", () => {
    const report: ChatEvent = { type: "usage", usage: usage(0, 0, { costUsd: 0.1 }) };
    const failure: ChatEvent = { type: "error", code: "upstream_error", message: "gone" };
    expect(endWith(...words, report)).toMatchObject({
      usage: { output: 200 },
      flag: "usage_missing",
      reportedCostUsd: 0.1,
    });
    expect(endWith(failure, report)).toMatchObject({ reportedCostUsd: 0.1 });
  });

  test("is charged our count, not the sum, if it went on after its last report", () => {
    const report: ChatEvent = { type: "usage", usage: usage(20, 50) };
    expect(endWith(...words.slice(0, 50), report, ...words.slice(50))).toMatchObject({
      usage: { output: 200 },
    });
  });

  test("is charged a report of the whole answer that came before it", () => {
    expect(endWith({ type: "usage", usage: usage(20, 150) }, ...words)).toMatchObject({
      usage: { output: 150 },
    });
  });

  test("is charged nothing where the report before its first word and the last one say so", () => {
    const report: ChatEvent = { type: "usage", usage: usage(0, 0) };
    expect(endWith(report, ...words, report)).toMatchObject({ usage: { input: 0, output: 0 } });
  });

  test("is charged its real report where one of nothing follows", () => {
    const reports = [usage(20, 150), usage(0, 0)].map((each): ChatEvent => ({ type: "usage", usage: each }));
    expect(endWith(...words, ...reports)).toMatchObject({ usage: { input: 20, output: 150 } });
  });

  test("is charged its final report, though a call's arguments are only told at the end", () => {
    const report: ChatEvent = { type: "usage", usage: usage(20, 12) };
    const held: ChatEvent = { type: "tool-call-delta", choice: 0, block: 0, arguments: "{}" };
    expect(endWith(text("a"), report, held)).toMatchObject({ usage: { input: 20, output: 12 } });
  });
});

test("usage of several calls adds up, field by field, and invents no field", () => {
  const sum = addUsage(usage(10, 2, { cachedInput: 3, costUsd: 0.5 }), usage(7, 1, { reasoning: 4 }));
  expect(sum).toEqual(usage(17, 3, { cachedInput: 3, reasoning: 4, costUsd: 0.5 }));
});

test("a prompt of many parts is counted once for all the choices that send it, reported or cut", async () => {
  const request = saying(...Array.from({ length: 23_000 }, (): ContentPart => ({ type: "text", text: "a" })));
  const countAll = () => {
    const meter = createUsageMeter({ model: "vendor/model", contextWindow: 1_000_000 }, 23_000);
    for (let seed = 0; seed < 128; seed++) {
      const observer = meter.open({ ...request, seed }, 10);
      observer.named(`gen-${seed}`);
      if (seed % 2 === 0) observer.observe([text("a"), { type: "usage", usage: usage(23_000, 1) }]);
    }
    meter.takeUnreported();
    expect(meter.list().map((call) => call.usage.input)).toEqual(
      Array.from({ length: 64 }, () => [23_000, 5_782]).flat(),
    );
  };
  // Counted for each call it took 11 s.
  expect(await leastMs(2_500, countAll)).toBeLessThan(2_500);
});

test("a call counts as pending while it is asked about: a further model's hold has to cover all of it", () => {
  const meter = createUsageMeter({ model: "vendor/model", contextWindow: 1_000, thinks: true }, 10);
  const [cut, ended] = [0, 1].map(() => meter.open(saying({ type: "text", text: "hi" }), 10));
  ended!.ended();
  cut!.named("gen-1");
  expect([meter.isPending(), meter.takeUnreported().length, meter.isPending()]).toEqual([true, 1, true]);
  cut!.ended();
  expect(meter.isPending()).toBe(false);
});

test("no later report is asked for of a call that the provider itself ended with an error", () => {
  const takeAfter = (isFailed: boolean) => {
    const meter = createUsageMeter({ model: "vendor/model", contextWindow: 1_000, thinks: true }, 10);
    const observer = meter.open(saying({ type: "text", text: "hi" }), 10);
    observer.named("gen-1");
    if (isFailed) observer.observe([{ type: "error", code: "upstream_error", message: "" }]);
    return meter.takeUnreported().map(({ id }) => id);
  };
  expect([false, true].map(takeAfter)).toEqual([["gen-1"], []]);
});
