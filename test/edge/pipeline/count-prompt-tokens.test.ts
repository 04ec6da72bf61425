import { expect, test } from "vitest";
import { createTestApp, newCaller } from "../support/app.ts";

test("a count whose caller leaves while the provider still writes it is kept alive until its signal has ended it", async () => {
  const { apiKey } = await newCaller(1_000_000);
  const asked = Promise.withResolvers<AbortSignal>();
  const fetch = async (_url: unknown, init?: RequestInit) => {
    const signal = init!.signal!;
    asked.resolve(signal);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason)),
    });
    return new Response(body, { headers: { "content-type": "application/json" } });
  };
  const { app } = createTestApp({ fetch: fetch as typeof globalThis.fetch });
  const leaving = new AbortController();
  const kept: Promise<unknown>[] = [];
  const answer = app.fetch(
    new Request("http://127.0.0.1/v1/messages/count_tokens", {
      method: "POST",
      headers: { "x-api-key": apiKey, "content-type": "application/json", "x-beta-key": "sk-ant-own" },
      body: JSON.stringify({
        model: "svc-x1ac-base-claude-sonnet-4-5",
        messages: [{ role: "user", content: "hello" }],
      }),
      signal: leaving.signal,
    }),
    {},
    {
      waitUntil: (work: Promise<unknown>) => kept.push(work),
      passThroughOnException() {},
      props: {},
    } as never,
  );
  await asked.promise;
  await expect.poll(() => kept.length).toBe(1);
  const states: string[] = [];
  const ended = Promise.all(kept).then(() => states.push("ended"));
  await Promise.resolve();
  expect(states).toEqual([]);
  leaving.abort();
  await ended;
  expect((await answer).status).toBe(502);
});

test("tools are counted under names that the provider takes, as they are sent to be called", async () => {
  const { apiKey } = await newCaller(1_000_000);
  const app = createTestApp({ provider: [() => Response.json({ input_tokens: 9 })] });
  const response = await app.post(
    "/v1/messages/count_tokens",
    apiKey,
    {
      model: "svc-x1ac-base-claude-sonnet-4-5",
      messages: [{ role: "user", content: "hello" }],
      tools: [{ name: "files.read", input_schema: { type: "object" } }],
    },
    { "x-beta-key": "sk-ant-own" },
  );
  expect(await response.json()).toEqual({ input_tokens: 9 });
  expect(app.sent[0]?.body.tools).toMatchObject([{ name: expect.stringMatching(/^[\w-]{1,128}$/) }]);
});

test.each([
  ["gpt-4o", {}, "estimate"],
  ["claude-sonnet-4-5", { "x-beta-key": "sk-ant-own" }, "provider"],
])("an input of the Responses API is counted for %s", async (llm, headers, source) => {
  const { apiKey } = await newCaller(1_000_000);
  const app = createTestApp({ provider: [() => Response.json({ input_tokens: 9 })] });
  const tools = [{ type: "function", name: "read", parameters: { type: "object" } }];
  const response = await app.post(
    "/v1/responses/input_tokens",
    apiKey,
    {
      model: `svc-x1ac-base-${llm}`,
      input: "hello there",
      instructions: "Be short.",
      tools,
    },
    headers,
  );
  expect(response.headers.get("x-svc-count")).toBe(source);
  expect(await response.json()).toEqual({
    object: "response.input_tokens",
    input_tokens: expect.any(Number),
  });
});
