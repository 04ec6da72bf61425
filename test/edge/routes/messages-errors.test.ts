// Errors of POST /v1/messages are Anthropic's, with the details that it gave.
import { describe, expect, test } from "vitest";
import { createTestApp, eventStream, newCaller } from "../support/app.ts";
import { betaKey, byClaude, claude, hello, post, readEvents } from "../support/ask-messages.ts";

describe("errors are laid out as Anthropic's", () => {
  test.each([
    ["no max_tokens", { ...hello, max_tokens: undefined }, 400, "invalid_request_error", "max_tokens"],
    ["max_tokens above the limit", { ...hello, max_tokens: 4097 }, 400, "invalid_request_error", "4096"],
    ["a wrong type", { ...hello, temperature: "hot" }, 400, "invalid_request_error", "temperature"],
    [
      "a block with an empty type before another",
      { ...hello, messages: [{ role: "user", content: [{ type: "" }, { type: "text", text: "go" }] }] },
      400,
      "invalid_request_error",
      "messages.0.content.0.type",
    ],
    [
      "a block that does not fit",
      { ...hello, messages: [{ role: "user", content: [{ type: "text" }] }] },
      400,
      "invalid_request_error",
      "text",
    ],
    [
      "a result of no call",
      { ...hello, messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t" }] }] },
      400,
      "invalid_request_error",
      "tool_use",
    ],
    ["an unknown model", { ...hello, model: "svc-x1ac-base-gpt-99" }, 404, "not_found_error", "model"],
    ["malformed JSON", "{", 400, "invalid_request_error", "JSON"],
  ])("%s", async (_name, body, status, type, words) => {
    const { response, sent } = await post(body);
    expect(response.status).toBe(status);
    const error = await response.json<{ type: string; error: { type: string; message: string } }>();
    expect(error).toMatchObject({
      type: "error",
      error: { type },
      request_id: response.headers.get("request-id"),
    });
    expect(error.error.message).toContain(words);
    expect(sent).toEqual([]);
  });

  test("no credit is 402 billing_error with both amounts", async () => {
    const { response } = await post(hello, {}, { creditMicro: 10 });
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({
      error: { type: "billing_error", available_credits: 0.00001, required_credits: expect.any(Number) },
    });
  });

  test.each([
    ["GET", "/v1/messages", {}, 405, "invalid_request_error"],
    ["POST", "/v1/messages/batches", {}, 404, "not_found_error"],
    ["POST", "/v1/messages", { "content-type": "text/plain" }, 415, "invalid_request_error"],
  ])("%s %s is answered %s", async (method, path, headers, status, type) => {
    const caller = await newCaller(1_000);
    const response = await createTestApp().send(path, {
      method,
      headers: { "x-api-key": caller.apiKey, ...headers },
      ...(method === "POST" && { body: "hello" }),
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ type: "error", error: { type } });
  });

  test("no key is 401, and only these paths are laid out so", async () => {
    const { send } = createTestApp();
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    expect(await (await send("/v1/messages", init)).json()).toMatchObject({
      error: { type: "authentication_error" },
    });
    expect(await (await send("/v1/messagesx", init)).json()).not.toHaveProperty("type");
  });

  test.each([
    [429, "rate_limit_error", 429],
    [529, "overloaded_error", 502],
    [500, "api_error", 502],
    [400, "invalid_request_error", 400],
    [413, "request_too_large", 413],
  ])("a provider's %i is a %s", async (upstream, type, status) => {
    const refuse = () =>
      Response.json(
        { type: "error", error: { type: "x", message: "words of theirs" } },
        { status: upstream },
      );
    const { response } = await post(byClaude, { provider: [refuse] }, { headers: betaKey });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ type: "error", error: { type } });
    if (upstream === 429) expect(response.headers.get("retry-after")).toBe("1");
  });

  const details = { error_code: "prompt_too_long", limit: 200_000 };
  const failure = { type: "error", error: { type: "invalid_request_error", message: "Too long.", details } };
  const refuse = () => Response.json(failure, { status: 400 });

  test("Anthropic's own details travel: in a refusal, and after the first words", async () => {
    const refused = await post(byClaude, { provider: [refuse] }, { headers: betaKey });
    expect(await refused.response.json()).toMatchObject({ error: { details } });

    const { content: _content, ...start } = claude([]);
    const late = [
      { type: "message_start", message: start },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "a" } },
      failure,
    ];
    const frames = late.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
    const stream = () => eventStream(frames);
    const failing = await post({ ...byClaude, stream: true }, { provider: [stream] }, { headers: betaKey });
    expect((await readEvents(failing.response)).at(-1)).toMatchObject({ type: "error", error: { details } });
  });

  test("they are no part of an OpenAI error", async () => {
    const { max_tokens: _maxTokens, ...chat } = byClaude;
    const { response } = await post(
      chat,
      { provider: [refuse] },
      { headers: betaKey, path: "/v1/chat/completions" },
    );
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain("prompt_too_long");
  });
});

test("a thread is refused in the way Anthropic's client goes on from by itself", async () => {
  const { response, sent } = await post({ ...hello, thread: { type: "create" } });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { type: "invalid_request_error", details: { error_code: "thread_unsupported_request" } },
  });
  expect(sent).toEqual([]);
  expect((await post({ ...hello, thread: null })).response.status).toBe(200);
});
