// A replay is free: what it takes of the isolate's memory is bounded as an answer's is.
import { expect, test } from "vitest";
import { createTestApp, newCaller, openaiStream, openaiUsage } from "../support/app.ts";

const mebibyte = 1024 * 1024;
const hello = { model: "svc-x1ac-base-gpt-4o", messages: [{ role: "user", content: "go" }], stream: false };

/** Words that compress to nothing, and words that do not. */
const texts = [
  ["unfolds to megabytes", "word ".repeat(200_000)],
  ["has megabytes as it is kept", Array.from({ length: 60_000 }, () => crypto.randomUUID()).join(" ")],
] as const;

async function ask(text: string, bodyMemoryBytes: number, body: object = hello) {
  const app = createTestApp({
    provider: [() => openaiStream([text], openaiUsage(9, 9))],
    bodyMemoryBytes,
  });
  const caller = await newCaller(1_000_000_000);
  const bytes = String(JSON.stringify(body).length);
  const send = () => app.chat(caller.apiKey, body, { "idempotency-key": "k", "content-length": bytes });
  const first = await send();
  await first.text();
  await first.settled();
  return { app, send };
}

test.each(texts)("many of an answer that %s wait for one another", async (_what, text) => {
  const { app, send } = await ask(text, 24 * mebibyte);
  const { claim } = app.memory;
  let most = 0;
  app.memory.claim = async (...wanted) => {
    const made = await claim(...wanted);
    most = Math.max(most, app.memory.claimed());
    return made;
  };
  const answers = await Promise.all(Array.from({ length: 12 }, () => send()));
  for (const answer of answers) {
    expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: text } }] });
  }
  expect(most).toBeGreaterThan(mebibyte);
  expect(most).toBeLessThanOrEqual(24 * mebibyte);
  expect(app.memory.claimed()).toBe(0);
});

test.each([
  [1, 9.5, 60],
  [6, 1.4, 72],
])(
  "%d of a request of %d MiB find memory in %d MiB",
  async (count, mib, total) => {
    const content = "go ".repeat((mib * mebibyte) / 3);
    const body = { ...hello, max_tokens: 100, messages: [{ role: "user", content }] };
    const { app, send } = await ask(texts[1][1], total * mebibyte, body);
    const { claim } = app.memory;
    app.memory.claim = (wanted, _patienceMs, clock) => claim(wanted, 4_000, clock);
    const answers = await Promise.all(Array.from({ length: count }, () => send()));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (const answer of answers) await answer.text();
    expect(app.memory.claimed()).toBe(0);
  },
  60_000,
);
