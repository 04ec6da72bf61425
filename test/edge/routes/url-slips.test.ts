// Base URLs that clients get slightly wrong, and the header that says whether an error is worth a retry.
import { describe, expect, test } from "vitest";
import { errorTable } from "../../../shared/errors.ts";
import { leastMs } from "../../support/least-ms.ts";
import { createTestApp, newCaller } from "../support/app.ts";

const hello = { model: "svc-x1ac-base-gpt-4o", messages: [{ role: "user", content: "go" }], max_tokens: 20 };
const anthropic = { "anthropic-version": "2023-06-01" };

async function post(path: string, headers: Record<string, string> = {}) {
  const { apiKey } = await newCaller(10_000_000);
  return createTestApp().post(path, apiKey, hello, headers);
}

test.each([
  "/v1/chat/completions/",
  "/v1/v1/chat/completions",
  "//v1//chat/completions",
  "/v1/v1/v1/messages",
  "/v1/messages/",
  "/openai/v1/chat/completions",
])("%s is served", async (path) => {
  expect((await post(path)).status).toBe(200);
});

test.each([
  ["/chat/completions", {}, "/v1/chat/completions"],
  ["/messages", anthropic, "/v1/messages"],
  ["/messages/", {}, "/v1/messages"],
  ["/models/openai/gpt-4o", {}, "/v1/models/openai/gpt-4o"],
])("%s says which path was meant and what to change", async (path, headers, meant) => {
  const response = await post(path, headers as Record<string, string>);
  expect(response.status).toBe(404);
  expect(response.headers.get("x-should-retry")).toBe("false");
  const { error } = (await response.json()) as { error: { message: string } };
  expect(error.message).toContain(`use ${meant}: end your client's base URL with /v1`);
});

test.each([
  ["/api/v1/chat/completions", "/v1/chat/completions", "take the path before it out"],
  [
    "/openai/deployments/gpt-4o/chat/completions",
    "/v1/chat/completions",
    "your client's base URL is this host",
  ],
  ["/v1/openai/chat/completions", "/v1/chat/completions", "your client's base URL is this host"],
  ["/v1/deployments/gpt-4o/chat/completions", "/v1/chat/completions", "your client's base URL is this host"],
  ["/models/openai/gpt-4o/v1/chat/completions", "/v1/chat/completions", "take the path before it out"],
  ["/models/gpt-4o/chat/completions", "/v1/chat/completions", "your client's base URL is this host"],
  // Anthropic's clients add the version to their base URL.
  ["/anthropic/v1/messages", "/v1/messages", "take the path before it out of your client's base URL."],
  ["/api/v1/responses/input_tokens", "/v1/responses/input_tokens", "take the path before it out"],
])("%s, another service's, says which path was meant", async (path, meant, advice) => {
  const { error } = (await (await post(path)).json()) as { error: { message: string } };
  expect(error.message).toContain(`use ${meant}: ${advice}`);
});

// The address of an endpoint, as a curl line has it, given as the base URL: clients add their own path to it.
test.each([
  ["/v1/chat/completions/chat/completions", "/v1/chat/completions"],
  ["/v1/chat/completions/models", "/v1/models"],
  ["/v1/chat/completions/v1/messages", "/v1/messages"],
  ["/v1/messages/v1/messages", "/v1/messages"],
  ["/v1/messages/v1/messages/count_tokens", "/v1/messages/count_tokens"],
  ["/v1/responses/responses", "/v1/responses"],
  ["/v1/embeddings/embeddings", "/v1/embeddings"],
])("%s, a path behind an endpoint, says which path was meant", async (path, meant) => {
  const { error } = (await (await post(path)).json()) as { error: { message: string } };
  expect(error.message).toContain(`use ${meant}: your client's base URL is this host and /v1,`);
});

test.each([
  ["/v1/completions", "/v1/chat/completions"],
  ["/completions", "/v1/chat/completions"],
  ["/v1/responses/resp_1", "POST /v1/responses"],
  ["/v1/responses/resp_1/cancel", "POST /v1/responses"],
  ["/v1/chat/completions/chatcmpl_1", "POST /v1/chat/completions"],
  ["/v1/chat/completions/chatcmpl_1/messages", "POST /v1/chat/completions"],
  ["/v1/conversations", "earlier items in input"],
  ["/v1/threads/thread_1/messages", "/v1/responses"],
  ["/v1/files", "content in the message"],
  ["/v1/files/file_1/content", "content in the message"],
  ["/v1/batches", "each request by itself"],
  ["/v1/messages/batches/batch_1/results", "each request by itself"],
  ["/v1/chatkit/sessions", "chat completions, responses, messages"],
  ["/v1/audio/speech", "chat completions, responses, messages"],
  ["/v1/engines", "GET /v1/models"],
  ["/v1/credits", "GET /v1/account/balance"],
  ["/v1/key", "GET /v1/account/balance"],
  ["/v1/auth/key", "GET /v1/account/balance"],
  ["/dashboard/billing/subscription", "GET /v1/account/balance"],
  ["/v1/dashboard/billing/usage", "GET /v1/account/balance"],
  ["/v1/organization/costs", "GET /v1/account/usage"],
])("%s, which OpenAI, Anthropic or OpenRouter has, says what to do instead", async (path, instead) => {
  const response = await post(path);
  expect(response.status).toBe(404);
  const { error } = (await response.json()) as { error: { message: string } };
  expect(error.message).toContain(instead);
  expect(error.message.length).toBeLessThan(120);
});

// Its clients add the version and the method to any base URL, so that no advice on base URLs helps.
test.each([
  "/v1beta/models/gemini-2.5-flash:generateContent",
  "/v1beta/models/svc-x1ac-base-gemini-2.5-flash:streamGenerateContent",
  "/v1beta/models",
  "/v1beta1/projects/p/locations/l/publishers/google/models/gemini-2.5-flash:countTokens",
  "/v1/models/svc-x1ac-base-gemini-2.5-flash:generateContent",
  "/models/svc-x1ac-base-gemini-2.5-flash:batchEmbedContents",
])("%s, Gemini's, says which client to take", async (path) => {
  const response = await post(path);
  expect(response.status).toBe(404);
  const { error } = (await response.json()) as { error: { message: string } };
  expect(error.message).toMatch(/^Gemini's API is not spoken here: .*a client of OpenAI's.*\/v1\.$/);
});

test.each(["/api/tags", "/api/chat", "/api/show", "/api/version", "/v1/api/tags"])(
  "%s, Ollama's, says which of a client's ways to speak to choose",
  async (path) => {
    const response = await post(path);
    expect(response.status).toBe(404);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error.message).toMatch(/^Ollama's API is not spoken here: .*OpenAI's.*\/v1\.$/);
  },
);

test.each(["/v1/things/thing_1/messages", "/v1/filesystem", "/foo/operator/accounts", "/operator/accounts"])(
  "%s, which nobody serves, lists the paths that an API key opens, and no others",
  async (path) => {
    const { error } = (await (await post(path)).json()) as { error: { message: string } };
    expect(error.message).toContain("/v1/chat/completions, ");
    expect(error.message).not.toMatch(/sign-in|session|operator|use \/v1\/messages/);
  },
);

test("a path that nobody serves is answered in the dialect of the client", async () => {
  expect(await (await post("/v1/nothing", anthropic)).json()).toMatchObject({
    type: "error",
    error: { type: "not_found_error" },
  });
  expect(await (await post("/v1/nothing")).json()).toMatchObject({ error: { code: "not_found" } });
  const known = await post("/v1/chat/completions", { ...anthropic, "content-type": "text/plain" });
  expect(await known.json()).toMatchObject({ error: { code: "unsupported_media_type" } });
});

test("HEAD / is 200", async () => {
  expect((await createTestApp().send("/", { method: "HEAD" })).status).toBe(200);
});

test("a path of a million segments is no more work than a short one: nobody need have a key to send it", async () => {
  const ask = async () => expect((await createTestApp().send("/a".repeat(1_000_000))).status).toBe(404);
  expect(await leastMs(3_000, ask)).toBeLessThan(3_000);
});

describe("x-should-retry", () => {
  const hopeless = [400, 401, 402, 403, 404, 405, 413, 415, 422];
  test("is false for every error of a status that will not get better, and for a size that is not loaded", () => {
    const wrong = Object.entries(errorTable).filter(
      ([code, { status, retryable }]) =>
        retryable === (hopeless.includes(status) || code === "world_model_not_loaded"),
    );
    // An answer that was lost does not come back, a full list of keys stays full, a key that does not open stays shut; an
    // answer that is not what was asked for was charged, and so would the next be; a path never takes a WebSocket, and a
    // rollout never leaves its intermediate results out.
    expect(wrong.map(([code]) => code).sort()).toEqual([
      "answer_off_format",
      "idempotency_answer_lost",
      "intermediate_results_required",
      "limit_reached",
      "stored_key_unreadable",
      "websocket_not_served",
    ]);
  });

  test("stands on the answer, and not where a retry may help", async () => {
    const { send, chat } = createTestApp({ provider: [() => new Response("{}", { status: 500 })] });
    expect((await send("/v1/chat/completions", { method: "POST" })).headers.get("x-should-retry")).toBe(
      "false",
    );
    const { apiKey } = await newCaller(10_000_000);
    const failed = await chat(apiKey, hello);
    expect([failed.status, failed.headers.get("x-should-retry")]).toEqual([502, null]);
  });
});

test("a path that takes a rest is none without it: Allow names each method once", async () => {
  const answer = await createTestApp().send("/v1/models", { method: "POST" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});
