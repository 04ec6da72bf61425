import { describe, expect, test } from "vitest";
import { createTestApp, newCaller } from "../support/app.ts";

const hello = {
  model: "svc-x1ac-base-gpt-4o",
  messages: [{ role: "user", content: "find me a flight to Oslo" }],
  max_tokens: 50,
};
describe("a JSON answer on a caller's own key", () => {
  test.each([
    ["429", 429, "Too many concurrent stream requests."],
    ["400 for something else", 400, "max_tokens is too large."],
  ])("is not asked for in one piece after a %s", async (_name, status, message) => {
    const { apiKey } = await newCaller(1_000_000);
    const app = createTestApp({ provider: [() => Response.json({ error: { message } }, { status })] });
    const answer = await app.chat(apiKey, hello, { "x-alpha-key": "sk-own" });
    await answer.settled();
    expect([answer.status, app.sent.length]).toEqual([status, 1]);
  });
});
