// Ways in which callers once got answers without being charged, or spent the operator's money: each is charged now.
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { listLedger } from "../../../edge/db/accounts.ts";
import { build, prepare } from "../../../edge/db/client.ts";
import type { PlanRequest } from "../../../shared/planning.ts";
import { openTestDatabase } from "../support/accounts.ts";
import {
  eventStream,
  type newCaller,
  openaiStream,
  openaiUsage,
  type Sent,
  testPlan,
} from "../support/app.ts";
import { credit, encoder, hanging, hello, open, sleep, streamed } from "../support/charged-stream.ts";

/** gpt-4o, micro-dollars a token. */
const price = { input: 2.5, output: 10 };

const frame = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const word = (content: string) => frame({ choices: [{ index: 0, delta: { content } }] });
const end = frame({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
const report = (usage: object) => frame({ choices: [], usage });

async function untilCharged(caller: Awaited<ReturnType<typeof newCaller>>, waitMs = 15_000) {
  for (const deadline = Date.now() + waitMs; Date.now() < deadline; await sleep(10)) {
    const [charge] = await caller.charges();
    if (charge) return charge;
  }
  throw new Error("nothing was charged");
}

describe("fields on the operator's key (books 1)", () => {
  const bought = {
    route: "fallback",
    provider: { order: ["dear"] },
    plugins: [{ id: "web" }],
    preset: "mine",
    transforms: ["middle-out"],
    web_search_options: {},
    prediction: { type: "content", content: "x" },
    never_heard_of: 1,
    service_tier: "priority",
    modalities: ["text", "audio"],
  };

  test("that could buy things stay behind, all named; harmless ones travel", async () => {
    const harmless = { min_p: 0.1, top_a: 0.2, repetition_penalty: 1.1, verbosity: "low" };
    const { sent, response } = await open({}, { ...hello, ...bought, ...harmless });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-svc-unsupported")?.split(", ").sort()).toEqual(Object.keys(bought).sort());
    for (const name of Object.keys(bought)) expect(sent[0]?.body).not.toHaveProperty(name);
    expect(sent[0]?.body).toMatchObject(harmless);
  });

  test("travel with the caller's own key, whose bill it is", async () => {
    const { sent } = await open({}, { ...hello, plugins: [{ id: "web" }] }, { "x-router-key": "sk-or-own" });
    expect(sent[0]?.body.plugins).toEqual([{ id: "web" }]);
  });

  test.each([
    ["more than our price is charged and flagged", 0.01, 12_502, "cost_above_price"],
    ["less than our price is not believed", 0.000001, 64, null],
    ["more than the hold is charged up to it", 100, undefined, "cost_above_price"],
    ["nonsense is no cost", -5, 64, null],
  ])("a reported cost of %s", async (_what, cost, expected, flag) => {
    const usage = { ...openaiUsage(12, 2), cost };
    const { response, charge, caller } = await open({ provider: [() => openaiStream(["Hi"], usage)] }, hello);
    await response.text();
    const row = await charge();
    expect(row.flag).toBe(flag);
    if (expected !== undefined) expect(-row.amountMicro).toBe(expected);
    else expect(-row.amountMicro).toBeGreaterThan(50_000);
    expect(row.reportedCostMicro).toBe(Math.max(0, Math.round(cost * 1_000_000)));
    expect((await caller.account())!.balanceMicro).toBe(credit + row.amountMicro);
  });
});

describe("a request that lives too long (books 2)", () => {
  test("is ended by its deadline, and every choice that was written is charged", async () => {
    const provider = hanging(...Array.from({ length: 20 }, () => word("w")));
    const body = { ...streamed, n: 3, max_tokens: 100 };
    const { response, charge } = await open(
      { provider: [provider], requestLimits: { deadlineMs: 1_000 } },
      body,
    );
    const text = await response.text();
    expect(text).toContain("upstream_timeout");
    expect(text).not.toContain("[DONE]");
    expect(await charge()).toMatchObject({ outcome: "error", reason: "deadline", outputTokens: 60 });
  });

  test("is 504 where its provider has not even begun by then", async () => {
    const provider = ({ signal }: Sent) =>
      new Promise<Response>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    const options = { provider: [provider], requestLimits: { deadlineMs: 100 } };
    const { response } = await open(options, streamed);
    expect(response.status).toBe(504);
  });

  test("in JSON gets 504 and is charged the same", async () => {
    const provider = hanging(word("a"), word("b"));
    const { response, charge } = await open(
      { provider: [provider], requestLimits: { deadlineMs: 1_000 } },
      hello,
    );
    expect(response.status).toBe(504);
    expect(await charge()).toMatchObject({ reason: "deadline", outputTokens: 2 });
  });

  test("whose reader stalls is charged in full as soon as the provider is done", async () => {
    const frames = [...Array.from({ length: 30_000 }, () => word("w")), end, report(openaiUsage(9, 5_000))];
    const provider = () => eventStream(frames.join(""));
    const options = { provider: [provider], requestLimits: { patienceMs: 100 } };
    const { response, caller } = await open(options, { ...streamed, max_tokens: 30_000 });
    const reader = response.body!.getReader();
    await reader.read();
    expect(await untilCharged(caller)).toMatchObject({ outputTokens: 5_000, outcome: "completed" });
    // Who comes back gets what was kept, and is told of the rest.
    let text = "";
    for (let read = await reader.read(); !read.done; read = await reader.read())
      text += new TextDecoder().decode(read.value);
    expect(text).toContain('"content":"w"');
    expect(text).toContain("nobody read it");
    expect(text).not.toContain("[DONE]");
  });

  test("whose reader stalls while the provider writes is charged at the deadline", async () => {
    const provider = hanging(word("a"), word("b"), word("c"));
    const { response, caller } = await open(
      { provider: [provider], requestLimits: { deadlineMs: 1_000 } },
      streamed,
    );
    await response.body!.getReader().read();
    expect(await untilCharged(caller)).toMatchObject({ reason: "deadline", outputTokens: 3 });
  });

  test("leaves word of itself, so that the sweep neither frees its hold nor forgets what it used", async () => {
    const { releaseExpired } = await import("../../../edge/billing/sweep.ts");
    const database = openTestDatabase();
    // A clock of its own, long ago: no other test's hold is near.
    let now = -9_000_000_000_000;
    const provider = hanging(word("a"), word("b"), word("c"));
    const options = { provider: [provider], now: () => now, requestLimits: { progressMs: 40 } };
    const { caller, response } = await open(options, streamed);
    await response.body!.getReader().read();
    // What it says of itself is as late as its clock from here on.
    now += 800_000;
    const said = prepare(
      build.all(sql`SELECT seen_at FROM hold_progress JOIN holds ON holds.id = hold_id
        WHERE account_id = ${caller.accountId} AND seen_at >= ${now}
          AND charge_micro >= ${3 * price.output}`),
    );
    await expect.poll(() => database.execute(said)).toHaveLength(1);
    await releaseExpired(database, { now: now + 200_000 });
    expect((await caller.account())?.openHolds).toBe(1);
    // It says nothing any more: its edge was killed.
    await releaseExpired(database, { now: now + 900_001 });
    const [row] = await listLedger(database, caller.accountId, 1);
    expect(row).toMatchObject({ kind: "charge", flag: "settled_by_sweep", outcome: "error" });
    expect(-row!.amountMicro).toBeGreaterThanOrEqual(3 * price.output);
    expect((await caller.account())?.openHolds).toBe(0);
  });
});

describe("leaving while calls run (books 3)", () => {
  const planned = async ({ history }: PlanRequest) => ({
    ...testPlan,
    steps: testPlan.steps.slice(history.length),
  });

  test("a loop left in its second call: the first by its report, the second by our count", async () => {
    const written = Array.from({ length: 600 }, () => word("w "));
    const first = () => openaiStream(["step"], openaiUsage(10, 1));
    const options = { provider: [first, hanging(...written)], plan: planned };
    const left = await open(options, { ...streamed, svc: { max_llm_calls: 2 } });
    const reader = left.response.body!.getReader();
    for (let text = ""; text.split('"w "').length <= 600; )
      text += new TextDecoder().decode((await reader.read()).value);
    reader.releaseLock();
    await left.leave();
    const row = await left.charge();
    expect(row).toMatchObject({ outcome: "client_left", flag: "usage_missing" });
    expect(row.outputTokens).toBe(601);
  });

  test("n = 2 left when one has ended: that by its report, the other by our count", async () => {
    const written = Array.from({ length: 591 }, () => word("w "));
    const options = { provider: [() => openaiStream(["x"], openaiUsage(10, 1)), hanging(...written)] };
    const left = await open(options, { ...streamed, n: 2 });
    const reader = left.response.body!.getReader();
    for (let text = ""; text.split('"w "').length <= 591 || !text.includes('"finish_reason":"stop"'); )
      text += new TextDecoder().decode((await reader.read()).value);
    reader.releaseLock();
    await left.leave();
    expect((await left.charge()).outputTokens).toBe(592);
  });

  test("a report in mid-answer does not hide what is written after it", async () => {
    const frames = [word("a"), report(openaiUsage(5, 1)), word("b"), word("c")];
    const left = await open({ provider: [hanging(...frames)] }, streamed);
    const reader = left.response.body!.getReader();
    for (let text = ""; !text.includes('"c"'); )
      text += new TextDecoder().decode((await reader.read()).value);
    reader.releaseLock();
    await left.leave();
    expect(await left.charge()).toMatchObject({ inputTokens: 5, outputTokens: 3 });
  });

  test("n = 3 of which one is refused: the others' prompts are charged, not given away", async () => {
    const refusal = () => Response.json({ error: { message: "no" } }, { status: 400 });
    const { response, charge } = await open(
      { provider: [hanging(word("a")), refusal, hanging(word("b"))] },
      { ...hello, n: 3 },
    );
    expect(response.status).toBe(400);
    const row = await charge();
    expect(row.inputTokens).toBeGreaterThan(0);
    expect(row.outcome).toBe("error");
  });
});

describe("the prompt that is sent (books 4)", () => {
  test("with the plan in it is bounded: honest usage and reasoning are charged whole", async () => {
    const usage = {
      ...openaiUsage(37, 5_000),
      completion_tokens_details: { reasoning_tokens: 4_990 },
    };
    const { response, charge } = await open({ provider: [() => openaiStream(["ok"], usage)] }, hello);
    await response.text();
    const row = await charge();
    expect(row).toMatchObject({ flag: null, inputTokens: 37, outputTokens: 5_000, reasoningTokens: 4_990 });
    expect(-row.amountMicro).toBeGreaterThan((37 * price.input + 5_000 * price.output) * 1.25);
  });

  test("usage beyond what was held is charged up to it", async () => {
    const usage = openaiUsage(12, 9_000);
    const { response, charge } = await open({ provider: [() => openaiStream(["ok"], usage)] }, hello);
    await response.text();
    expect(await charge()).toMatchObject({ flag: "usage_out_of_bounds", outputTokens: 6_000 });
  });
});

describe("a JSON answer on a caller's own key (books 8)", () => {
  test("may take longer than the first byte may", async () => {
    let words = 0;
    const slow = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await sleep(50);
        if (++words <= 8) return controller.enqueue(encoder.encode(word("w")));
        controller.enqueue(encoder.encode(end + report(openaiUsage(3, 8))));
        controller.close();
      },
    });
    const provider = () => eventStream(slow);
    const limits = { firstByteMs: 150, idleMs: 150, totalMs: 5_000 };
    const own = { "x-alpha-key": "sk-own" };
    const { response, sent } = await open({ provider: [provider], limits }, hello, own);
    expect(sent[0]?.body.stream).toBe(true);
    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: "wwwwwwww" }, finish_reason: "stop" }],
      usage: { completion_tokens: 8 },
    });
  });

  test("is asked for in one piece where the provider refuses to stream to this key", async () => {
    const refusal = () =>
      Response.json(
        { error: { message: "Your organization must be verified to stream this model.", param: "stream" } },
        { status: 400 },
      );
    const whole = async () => {
      await sleep(300);
      const message = { role: "assistant", content: "Hi" };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      return Response.json({ id: "x", choices, usage: openaiUsage(3, 1) });
    };
    const limits = { firstByteMs: 150, idleMs: 150, totalMs: 5_000 };
    const own = { "x-alpha-key": "sk-own" };
    const { response, sent } = await open({ provider: [refusal, whole], limits }, hello, own);
    expect(response.status).toBe(200);
    expect(sent.map(({ body }) => body.stream)).toEqual([true, undefined]);
  });

  test.each([
    ["429", 429, "Too many concurrent stream requests."],
    ["400 for something else", 400, "max_tokens is too large."],
  ])("is not asked for in one piece after a %s", async (_name, status, message) => {
    const provider = [() => Response.json({ error: { message } }, { status })];
    const { response, sent } = await open({ provider }, hello, { "x-alpha-key": "sk-own" });
    await response.settled();
    expect([response.status, sent.length]).toEqual([status, 1]);
  });
});
