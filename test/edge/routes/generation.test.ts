import { describe, expect, test } from "vitest";
import { selectGeneration } from "../../../edge/billing/generation.ts";
import type { Statement } from "../../../edge/db/client.ts";
import { openTestDatabase } from "../support/accounts.ts";
import {
  createTestApp,
  eventStream,
  newCaller,
  openaiStream,
  openaiUsage,
  type TestAppOptions,
} from "../support/app.ts";

const model = "svc-x1ac-base-gpt-4o";
const hello = { model, messages: [{ role: "user", content: "find me a flight to Oslo" }], max_tokens: 50 };

async function start(options: TestAppOptions = {}) {
  const app = createTestApp(options);
  const caller = await newCaller(1_000_000);
  const look = async (id: string, key = caller.apiKey) => {
    const at = `/v1/generation?id=${encodeURIComponent(id)}`;
    const response = await app.send(at, { headers: { authorization: `Bearer ${key}` } });
    return { status: response.status, body: await response.json<{ data: Record<string, unknown> }>() };
  };
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await app.post(path, caller.apiKey, body, headers);
    const text = await response.text();
    await response.settled();
    return { text, headers: response.headers };
  };
  return { app, caller, look, post };
}

describe("a past request", () => {
  test("is found by its answer's id and by its request id, and tells all but the texts", async () => {
    const { look, post } = await start();
    const { text, headers } = await post("/v1/chat/completions", hello);
    const { id, created } = JSON.parse(text);
    const found = await look(id);
    expect(found).toEqual({
      status: 200,
      body: {
        data: {
          id,
          request_id: headers.get("x-request-id"),
          created: expect.any(Number),
          model,
          execution_llm: "openai/gpt-4o",
          models_tried: [model],
          key_source: "pool",
          streamed: false,
          finish_reason: "stop",
          prompt_tokens: 12,
          completion_tokens: 2,
          reasoning_tokens: 0,
          cached_tokens: 0,
          planning_tokens: 20,
          credits_charged: Number(headers.get("x-svc-credits-charged")),
          planning_ms: expect.any(Number),
          first_byte_ms: expect.any(Number),
          total_ms: expect.any(Number),
          action_sequence: ["search", "select"],
        },
      },
    });
    const {
      planning_ms: planned,
      first_byte_ms: first,
      total_ms: total,
    } = found.body.data as Record<string, number>;
    expect(planned).toBeLessThanOrEqual(first!);
    expect(first).toBeLessThanOrEqual(total!);
    expect(Math.abs((found.body.data.created as number) - created)).toBeLessThanOrEqual(10);
    const byRequest = await look(headers.get("x-request-id")!);
    expect(byRequest.body.data).toEqual(found.body.data);
    expect(JSON.stringify(found)).not.toMatch(/Oslo|Hello/);
  });

  test("that streamed is found by the id of its chunks, with the tools it ended in", async () => {
    const call = { index: 0, id: "c1", type: "function", function: { name: "go", arguments: "{}" } };
    const chunk = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const answer = () =>
      eventStream(`${chunk({ tool_calls: [call] })}${chunk({}, "tool_calls")}data: [DONE]\n\n`);
    const { look, post } = await start({ provider: [answer] });
    const { text } = await post("/v1/chat/completions", { ...hello, stream: true });
    const { id } = JSON.parse(/data: (\{.*\})/.exec(text)![1]!);
    expect((await look(id)).body.data).toMatchObject({ id, streamed: true, finish_reason: "tool_calls" });
  });

  test("in Anthropic's dialect is found by the message's id", async () => {
    const { look, post } = await start({
      provider: [() => openaiStream(["x"], openaiUsage(5, 1), "length")],
    });
    const { text } = await post("/v1/messages", hello);
    const { id } = JSON.parse(text);
    expect(id).toMatch(/^msg_/);
    expect((await look(id)).body.data).toMatchObject({ id, finish_reason: "length", prompt_tokens: 5 });
  });

  test("in Anthropic's dialect is found by Claude's own id of the message, JSON or stream", async () => {
    const id = `msg_${crypto.randomUUID()}`;
    const frame = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
    const usage = { input_tokens: 9, output_tokens: 3 };
    const content = [{ type: "text", text: "x" }];
    const message = { id, type: "message", role: "assistant", model: "m", content, usage };
    const frames = [
      { type: "message_start", message: { ...message, content: [] } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "x" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
      { type: "message_stop" },
    ].map(frame);
    const headers = { "content-type": "text/event-stream" };
    const { look, post } = await start({ provider: [() => new Response(frames.join(""), { headers })] });
    const claude = "svc-x1ac-base-claude-sonnet-4-5";
    for (const stream of [false, true]) {
      const { text } = await post(
        "/v1/messages",
        { ...hello, model: claude, stream },
        { "x-beta-key": "sk-ant-own" },
      );
      expect(text).toContain(id);
      expect((await look(id)).body.data).toMatchObject({
        id,
        model: claude,
        streamed: stream,
        prompt_tokens: 9,
      });
    }
  });

  test("that its provider refused tells no plan, as none was charged", async () => {
    const { look, post } = await start({ provider: [() => new Response("{}", { status: 401 })] });
    const refused = await post("/v1/chat/completions", hello, { "x-alpha-key": "sk-proj-wrong" });
    const id = refused.headers.get("x-request-id")!;
    const { data } = (await look(id)).body;
    expect(data).toMatchObject({ credits_charged: 0, action_sequence: [], models_tried: [hello.model] });
  });

  test("that was a rollout is found by its id", async () => {
    const state = { magnitude: 12, confidence: "High" as const };
    const step = { actionId: 10, actionName: "go", category: "navigation" as const, stateChange: 11 };
    const steps = [{ ...step, before: state, after: state }];
    const answer = { initialState: "s", steps, tokens: 12, timings: { queueMs: 0, modelMs: 1 } };
    const { look, post } = await start({ rollout: async () => answer });
    const { id } = JSON.parse((await post("/v1/rollout", { goal: "x" })).text);
    expect(id).toMatch(/^svc-rollout-/);
    expect((await look(id)).body.data).toMatchObject({ id, model: "svc-x1ac-base", completion_tokens: 0 });
  });

  test("is looked for by indexes, not among all rows of the account", async () => {
    const explained: Statement<string[]> = {
      ...selectGeneration,
      text: `EXPLAIN QUERY PLAN ${selectGeneration.text}`,
      read: ({ columns, rows }) => rows.map((row) => String(row[columns.indexOf("detail")])),
    };
    const values = { accountId: "a", holdId: "b", id: "c" };
    const plan = (await openTestDatabase().execute(explained, values)).join("\n");
    for (const index of [
      "hold_id=?",
      "ledger_by_request (request_id=? AND account_id=?)",
      "ledger_by_answer",
    ])
      expect(plan).toContain(index);
    // The newest of all that a caller has given one request id is the first that its index has.
    expect(plan).not.toMatch(/ledger_by_request[^\n]*\n[^\n]*TEMP B-TREE/);
    expect(plan).not.toContain("ledger_by_account");
  });

  test("in the Responses dialect is found by the response's id", async () => {
    const { look, post } = await start();
    const { id } = JSON.parse((await post("/v1/responses", { model, input: "go", store: false })).text);
    expect(id).toMatch(/^resp_/);
    expect((await look(id)).body.data).toMatchObject({ id, model, finish_reason: "stop" });
  });

  test.each([
    ["/v1/messages", { ...hello, max_tokens: 9 }],
    ["/v1/responses", { model, input: "go", store: false }],
  ])("of %s has its answer's id also where it is looked up by its request id", async (path, body) => {
    const { look, post } = await start();
    const { text, headers } = await post(path, body);
    expect((await look(headers.get("x-request-id")!)).body.data.id).toBe(JSON.parse(text).id);
  });

  test("that failed says so by what it lacks, and cost nothing", async () => {
    const { look, post } = await start({ provider: [() => new Response("{}", { status: 400 })] });
    const { headers } = await post("/v1/chat/completions", hello);
    expect((await look(headers.get("x-request-id")!)).body.data).toMatchObject({
      finish_reason: null,
      first_byte_ms: null,
      credits_charged: 0,
    });
  });

  test("under a request id used twice is the newest", async () => {
    const { look, post } = await start();
    const twice = { "x-request-id": "mine-1" };
    await post("/v1/chat/completions", hello, twice);
    await post("/v1/chat/completions", { ...hello, model: "svc-x1ac-base-gpt-4o-mini" }, twice);
    expect((await look("mine-1")).body.data).toMatchObject({ model: "svc-x1ac-base-gpt-4o-mini" });
  });

  test("of another account, and one that never was, do not exist", async () => {
    const { look, post } = await start();
    const stranger = await newCaller(1);
    const { text, headers } = await post("/v1/chat/completions", hello);
    const { id } = JSON.parse(text);
    for (const [asked, key] of [
      [id, stranger.apiKey],
      [headers.get("x-request-id")!, stranger.apiKey],
      ["chatcmpl-0"],
      ["'; --"],
    ]) {
      expect(await look(asked!, key)).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
    }
    expect(await look("")).toMatchObject({ status: 400, body: { error: { param: "id" } } });
  });
});

test("a past request was created when its answer says so, however long that took", async () => {
  let now = Date.UTC(2026, 10, 20);
  const provider = () => {
    now += 60_000;
    return openaiStream(["Hello"], openaiUsage(12, 2));
  };
  const app = createTestApp({ now: () => now, provider: [provider] });
  const { apiKey } = await newCaller(1_000_000);
  const answer = await app.chat(apiKey, hello);
  const { id, created } = await answer.json<{ id: string; created: number }>();
  await answer.settled();
  const found = await app.send(`/v1/generation?id=${id}`, { headers: { "x-api-key": apiKey } });
  expect((await found.json<{ data: { created: number } }>()).data.created).toBe(created);
});
