/** A caller who sends a request again under its Idempotency-Key. */
import { createTestApp, newCaller, type TestAppOptions } from "./app.ts";

export const hello = {
  model: "svc-x1ac-base-gpt-4o",
  messages: [{ role: "user", content: "prompt-canary" }],
  max_tokens: 50,
};

export async function newClient(options: TestAppOptions = {}, credit = 1_000_000) {
  const caller = await newCaller(credit);
  const app = createTestApp(options);
  const ask = (idempotencyKey: string, body: unknown = hello, signal?: AbortSignal) =>
    app.chat(caller.apiKey, body, { "idempotency-key": idempotencyKey }, signal);
  const text = async (idempotencyKey: string, body: unknown = hello) => {
    const response = await ask(idempotencyKey, body);
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  return { ...app, caller, ask, text };
}
