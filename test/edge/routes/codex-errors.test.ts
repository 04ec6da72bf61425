// Which errors Codex gets with a status that it does not retry. It is recognised by its user-agent; other clients get the usual ones.
import { expect, test } from "vitest";
import { parseResponseFrames } from "../../support/responses-stream.ts";
import { createTestApp, newCaller } from "../support/app.ts";

const codex = "codex_exec/0.169.0 (Debian 12.0.0; x86_64) dumb";

async function ask(
  options: Parameters<typeof createTestApp>[0],
  fields: { key?: string; agent?: string; body?: object },
) {
  const { post } = createTestApp(options);
  const { apiKey } = await newCaller(1_000_000);
  const response = await post(
    "/v1/responses",
    fields.key ?? apiKey,
    { model: "svc-x1ac-base-gpt-4o", input: "Say hello", stream: true, ...fields.body },
    { "user-agent": fields.agent ?? codex },
  );
  const { error } = await response.json<{ error: { type: string; code: string } }>();
  return [response.status, error.code, response.headers.get("x-should-retry")];
}

test("a refusal that stays is 400, with the code it has for others", async () => {
  expect(await ask({}, { key: "svc_sk_live_wrong" })).toEqual([400, "invalid_api_key", "false"]);
  expect(await ask({}, { body: { model: "svc-x1ac-base-gpt-none" } })).toEqual([
    400,
    "model_not_found",
    "false",
  ]);
  expect(await ask({ pool: { on: false } }, {})).toEqual([400, null, "false"]);
});

test("what a retry may mend keeps its status", async () => {
  const provider = [() => new Response('{"error":{"message":"slow down"}}', { status: 429 })];
  expect(await ask({ provider }, {})).toEqual([429, "upstream_rate_limited", null]);
});

test("other clients get the table's statuses", async () => {
  expect(await ask({}, { key: "svc_sk_live_wrong", agent: "OpenAI/JS 6.49.0" })).toEqual([
    401,
    "invalid_api_key",
    "false",
  ]);
});

const overlong = () => {
  const message = "This model's maximum context length is 128000 tokens.";
  return Response.json({ error: { message, code: "context_length_exceeded" } }, { status: 400 });
};

test("an input that does not fit the model is an event: after a status Codex never shortens its conversation", async () => {
  const { apiKey } = await newCaller(1_000_000);
  const send = (agent: string, stream: boolean) =>
    createTestApp({ provider: [overlong] }).post(
      "/v1/responses",
      apiKey,
      { model: "svc-x1ac-base-gpt-4o", input: "Say hello", stream },
      { "x-alpha-key": "own", "user-agent": agent },
    );
  const told = await send(codex, true);
  expect([told.status, told.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  expect(parseResponseFrames(await told.text()).at(-1)).toMatchObject({
    type: "response.failed",
    response: { status: "failed", error: { code: "context_length_exceeded" } },
  });
  for (const refused of [await send("OpenAI/JS 6.49.0", true), await send(codex, false)]) {
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { code: "context_length_exceeded" } });
  }
});

const handshake = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

test.each([codex, "OpenAI/JS 6.49.0"])(
  "a WebSocket is refused to %s by the status that means HTTP",
  async (agent) => {
    const { send } = createTestApp({});
    const response = await send("/v1/responses", { headers: { ...handshake, "user-agent": agent } });
    const { error } = await response.json<{ error: { code: string; message: string } }>();
    expect([response.status, error.code]).toEqual([426, "websocket_not_served"]);
    expect(error.message).toBe("This path is served without WebSockets: use POST over plain HTTP.");
  },
);

test("a GET that asks for no WebSocket is still 405", async () => {
  const { send } = createTestApp({});
  expect((await send("/v1/responses", { headers: { "user-agent": "curl" } })).status).toBe(405);
});
