// Compressed bodies within the size limit, decompression bombs refused at it, and large bodies that wait for memory.
import { describe, expect, test } from "vitest";
import {
  createTestApp,
  eventStream,
  newCaller,
  openaiStream,
  openaiUsage,
  type Sent,
  type TestAppOptions,
} from "../support/app.ts";
import { openBrowser } from "../support/browser.ts";

const hello = { model: "svc-x1ac-base-gpt-4o", messages: [{ role: "user", content: "go" }], max_tokens: 20 };
const mebibyte = 1024 * 1024;

type Format = "gzip" | "deflate";

/** `times` times the same bytes, compressed; the whole is never held. */
async function fold(bytes: Uint8Array<ArrayBuffer>, format: Format, times = 1): Promise<ArrayBuffer> {
  let left = times;
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (left-- > 0) controller.enqueue(bytes);
      else controller.close();
    },
  });
  return new Response(source.pipeThrough(new CompressionStream(format)) as ReadableStream).arrayBuffer();
}

async function post(body: BodyInit, headers: Record<string, string>, options: TestAppOptions = {}) {
  const { apiKey } = await newCaller(10_000_000);
  const app = createTestApp(options);
  const response = await app.send("/v1/chat/completions", {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
    body,
  });
  const answer = (await response.json()) as { error?: { code: string } };
  return {
    status: response.status,
    code: answer.error?.code,
    retryAfter: response.headers.get("retry-after"),
  };
}

test.each(["gzip", "deflate"] as const)("a body compressed by %s is read", async (format) => {
  const body = await fold(Uint8Array.from(new TextEncoder().encode(JSON.stringify(hello))), format);
  expect(await post(body, { "content-encoding": format })).toMatchObject({ status: 200 });
});

test("a bomb of 200 MiB is refused at the bound", async () => {
  const bomb = await fold(new Uint8Array(mebibyte), "gzip", 200);
  expect(bomb.byteLength).toBeLessThan(mebibyte);
  const refused = await post(bomb, { "content-encoding": "gzip" });
  expect(refused).toMatchObject({ status: 413, code: "request_too_large" });
}, 30_000);

test.each([
  ["what is not gzip at all", "gzip", JSON.stringify(hello), 400, "invalid_request"],
  ["an encoding nobody reads", "br", "x", 415, "unsupported_media_type"],
  ["a name of an object's own", "constructor", "x", 415, "unsupported_media_type"],
])("%s is refused", async (_name, encoding, body, status, code) => {
  expect(await post(body, { "content-encoding": encoding })).toMatchObject({ status, code });
});

test("a path that takes short bodies of anybody reads none that is compressed", async () => {
  const app = createTestApp();
  const asked = await openBrowser(app).askForCode("some@body.example", { "content-encoding": "gzip" });
  expect([asked.status, await asked.json()]).toEqual([
    415,
    expect.objectContaining({ message: expect.stringContaining("send the body as it is.") }),
  ]);
});

test("a body whose chunks are malformed, as the runtime tells by a stream that breaks, is 400 and no failure of ours", async () => {
  const broken = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"model":')),
    pull: (controller) => controller.error(new Error("unexpected HTTP chunk size")),
  });
  expect(await post(broken, {})).toMatchObject({ status: 400, code: "invalid_request" });
});

test("a length beside Transfer-Encoding is not the body's: its chunks are counted", async () => {
  let left = 11;
  const endless = new ReadableStream<Uint8Array>({
    pull: (body) => (left-- > 0 ? body.enqueue(new Uint8Array(mebibyte)) : body.close()),
  });
  const headers = { "content-length": "3", "transfer-encoding": "chunked" };
  expect(await post(endless, headers)).toMatchObject({ status: 413, code: "request_too_large" });
});

test.each([
  ["of a length that is told", true],
  ["in chunks", false],
])("a large body that can never have its memory is 413: %s", async (_how, isTold) => {
  const large = JSON.stringify({ ...hello, messages: [{ role: "user", content: "x".repeat(mebibyte) }] });
  const headers = isTold ? { "content-length": String(large.length) } : undefined;
  const refused = await post(large, { ...headers }, { bodyMemoryBytes: mebibyte });
  expect(refused).toMatchObject({ status: 413, code: "request_too_large" });
});

test("a large body waits for its memory, is served, and gives it back", async () => {
  const { apiKey } = await newCaller(10_000_000);
  // Of a chunked body the most is claimed until it is read, so one at a time is.
  const { chat, memory } = createTestApp({ bodyMemoryBytes: 55 * mebibyte });
  const large = { ...hello, messages: [{ role: "user", content: "x".repeat(mebibyte) }], user: "u" };
  const answers = await Promise.all(Array.from({ length: 4 }, () => chat(apiKey, large)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  await Promise.all(answers.map((answer) => answer.text()));
  expect(memory.claimed()).toBe(0);
});

test("a large body that finds no memory in time is told to come again", async () => {
  const { apiKey } = await newCaller(10_000_000);
  let time = Date.now();
  // Every look at the clock is a second later, so patience ends after a few looks.
  const app = createTestApp({ bodyMemoryBytes: 55 * mebibyte, now: () => (time += 1_000) });
  await app.memory.claim({ owner: "another", request: {}, bytes: 50 * mebibyte }, 0, {
    now: () => time,
    sleep: async () => {},
  });
  const large = { ...hello, messages: [{ role: "user", content: "x".repeat(mebibyte) }] };
  const refused = await app.chat(apiKey, large);
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(await refused.json()).toMatchObject({ error: { code: "service_busy", type: "service_error" } });
});

test("large bodies of an account whose answers are read slowly keep no other account out", async () => {
  const [slow, other] = [await newCaller(10_000_000), await newCaller(10_000_000)];
  const silent = () =>
    eventStream(
      new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode(": wait\n\n")) }),
    );
  const answered = () => openaiStream(["ok"], openaiUsage(1, 1));
  // Room for eight of them, each five times its size while it is read and once while it is answered; for one account four.
  const bodyMemoryBytes = 12.5 * mebibyte;
  const isOther = (sent: Sent) => sent.text.includes("the other");
  const provider = [(sent: Sent) => (isOther(sent) ? answered() : silent())];
  const app = createTestApp({ provider, bodyMemoryBytes });
  const leaving = new AbortController();
  const ask = (apiKey: string, content: string, signal?: AbortSignal) => {
    const body = JSON.stringify({ ...hello, messages: [{ role: "user", content }], stream: true });
    return app.chat(apiKey, body, { "content-length": `${body.length}` }, signal);
  };
  const asked = Array.from({ length: 9 }, () => ask(slow.apiKey, "x".repeat(mebibyte), leaving.signal));
  await expect.poll(() => app.sent.length).toBeGreaterThanOrEqual(4);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(app.memory.claimed()).toBeLessThanOrEqual((bodyMemoryBytes * 2) / 3);
  const response = await ask(other.apiKey, `the other ${"x".repeat(mebibyte / 2)}`);
  expect(await response.text()).toContain("ok");
  leaving.abort();
  for (const open of await Promise.all(asked)) await open.body?.cancel();
  await expect.poll(() => app.memory.claimed()).toBe(0);
});

test("choices of large bodies of one account do not wait for each other", async () => {
  const { apiKey } = await newCaller(10_000_000);
  const app = createTestApp({ bodyMemoryBytes: 15.5 * mebibyte });
  // Both are read, and each is to be sent three times: together they would take 18.
  const asked = Array.from({ length: 2 }, () => {
    const messages = [{ role: "user", content: "x".repeat(mebibyte) }];
    const body = JSON.stringify({ ...hello, n: 3, messages });
    return app.chat(apiKey, body, { "content-length": `${body.length}` });
  });
  const answers = await Promise.all(asked);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  for (const answer of answers) await answer.text();
  expect(app.memory.claimed()).toBe(0);
});

/** A large body of which the beginning is sent, and the rest when it is asked for. */
function createSlowBody(content: string) {
  const bytes = new TextEncoder().encode(JSON.stringify({ ...hello, messages: [{ role: "user", content }] }));
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const begun = bytes.length - 10;
  writer.write(bytes.subarray(0, begun)).catch(() => {});
  const end = () => writer.write(bytes.subarray(begun)).then(() => writer.close());
  return { readable, end };
}

describe("a large body that hardly arrives", () => {
  const requestLimits = { bodyMs: 3_000 };
  const stall = async (app: ReturnType<typeof createTestApp>) => {
    const { apiKey } = await newCaller(10_000_000);
    const { readable, end } = createSlowBody("x".repeat(mebibyte / 8));
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const answer = app.send("/v1/chat/completions", { method: "POST", headers, body: readable });
    await expect.poll(() => app.memory.claimed()).toBeGreaterThan(0);
    return { answer, end };
  };

  test("is given up once another waits for its memory", async () => {
    const app = createTestApp({ requestLimits, bodyMemoryBytes: 55 * mebibyte });
    const { answer } = await stall(app);
    const { apiKey } = await newCaller(10_000_000);
    const messages = [{ role: "user", content: "x".repeat(mebibyte) }];
    const other = await app.chat(apiKey, { ...hello, messages });
    expect([other.status, await other.text()]).toEqual([200, expect.any(String)]);
    const refused = await answer;
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(await refused.json()).toMatchObject({ error: { code: "service_busy" } });
    expect(app.memory.claimed()).toBe(0);
  });

  test("is waited for while nobody else does", async () => {
    const app = createTestApp({ requestLimits, bodyMemoryBytes: 55 * mebibyte });
    const { answer, end } = await stall(app);
    await new Promise((resolve) => setTimeout(resolve, 600));
    await end();
    const answered = await answer;
    expect([answered.status, await answered.text()]).toEqual([200, expect.any(String)]);
  });
});

test.each([
  ["a small", 100],
  ["a large", mebibyte],
])(
  "%s body that does not come to its end is refused, and holds neither memory nor a place",
  async (_, size) => {
    const { apiKey } = await newCaller(10_000_000);
    const maxInFlight = { perKey: 1, perAccount: 1 };
    const app = createTestApp({ requestLimits: { bodyMs: 50 }, maxInFlight, bodyMemoryBytes: 55 * mebibyte });
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    writer.write(new Uint8Array(size)).catch(() => {});
    const refused = await app.send("/v1/chat/completions", {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: readable,
    });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { code: "invalid_request", message: expect.stringContaining("did not arrive") },
    });
    expect(app.memory.claimed()).toBe(0);
    const next = await app.chat(apiKey, hello);
    expect([next.status, await next.text()]).toEqual([200, expect.any(String)]);
    writer.abort().catch(() => {});
  },
);

test.each([
  ["without a key", () => Promise.resolve({}), 401],
  [
    "of a type that is not read",
    async () => ({ authorization: `Bearer ${(await newCaller(0)).apiKey}`, "content-type": "text/plain" }),
    415,
  ],
])("a body that never ends keeps a request %s open for a while only", async (_, readHeaders, status) => {
  const app = createTestApp({ requestLimits: { discardMs: 50 } });
  const { readable } = createSlowBody("x".repeat(1_000));
  const headers: Record<string, string> = await readHeaders();
  const refused = await app.send("/v1/chat/completions", { method: "POST", headers, body: readable });
  expect(refused.status).toBe(status);
});

test("a short body that anybody may send, as for signing in, has as long to arrive as a refused one", async () => {
  const app = createTestApp({ requestLimits: { discardMs: 50 } });
  const { readable } = createSlowBody("x".repeat(1_000));
  const headers = { origin: "http://127.0.0.1", "content-type": "application/json" };
  const refused = await app.send("/v1/account/sign-in/code", { method: "POST", headers, body: readable });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ message: expect.stringContaining("within 0.05 s") });
});

test("many choices of a large body claim the memory of each", async () => {
  const large = { ...hello, n: 60, messages: [{ role: "user", content: "x".repeat(mebibyte) }] };
  const refused = await post(JSON.stringify(large), {}, { bodyMemoryBytes: 51 * mebibyte });
  expect(refused).toMatchObject({ status: 413, code: "request_too_large" });
});
