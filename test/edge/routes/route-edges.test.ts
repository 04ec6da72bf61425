// Bounds and orders of routes that are easily off by one.
import { expect, test } from "vitest";
import { createTestApp, newCaller, openaiStream, openaiUsage } from "../support/app.ts";

const json = { "content-type": "application/json" };

test("a page may ask by HEAD what it may ask by GET, and another site's may not", async () => {
  const { send } = createTestApp();
  const ask = async (method: string, headers: Record<string, string> = {}) =>
    (await send("/v1/account/session", { method, headers })).status;
  expect([await ask("GET"), await ask("HEAD")]).toEqual([200, 200]);
  expect(await ask("HEAD", { origin: "https://evil.example" })).toBe(403);
});

test("only a stack that overflows is a body that is nested too deeply; another RangeError is our mistake", async () => {
  const { apiKey } = await newCaller(1_000_000);
  const failWith = async (message: string) => {
    const embed = () => Promise.reject(new RangeError(message));
    const { send } = createTestApp({ embed });
    const body = JSON.stringify({ model: "svc-x1ac-base", input: "a" });
    const headers = { ...json, "x-api-key": apiKey };
    const answer = await send("/v1/embeddings", { method: "POST", headers, body });
    await answer.settled();
    return answer.status;
  };
  expect(await failWith("Maximum call stack size exceeded")).toBe(400);
  expect(await failWith("Invalid array length")).toBe(500);
});

test("usage is told for a leap year's days, and not for one more", async () => {
  const { apiKey } = await newCaller(0);
  const { send } = createTestApp();
  const read = async (from: string, to: string) =>
    (await send(`/v1/account/usage?from=${from}&to=${to}`, { headers: { "x-api-key": apiKey } })).status;
  expect(await read("2024-01-01", "2024-12-31")).toBe(200);
  expect(await read("2024-01-01", "2025-01-01")).toBe(400);
});

test("a path that takes a rest is none without it: Allow names each method once", async () => {
  const answer = await createTestApp().send("/v1/models", { method: "POST" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("a rollout from the neutral state is charged for that state's text too", async () => {
  const chargeFor = async (tokens: number) => {
    const { apiKey } = await newCaller(1_000_000);
    const timings = { queueMs: 0, modelMs: 1 };
    const { send } = createTestApp({
      rollout: async () => ({ initialState: "", steps: [], tokens, timings }),
    });
    const headers = { ...json, "x-api-key": apiKey };
    const answer = await send("/v1/rollout", {
      method: "POST",
      headers,
      body: JSON.stringify({ goal: "a" }),
    });
    await answer.settled();
    return Number(answer.headers.get("x-svc-credits-charged"));
  };
  expect(await chargeFor(200)).toBeCloseTo(2 * (await chargeFor(100)), 9);
});

test("a past request was created when its answer says so, however long that took", async () => {
  let now = Date.UTC(2026, 10, 20);
  const provider = () => {
    now += 60_000;
    return openaiStream(["Hello"], openaiUsage(12, 2));
  };
  const app = createTestApp({ now: () => now, provider: [provider] });
  const { apiKey } = await newCaller(1_000_000);
  const messages = [{ role: "user", content: "hi" }];
  const answer = await app.chat(apiKey, { model: "svc-x1ac-base-gpt-4o", messages, max_tokens: 5 });
  const { id, created } = await answer.json<{ id: string; created: number }>();
  await answer.settled();
  const found = await app.send(`/v1/generation?id=${id}`, { headers: { "x-api-key": apiKey } });
  expect((await found.json<{ data: { created: number } }>()).data.created).toBe(created);
});
