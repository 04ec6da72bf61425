import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { InFlight } from "../../../edge/admission/in-flight.ts";
import type { Database } from "../../../edge/db/client.ts";
import { openTestDatabase } from "../support/accounts.ts";
import {
  createTestApp,
  eventStream,
  newCaller,
  openaiStream,
  type Sent,
  type TestAppOptions,
} from "../support/app.ts";

const hello = { model: "svc-x1ac-base-gpt-4o", messages: [{ role: "user", content: "go" }], max_tokens: 20 };
const streamed = { ...hello, stream: true };

/** A provider that writes one word and then nothing until it is left. */
function held({ signal }: Sent): Response {
  const word = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "word" } }] })}\n\n`;
  return eventStream(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(word));
        signal?.addEventListener("abort", () => controller.error(signal.reason));
      },
    }),
  );
}

async function setUp(options: TestAppOptions = {}) {
  const caller = await newCaller(10_000_000);
  const app = createTestApp({ maxInFlight: { perKey: 2, perAccount: 0 }, ...options });
  const running = () => app.inFlight.count(`key ${caller.keyId}`, Date.now());
  return { ...app, caller, running };
}

async function firstWord(response: Response): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const reader = response.body!.getReader();
  let text = "";
  while (!text.includes("word")) text += new TextDecoder().decode((await reader.read()).value);
  return reader;
}

describe("a key with as many requests running as it may", () => {
  test.each([
    ["/v1/chat/completions", hello, { error: { type: "rate_limit_error", code: "rate_limit_exceeded" } }],
    ["/v1/messages", hello, { type: "error", error: { type: "rate_limit_error" } }],
    ["/v1/embeddings", { model: "svc-x1ac-base", input: "x" }, { error: { code: "rate_limit_exceeded" } }],
  ])("is refused on %s with 429 and Retry-After, in the dialect of the route", async (path, body, shape) => {
    const { chat, post, caller, running } = await setUp({ provider: [held] });
    const open = await Promise.all([chat(caller.apiKey, streamed), chat(caller.apiKey, streamed)]);
    const readers = await Promise.all(open.map(firstWord));
    expect(running()).toBe(2);
    const refused = await post(path, caller.apiKey, body);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject(shape);
    await Promise.all(readers.map((reader) => reader.cancel()));
    expect(running()).toBe(0);
  });

  test("does not keep another key out, unless they share a full account", async () => {
    const { chat, caller } = await setUp({
      provider: [held],
      maxInFlight: { perKey: 0, perAccount: 1 },
    });
    const reader = await firstWord(await chat(caller.apiKey, streamed));
    expect((await chat(caller.apiKey, hello)).status).toBe(429);
    const other = await newCaller(10_000_000);
    const otherAnswer = await chat(other.apiKey, streamed);
    expect(otherAnswer.status).toBe(200);
    await otherAnswer.body?.cancel();
    await reader.cancel();
  });
});

test("a stream counts as running for as long as its reader stays, however long that is", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  let now = Date.now();
  const { chat, caller, inFlight } = await setUp({ provider: [held], now: () => now });
  const readers = await Promise.all([0, 1].map(async () => firstWord(await chat(caller.apiKey, streamed))));
  for (let passed = 0; passed < 60; passed += 5) {
    now += 5 * 60_000;
    vi.advanceTimersByTime(5 * 60_000);
  }
  expect((await chat(caller.apiKey, hello)).status).toBe(429);
  await Promise.all(readers.map((reader) => reader.cancel()));
  expect([inFlight.count(`key ${caller.keyId}`, now), vi.getTimerCount()]).toEqual([0, 0]);
});

describe("a request counts no longer than it runs", () => {
  const ends: [string, TestAppOptions, unknown, Record<string, string>][] = [
    ["a JSON answer", {}, hello, {}],
    ["a stream read to its end", {}, streamed, {}],
    ["a refused body", {}, { ...hello, temperature: 9 }, {}],
    ["what is not JSON", {}, "{", {}],
    ["a failed provider", { provider: [() => new Response("{}", { status: 500 })] }, streamed, {}],
    ["a stream cut off", { provider: [() => openaiStream(["a"], undefined, null)] }, streamed, {}],
    ["a kept answer", {}, streamed, { "idempotency-key": "k-1" }],
  ];
  test.each(ends)("%s", async (_name, options, body, headers) => {
    const { chat, caller, running } = await setUp(options);
    for (let count = 0; count < 3; count++) {
      const response = await chat(caller.apiKey, body, headers);
      await response.text();
      await response.settled();
      expect(running()).toBe(0);
    }
  });

  test("streams left midway, by reader or by connection, 40 of them", async () => {
    const { chat, caller, running } = await setUp({ provider: [held] });
    for (let count = 0; count < 20; count++) {
      const reader = await firstWord(await chat(caller.apiKey, streamed));
      await reader.cancel();
      const leaving = new AbortController();
      const response = await chat(caller.apiKey, streamed, {}, leaving.signal);
      await firstWord(response);
      expect(running()).toBe(1);
      leaving.abort();
      expect(running()).toBe(0);
    }
  });

  test("what goes on for an Idempotency-Key after its client has left", async () => {
    const rest = Promise.withResolvers<void>();
    const provider = (sent: Sent) => {
      rest.promise.then(() => sent.signal?.dispatchEvent(new Event("abort")));
      return held(sent);
    };
    const { chat, caller, running } = await setUp({ provider: [provider] });
    const leaving = new AbortController();
    await firstWord(await chat(caller.apiKey, streamed, { "idempotency-key": "k-2" }, leaving.signal));
    leaving.abort();
    expect(running()).toBe(1);
    rest.resolve();
    await expect.poll(running).toBe(0);
  });

  test("a request left before its first word", async () => {
    const { chat, caller, running } = await setUp({ provider: [() => new Promise<Response>(() => {})] });
    const leaving = new AbortController();
    void chat(caller.apiKey, hello, {}, leaving.signal).catch(() => {});
    await expect.poll(running).toBe(1);
    leaving.abort();
    expect(running()).toBe(0);
  });
});

/** A database whose answers wait until they are let through. */
function gated() {
  const database = openTestDatabase();
  const gate = Promise.withResolvers<void>();
  let reads = 0;
  const waiting = <Answer>(read: () => Promise<Answer>): Promise<Answer> => {
    reads += 1;
    return gate.promise.then(read);
  };
  const held: Database = {
    ...database,
    execute: (statement, values) => waiting(() => database.execute(statement, values)),
    batch: (statements, values) => waiting(() => database.batch(statements, values)),
  };
  return { database: held, open: gate.resolve, reads: () => reads };
}

describe("reads of an account", () => {
  const paths = ["/v1/account/balance", "/v1/account/usage", "/v1/models"];
  const read = (send: ReturnType<typeof createTestApp>["send"], path: string, key: string, init = {}) =>
    send(path, { headers: { authorization: `Bearer ${key}` }, ...init });

  test.each(paths)("of %s over a key's bound are refused before the database is asked", async (path) => {
    const { database, open, reads } = gated();
    const { send, caller } = await setUp({ database });
    const first = [read(send, path, caller.apiKey), read(send, path, caller.apiKey)];
    await expect.poll(reads).toBe(2);
    const refused = await read(send, path, caller.apiKey);
    expect([refused.status, reads()]).toEqual([429, 2]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const other = read(send, path, (await newCaller(1)).apiKey);
    await expect.poll(reads).toBe(3);
    open();
    expect((await Promise.all([...first, other])).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await read(send, path, caller.apiKey)).status).toBe(200);
  });

  test("count again at once when their client has left, or the key was wrong", async () => {
    const { database, open, reads } = gated();
    const { send, caller } = await setUp({ database });
    const left = new AbortController();
    const gone = [1, 2].map(() =>
      read(send, paths[0]!, caller.apiKey, { signal: left.signal }).catch(() => {}),
    );
    await expect.poll(reads).toBe(2);
    left.abort();
    const next = read(send, paths[0]!, caller.apiKey);
    await expect.poll(reads).toBe(3);
    open();
    expect((await next).status).toBe(200);
    await Promise.all(gone);
    for (const _time of [1, 2, 3])
      expect((await read(send, paths[0]!, "svc_sk_live_wrong")).status).toBe(401);
  });

  test("go on while a key has as many streams as it may", async () => {
    const { chat, send, caller } = await setUp({ provider: [held] });
    const open = await Promise.all([chat(caller.apiKey, streamed), chat(caller.apiKey, streamed)]);
    const readers = await Promise.all(open.map(firstWord));
    expect((await read(send, paths[0]!, caller.apiKey)).status).toBe(200);
    await Promise.all(readers.map((reader) => reader.cancel()));
  });
});

describe("while the database is slow", () => {
  const slow: Database = { ...openTestDatabase(), isSlow: () => true };
  /** So many requests of an account run. */
  const occupy = (inFlight: InFlight, accountId: string, count: number) => {
    for (let request = 0; request < count; request++)
      inFlight.take([{ name: `account ${accountId}`, limit: 0 }], Date.now());
  };

  test.each([
    ["/v1/chat/completions", hello, { error: { type: "service_error", code: "billing_unavailable" } }],
    ["/v1/messages", hello, { type: "error", error: { type: "api_error" } }],
    ["/v1/embeddings", { model: "svc-x1ac-base", input: "x" }, { error: { code: "billing_unavailable" } }],
  ])(
    "a newcomer on %s is told with 503 when to come again if the machine is full, and nothing was done",
    async (path, body, shape) => {
      const { post, sent, plans, caller, running, inFlight } = await setUp({ database: slow });
      for (let other = 0; other < 500; other++) occupy(inFlight, `acct_${other}`, 2);
      const refused = await post(path, caller.apiKey, body);
      expect(refused.status).toBe(503);
      expect([1, 2, 3, 4]).toContain(Number(refused.headers.get("retry-after")));
      expect(await refused.json()).toMatchObject(shape);
      expect([sent, plans, (await caller.account())?.openHolds, running()]).toEqual([[], [], 0, 0]);
    },
  );

  test.each([
    ["the only account, with a few requests", 3, [], 200],
    ["the only account, with many", 4, [], 503],
    ["the account that has most", 64, [8, 1], 503],
    ["one that has half as many", 32, [64], 503],
    ["one that has fewer", 31, [64], 200],
    ["one that has none", 0, [64, 64, 64], 200],
  ])("%s is refused or not (%i beside %j): %i (failures 64)", async (_, own, others, status) => {
    const { chat, caller, inFlight } = await setUp({ database: slow });
    occupy(inFlight, caller.accountId, own);
    for (const [at, count] of others.entries()) occupy(inFlight, `acct_${at}`, count);
    expect((await chat(caller.apiKey, hello)).status).toBe(status);
  });

  test("a stream that runs goes on to its end, and is charged", async () => {
    let isSlow = false;
    const database: Database = { ...openTestDatabase(), isSlow: () => isSlow };
    const provider = [() => openaiStream(["one", " two"])];
    const { chat, caller } = await setUp({ provider, database });
    const response = await chat(caller.apiKey, streamed);
    isSlow = true;
    expect(await response.text()).toContain("[DONE]");
    await response.settled();
    expect(await caller.charges()).toHaveLength(1);
  });
});
