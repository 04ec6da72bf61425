// What a chat completion is refused for, what a refusal costs, and what is named as not honoured.
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../../edge/db/client.ts";
import { GatewayError } from "../../../shared/errors.ts";
import { createTestApp, newCaller, openaiStream, openaiUsage } from "../support/app.ts";

const model = "svc-x1ac-base-gpt-4o";
const hello = { model, messages: [{ role: "user", content: "find me a flight to Oslo" }], max_tokens: 50 };

describe("refusals", () => {
  test.each([
    ["no key", undefined, hello, 401, "missing_api_key"],
    ["a key that is none", "svc_sk_live_nonsense", hello, 401, "invalid_api_key"],
    ["an unknown model", "ok", { ...hello, model: "svc-x1ac-base-gpt-99" }, 404, "model_not_found"],
    ["an unknown size", "ok", { ...hello, model: "svc-x1ac-giant-gpt-4o" }, 404, "model_not_found"],
    ["an embedding-only model", "ok", { ...hello, model: "svc-x1ac-base" }, 400, "invalid_request"],
    [
      "a size without a price",
      "ok",
      { ...hello, model: "svc-x1ac-huge-gpt-4o" },
      503,
      "world_model_not_loaded",
    ],
    ["malformed JSON", "ok", '{"model":', 400, "invalid_json"],
    ["a temperature out of range", "ok", { ...hello, temperature: 3 }, 422, null],
    ["no messages", "ok", { model }, 422, null],
  ])("%s", async (_name, key, body, status, code) => {
    const caller = await newCaller(1_000_000);
    const { chat, send, sent } = createTestApp();
    const response =
      key === undefined
        ? await send("/v1/chat/completions", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body),
          })
        : await chat(key === "ok" ? caller.apiKey : key, body);
    expect(response.status).toBe(status);
    const { error } = await response.json<{
      error: { code: string | null; message: string; details?: string[] };
    }>();
    expect(error.code).toBe(code);
    expect(error.message.length).toBeGreaterThan(20);
    if (status === 422) expect(error.details?.length).toBeGreaterThan(0);
    expect(sent).toEqual([]);
    expect(response.headers.get("x-request-id")).toBeTruthy();
  });

  test.each([
    ["document", { type: "file", file: { file_data: "data:application/pdf;base64,JVBERi0=" } }],
    ["long text", { type: "text", text: "a walk to the sea ".repeat(8_000) }],
  ])(
    "402 for a %s that only the window bounds advises what lowers the hold, not fewer output tokens",
    async (_, part) => {
      const caller = await newCaller(10);
      const { chat } = createTestApp();
      const response = await chat(caller.apiKey, {
        ...hello,
        messages: [{ role: "user", content: [part] }],
      });
      expect(response.status).toBe(402);
      const said = await response.text();
      expect(said).toContain("send less or choose a model that reads less (a PDF, unlike its text, may fill");
      expect(said).not.toContain("fewer output tokens");
    },
  );

  test("402 before any model call, with what is needed and what is there", async () => {
    const caller = await newCaller(10);
    const { chat, sent } = createTestApp();
    const response = await chat(caller.apiKey, hello);
    expect(response.status).toBe(402);
    const { error } = await response.json<{ error: Record<string, number | string> }>();
    expect(error).toMatchObject({
      type: "insufficient_credits",
      code: "insufficient_credits",
      available_credits: 0.00001,
    });
    expect(error.required_credits).toBeGreaterThan(0.00001);
    expect(sent).toEqual([]);
  });

  test("a pool that is off names the key to send", async () => {
    const caller = await newCaller(1_000_000);
    const response = await createTestApp({ pool: { on: false } }).chat(caller.apiKey, hello);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({
      error: { type: "missing_provider_key", code: null, message: expect.stringContaining("x-alpha-key") },
    });
  });

  test("a provider's refusal costs nothing and leaves no hold", async () => {
    const caller = await newCaller(1_000_000);
    const { chat } = createTestApp({
      provider: [() => Response.json({ error: { message: "messages too odd" } }, { status: 400 })],
    });
    const response = await chat(caller.apiKey, hello);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: "upstream_rejected", message: expect.stringContaining("messages too odd") },
    });
    expect(await caller.account()).toMatchObject({ balanceMicro: 1_000_000, openHolds: 0 });
  });

  // The pool leaves fields out, and so does its provider's dialect: either may be why the rest is refused.
  test.each([
    ["JSON", {}],
    ["a stream", { stream: true }],
  ])("a provider's refusal names what had been left out: %s", async (_name, stream) => {
    const caller = await newCaller(1_000_000);
    const { chat } = createTestApp({
      provider: [() => Response.json({ error: { message: "no tools" } }, { status: 400 })],
    });
    const content = [
      { type: "text", text: "Sum it up" },
      { type: "file", file: { file_id: "file-1" } },
    ];
    const messages = [{ role: "user", content }];
    const response = await chat(caller.apiKey, { ...hello, ...stream, messages, store: true });
    expect(response.status).toBe(400);
    expect(response.headers.get("x-svc-unsupported")).toBe("store, file");
  });

  test("a world model that is away is 503, costs nothing and leaves no hold", async () => {
    const caller = await newCaller(1_000_000);
    const plan = () =>
      Promise.reject(new GatewayError("world_model_unavailable", "No planner answers; retry."));
    const { chat, sent } = createTestApp({ plan });
    const response = await chat(caller.apiKey, hello);
    expect(response.status).toBe(503);
    expect(sent).toEqual([]);
    expect(await caller.account()).toMatchObject({ balanceMicro: 1_000_000, openHolds: 0 });
  });

  test("what a provider cannot honour is named, not dropped in silence", async () => {
    const caller = await newCaller(1_000_000);
    const reply = () =>
      Response.json({
        id: "m",
        type: "message",
        role: "assistant",
        model: "c",
        content: [{ type: "text", text: "hi" }],
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 3, output_tokens: 1 },
      });
    const { chat } = createTestApp({ provider: [reply] });
    const response = await chat(
      caller.apiKey,
      { ...hello, model: "svc-x1ac-base-claude-sonnet-4-5", seed: 7, logit_bias: { "1": 2 } },
      { "x-beta-key": "sk-ant-1" },
    );
    expect(response.status).toBe(200);
    expect(response.headers.get("x-svc-unsupported")?.split(", ").sort()).toEqual(["logit_bias", "seed"]);
  });

  test("a field of a message or a function that nobody knows is named; what clients echo is not", async () => {
    const caller = await newCaller(1_000_000);
    const { chat } = createTestApp();
    const begun = {
      role: "assistant",
      content: "Sure",
      prefix: true,
      annotations: [],
      audio: null,
      parsed: {},
    };
    const parameters = { type: "object", properties: {} };
    const response = await chat(
      caller.apiKey,
      {
        ...hello,
        messages: [...hello.messages, begun],
        tools: [{ type: "function", function: { name: "f", parameters, response: {}, strict: null } }],
      },
      { "x-alpha-key": "sk-1" },
    );
    expect(response.status).toBe(200);
    expect(response.headers.get("x-svc-unsupported")?.split(", ").sort()).toEqual([
      "messages.prefix",
      "response",
    ]);
  });

  test("100 parallel requests on credit for exactly 7: 7 answers and 93 times 402 (failures 7)", async () => {
    const probe = await newCaller(1);
    const refused = await createTestApp().chat(probe.apiKey, hello);
    const { error } = await refused.json<{ error: { required_credits: number } }>();
    const caller = await newCaller(Math.round(error.required_credits * 1_000_000) * 7);
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { chat } = createTestApp({
      provider: [() => gate.then(() => openaiStream(["ok"], openaiUsage(12, 1)))],
    });
    let answered = 0;
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const response = await chat(caller.apiKey, hello);
        if (response.status === 402 && ++answered === 93) release();
        await response.text();
        return response.status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(7);
    expect(statuses.filter((status) => status === 402)).toHaveLength(93);
    const account = await caller.account();
    const charged = (await caller.charges()).reduce((sum, { amountMicro }) => sum + amountMicro, 0);
    expect(account!.balanceMicro).toBe(Math.round(error.required_credits * 1_000_000) * 7 + charged);
    expect(account).toMatchObject({ openHolds: 0 });
  });

  test("a ledger out of reach is 503 billing_unavailable and no provider is called (failures 9)", async () => {
    const caller = await newCaller(1_000_000);
    const { chat, sent } = createTestApp({
      database: openDatabase({ url: "http://127.0.0.1:1", timeoutMs: 500 }),
    });
    const response = await chat(caller.apiKey, hello);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      error: { code: "billing_unavailable", type: "service_error" },
    });
    expect(sent).toEqual([]);
  });
});
