// A mistake of this service's own is a 500 that says nothing of itself.
import { expect, test } from "vitest";
import { createTestApp, newCaller } from "../support/app.ts";
import { ask } from "../support/ask-dialects.ts";

test("a mistake of ours is a 500 that says nothing of itself, to the caller or in the log", async () => {
  const { response, logs } = await ask({
    plan: () => Promise.reject(new TypeError("secret canary at /srv/app.ts:1")),
  });
  const text = await response.text();
  expect(response.status).toBe(500);
  expect(JSON.parse(text)).toMatchObject({ error: { type: "api_error", code: "internal_error" } });
  expect(text).toMatch(/retry, and report the x-request-id/);
  expect(text + JSON.stringify(logs)).not.toMatch(/canary|app\.ts/);
  expect(logs).toMatchObject([{ status: 500, error_class: "TypeError" }]);
});

test("only a stack that overflows is a body that is nested too deeply; another RangeError is our mistake", async () => {
  const { apiKey } = await newCaller(1_000_000);
  const failWith = async (message: string) => {
    const embed = () => Promise.reject(new RangeError(message));
    const { send } = createTestApp({ embed });
    const body = JSON.stringify({ model: "svc-x1ac-base", input: "a" });
    const headers = { "content-type": "application/json", "x-api-key": apiKey };
    const answer = await send("/v1/embeddings", { method: "POST", headers, body });
    await answer.settled();
    return answer.status;
  };
  expect(await failWith("Maximum call stack size exceeded")).toBe(400);
  expect(await failWith("Invalid array length")).toBe(500);
});
