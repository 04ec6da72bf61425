// A second try before the first content, on the pool only; always one charge.
import { describe, expect, test } from "vitest";
import {
  createTestApp,
  eventStream,
  newCaller,
  openaiStream,
  openaiUsage,
  type Sent,
} from "../support/app.ts";

const hello = {
  model: "svc-x1ac-base-gpt-4o",
  messages: [{ role: "user", content: "Hello" }],
  max_tokens: 50,
  stream: true,
};

type Answer = () => Response;
const refusal =
  (status: number, host?: string, headers: Record<string, string> = {}): Answer =>
  () =>
    Response.json(
      { error: { code: status, message: "no capacity", ...(host && { metadata: { provider_name: host } }) } },
      { status, headers },
    );
const frame = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const stream =
  (...frames: object[]): Answer =>
  () =>
    eventStream([": OPENROUTER PROCESSING\n\n", ...frames.map(frame)].join(""));
const role = { choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] };
const word = { choices: [{ index: 0, delta: { content: "Hel" }, finish_reason: null }] };
const failed = (code: number, host = "Deep Infra") => ({
  choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
  error: { code, message: "host fell over", metadata: { provider_name: host } },
});
const flagged: Answer = () =>
  Response.json(
    {
      error: {
        code: 403,
        message: "Your input was flagged",
        metadata: { reasons: ["violence"], flagged_input: "Hel...", provider_name: "OpenInference" },
      },
    },
    { status: 403 },
  );
const good: Answer = () => openaiStream(["Hello"], openaiUsage(12, 1));

async function ask(answers: Answer[], headers: Record<string, string> = {}, body: object = {}) {
  const caller = await newCaller(1_000_000);
  const { chat, sent } = createTestApp({ provider: answers });
  const response = await chat(caller.apiKey, { ...hello, ...body }, headers);
  const text = await response.text();
  await response.settled();
  const charges = await caller.charges();
  return { status: response.status, text, sent, charges, account: await caller.account() };
}
const ignored = ({ body }: Sent) => (body.provider as { ignore?: string[] } | undefined)?.ignore;

describe("on the pool", () => {
  test.each([408, 429, 500, 502, 503, 529])("a host's %i goes to another host", async (status) => {
    const {
      status: answered,
      text,
      sent,
      charges,
      account,
    } = await ask([refusal(status, "Deep Infra"), good]);
    expect([answered, sent.length]).toEqual([200, 2]);
    expect(text).toContain("Hello");
    expect(sent.map(ignored)).toEqual([undefined, ["deep-infra"]]);
    expect(charges).toHaveLength(1);
    expect(account?.openHolds).toBe(0);
  });

  test("where nobody is named, the same is asked once more", async () => {
    const { status, sent } = await ask([refusal(502), good]);
    expect([status, sent.length, sent.map(ignored)]).toEqual([200, 2, [undefined, undefined]]);
  });

  test.each([
    ["the pool", {}],
    ["a caller's own key", { "x-router-key": "sk-or-own" }],
  ])("an input that the aggregator flags is refused as such, on %s", async (_, headers) => {
    const { status, sent, text } = await ask([flagged, good], headers);
    expect([status, sent.length]).toEqual([400, 1]);
    const { error } = JSON.parse(text);
    expect([error.code, error.message]).toEqual([
      "upstream_rejected",
      expect.stringContaining("Your input was flagged: violence"),
    ]);
    expect(text).not.toContain("Hel...");
  });

  test("an aggregator that asks for patience is told to the caller", async () => {
    const { status, sent } = await ask([refusal(429, undefined, { "retry-after": "30" }), good]);
    expect([status, sent.length]).toEqual([429, 1]);
  });

  test("two failures are the first one's error, and cost nothing", async () => {
    const { status, sent, charges } = await ask([refusal(429, "A"), refusal(500, "B"), good]);
    expect([status, sent.length]).toEqual([429, 2]);
    expect(charges.filter(({ amountMicro }) => amountMicro !== 0)).toEqual([]);
  });

  test.each([400, 401, 402, 404, 422])("%i is not the host's fault", async (status) => {
    const { sent } = await ask([refusal(status, "A"), good]);
    expect(sent).toHaveLength(1);
  });

  test("a failure in place of the first word goes elsewhere too (failures 19)", async () => {
    const { status, text, sent, charges } = await ask([stream(role, failed(502)), good]);
    expect([status, sent.length, sent.map(ignored)]).toEqual([200, 2, [undefined, ["deep-infra"]]]);
    expect(text).toContain("Hello");
    expect(text).not.toContain("fell over");
    expect(charges).toMatchObject([{ outputTokens: 1, outcome: "completed", flag: null }]);
  });

  test.each([
    ["tokens", openaiUsage(12, 50)],
    ["tokens with a total of 0", { ...openaiUsage(12, 50), total_tokens: 0 }],
    ["a cost without tokens", { ...openaiUsage(0, 0), cost: 0.01 }],
  ])("a failure that has reported %s is not asked again: the hold covers one call", async (_what, usage) => {
    const thought = { choices: [], usage };
    const { status, sent, charges } = await ask([stream(role, thought, failed(502)), good]);
    expect([status, sent.length]).toEqual([502, 1]);
    expect(charges).toMatchObject([{ outputTokens: usage.completion_tokens, outcome: "error" }]);
    expect(charges[0]!.amountMicro).toBeLessThan(0);
  });

  test("both failing before a word is an HTTP error, not a 200 (failures 19)", async () => {
    const { status, sent, account } = await ask([
      stream(role, failed(502)),
      stream(role, failed(503, "B")),
      good,
    ]);
    expect([status, sent.length]).toEqual([502, 2]);
    expect(account?.openHolds).toBe(0);
  });

  test("what the host finds wrong with the request is not asked again", async () => {
    const { sent } = await ask([stream(role, failed(400)), good]);
    expect(sent).toHaveLength(1);
  });

  test("after a word there is no second try, and the caller sees the error (failures 30)", async () => {
    const { status, text, sent } = await ask([stream(role, word, failed(502)), good]);
    expect([status, sent.length]).toEqual([200, 1]);
    expect(text).toContain("fell over");
    expect(text).not.toContain("[DONE]");
  });

  test("a caller's own routing stays behind: it could choose a dearer host", async () => {
    const { sent } = await ask([refusal(503, "A"), good], {}, { provider: { sort: "price", ignore: ["x"] } });
    expect(sent.map(({ body }) => body.provider)).toEqual([undefined, { ignore: ["a"] }]);
  });

  test("and JSON answers alike", async () => {
    const { status, text, sent, charges } = await ask(
      [stream(role, failed(502)), good],
      {},
      { stream: false },
    );
    expect([status, sent.length]).toEqual([200, 2]);
    expect(JSON.parse(text)).toMatchObject({ choices: [{ message: { content: "Hello" } }] });
    expect(charges).toHaveLength(1);
  });
});

describe("on a caller's own key", () => {
  test.each([
    ["x-router-key", 429],
    ["x-router-key", 500],
    ["x-alpha-key", 502],
  ])("with %s a %i goes nowhere else", async (header, status) => {
    const { status: answered, sent } = await ask([refusal(status, "A"), good], { [header]: "sk-or-own" });
    expect(answered).not.toBe(200);
    expect(sent).toHaveLength(1);
  });

  test("a busy provider is asked once more itself, nobody avoided", async () => {
    const { sent } = await ask([refusal(503, "A"), good], { "x-router-key": "sk-or-own" });
    expect(sent.map(ignored)).toEqual([undefined, undefined]);
  });

  test("a failure in place of the first word is the caller's to see", async () => {
    const { sent } = await ask([stream(role, failed(502)), good], { "x-router-key": "sk-or-own" });
    expect(sent).toHaveLength(1);
  });
});

test.each([
  ["on the pool", {}],
  ["on a caller's own key", { "x-router-key": "sk-or-own" }],
])("a short Retry-After is waited for before the second try, %s", async (_, headers) => {
  const caller = await newCaller(1_000_000);
  const pauses: number[] = [];
  const sleep = async (milliseconds: number) => void pauses.push(milliseconds);
  const { chat, sent } = createTestApp({
    provider: [refusal(503, undefined, { "retry-after": "2" }), good],
    sleep,
  });
  const response = await chat(caller.apiKey, hello, headers);
  expect([response.status, sent.length]).toEqual([200, 2]);
  expect(pauses).toContain(2_000);
});

describe("once the request has ended, in the pause before the second try", () => {
  const own = { "x-router-key": "sk-or-own" };
  test.each([
    ["at its deadline, on the pool", { deadlineMs: 1_000 }, {}],
    ["because its caller left, on the pool", {}, {}],
    ["at its deadline, on a caller's own key", { deadlineMs: 1_000 }, own],
    ["because its caller left, on a caller's own key", {}, own],
  ])("%s: nothing more is sent", async (_what, requestLimits, headers) => {
    const caller = await newCaller(1_000_000);
    const leaving = new AbortController();
    // The pause outlasts the request, however late it began.
    const sleep = () => {
      if (!("deadlineMs" in requestLimits)) leaving.abort();
      return new Promise<void>((resolve) => setTimeout(resolve, 1_200));
    };
    const { chat, sent, late } = createTestApp({ provider: [refusal(503), good], requestLimits, sleep });
    const response = await chat(caller.apiKey, hello, headers, leaving.signal);
    await response.text().catch(() => {});
    await response.settled();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([sent.length, late]).toEqual([1, []]);
    expect(await caller.account()).toMatchObject({ openHolds: 0 });
  });
});
