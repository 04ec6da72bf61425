// Idempotency-Key as a caller sees it: what a retry gets, and what it costs.
import { sql } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { build, type Database, prepare } from "../../../edge/db/client.ts";
import { DatabaseError } from "../../../edge/db/connection.ts";
import { graceMs } from "../../../edge/middleware/limit-concurrency.ts";
import { createTestApp, newCaller, openaiStream, openaiUsage, type TestAppOptions } from "../support/app.ts";

const hello = {
  model: "svc-x1ac-base-gpt-4o",
  messages: [{ role: "user", content: "prompt-canary" }],
  max_tokens: 50,
};
const sse = { "content-type": "text/event-stream" };

async function newClient(options: TestAppOptions = {}, credit = 1_000_000) {
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
const replayed = (headers: Headers) => headers.get("idempotent-replayed");

/** A provider that has accepted and writes when told. */
function gatedProvider() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, {
    highWaterMark: 16,
  });
  const writer = writable.getWriter();
  const whole = openaiStream(["Hel", "lo"], openaiUsage(12, 2));
  return {
    answer: () => new Response(readable, { headers: sse }),
    first: () =>
      writer.write(new TextEncoder().encode('data: {"choices":[{"index":0,"delta":{"content":"He"}}]}\n\n')),
    rest: async () => {
      await writer.write(new Uint8Array(await whole.clone().arrayBuffer()));
      await writer.close();
    },
  };
}

describe("a retry with the same key and body", () => {
  test.each([false, true])(
    "gets the same bytes, for one call and one charge (stream: %s)",
    async (stream) => {
      const { text, sent, caller } = await newClient();
      const body = { ...hello, stream };
      const first = await text("retry-1", body);
      expect(first.status).toBe(200);
      expect(replayed(first.headers)).toBeNull();
      const second = await text("retry-1", body);
      expect(second.text).toBe(first.text);
      expect(second.status).toBe(200);
      expect(replayed(second.headers)).toBe("true");
      expect(second.headers.get("content-type")).toBe(first.headers.get("content-type"));
      expect(second.headers.get("x-svc-credits-charged")).toBe("0");
      expect(second.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
      expect(sent).toHaveLength(1);
      expect(await caller.charges()).toHaveLength(1);
    },
  );

  test("is found by another isolate, and by white space's difference", async () => {
    const { text, caller } = await newClient();
    const first = await text("k");
    const other = createTestApp();
    const second = await other.chat(caller.apiKey, JSON.stringify(hello, null, 2), {
      "idempotency-key": "k",
    });
    expect(await second.text()).toBe(first.text);
    expect(other.sent).toEqual([]);
  });

  test("keeps what was left out named", async () => {
    const { text } = await newClient();
    const body = { ...hello, modalities: ["text"] };
    const first = await text("k", body);
    const second = await text("k", body);
    expect(second.headers.get("x-svc-unsupported")).toBe(first.headers.get("x-svc-unsupported"));
  });

  test("is another account's own matter", async () => {
    const [one, two] = [await newClient(), await newClient()];
    await one.text("same");
    const other = await two.text("same");
    expect(replayed(other.headers)).toBeNull();
    expect(await two.caller.charges()).toHaveLength(1);
  });

  test("runs anew after 24 hours, not before", async () => {
    let now = Date.now();
    const { text, sent } = await newClient({ now: () => now });
    await text("k");
    now += 24 * 3_600_000 - 1;
    expect(replayed((await text("k")).headers)).toBe("true");
    now += 1;
    expect(replayed((await text("k")).headers)).toBeNull();
    expect(sent).toHaveLength(2);
  });
});

describe("the same key", () => {
  test("for another body is 422, and nothing is called", async () => {
    const { text, sent } = await newClient();
    await text("k");
    const refused = await text("k", { ...hello, max_tokens: 51 });
    expect(refused.status).toBe(422);
    expect(JSON.parse(refused.text)).toMatchObject({
      error: { type: "idempotency_error", code: "idempotency_key_reused", param: "Idempotency-Key" },
    });
    expect(sent).toHaveLength(1);
  });

  test.each([false, true])("while the first runs is 409 with Retry-After (stream: %s)", async (stream) => {
    const provider = gatedProvider();
    const { ask, text, sent } = await newClient({ provider: [provider.answer] });
    const body = { ...hello, stream };
    const first = ask("k", body);
    await provider.first();
    await expect.poll(() => sent.length).toBe(1);
    const refused = await text("k", body);
    expect(refused.status).toBe(409);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: "idempotency_in_progress" } });
    expect((await text("k", { ...body, max_tokens: 51 })).status).toBe(422);
    const firstText = first.then((response) => response.text());
    await provider.rest();
    const answered = await firstText;
    expect((await text("k", body)).text).toBe(answered);
    expect(sent).toHaveLength(1);
  });

  test("of 40 at once runs once; the others get 409 or the answer (failures 30)", async () => {
    const { text, sent, caller } = await newClient();
    const answers = await Promise.all(Array.from({ length: 40 }, () => text("k")));
    expect(sent).toHaveLength(1);
    expect(await caller.charges()).toHaveLength(1);
    const texts = new Set(answers.filter(({ status }) => status === 200).map(({ text: body }) => body));
    expect(texts.size).toBe(1);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
  });

  test.each(["", "a b", "x".repeat(256)])("must be 1 to 255 visible ASCII characters: %j", async (key) => {
    const { text, sent } = await newClient();
    expect((await text(key)).status).toBe(400);
    expect(sent).toEqual([]);
  });

  test("on a service without a vault is refused, as no answer could be kept", async () => {
    const { text, sent } = await newClient({ vault: undefined });
    const refused = await text("k");
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { param: "Idempotency-Key" } });
    expect(sent).toEqual([]);
  });
});

describe("a request that failed", () => {
  test.each<[string, number, TestAppOptions, unknown, number]>([
    [
      "the provider refused",
      429,
      { provider: [() => new Response("{}", { status: 429 })] },
      hello,
      1_000_000,
    ],
    ["no model could be found", 404, {}, { ...hello, model: "svc-x1ac-base-nothing" }, 1_000_000],
    ["the credit did not suffice", 402, {}, hello, 1],
  ])("and cost nothing is forgotten: %s", async (_, status, options, body, credit) => {
    const { text, database, caller } = await newClient(options, credit);
    expect((await text("k", body)).status).toBe(status);
    const again = await text("k", body);
    expect(again.status).toBe(status);
    expect(replayed(again.headers)).toBeNull();
    const rows = prepare(
      build.all(sql`SELECT key_hash FROM stored_answers WHERE account_id = ${caller.accountId}`),
    );
    expect(await database.execute(rows)).toEqual([]);
  });

  test("before it was accepted runs anew, and is then kept", async () => {
    const refused = () => new Response("{}", { status: 400 });
    const answered = () => openaiStream(["ok"], openaiUsage(1, 1));
    const { text, sent } = await newClient({ provider: [refused, answered] });
    expect((await text("k")).status).toBe(400);
    expect((await text("k")).status).toBe(200);
    expect(replayed((await text("k")).headers)).toBe("true");
    expect(sent).toHaveLength(2);
  });

  test.each([false, true])("late and was charged is kept with its error (stream: %s)", async (stream) => {
    const { text, sent, caller } = await newClient({
      provider: [() => openaiStream(["half"], undefined, null)],
    });
    const body = { ...hello, stream };
    const first = await text("k", body);
    expect(first.text).toContain('"error"');
    const second = await text("k", body);
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    // The key has this error for a day, so clients are told not to try it again by themselves.
    expect(second.headers.get("x-should-retry")).toBe(stream ? null : "false");
    expect(sent).toHaveLength(1);
    expect(await caller.charges()).toHaveLength(1);
  });
});

describe("a caller that leaves", () => {
  test.each([false, true])("finds the whole answer when it comes back (stream: %s)", async (stream) => {
    const provider = gatedProvider();
    const { ask, text, sent, caller } = await newClient({ provider: [provider.answer] });
    const body = { ...hello, stream };
    const leaving = new AbortController();
    const asked = ask("k", body, leaving.signal);
    await provider.first();
    if (stream) {
      const reader = (await asked).body!.getReader();
      await reader.read();
      leaving.abort();
      await reader.cancel();
    } else {
      await expect.poll(() => sent.length).toBe(1);
      leaving.abort();
    }
    await provider.rest();
    await (await asked).settled();
    const again = await text("k", body);
    expect(again.status).toBe(200);
    expect(again.text).toContain(stream ? "[DONE]" : "HeHello");
    expect(replayed(again.headers)).toBe("true");
    expect(sent).toHaveLength(1);
    expect(await caller.charges()).toMatchObject([{ outcome: "completed" }]);
  });
});

describe("an answer in JSON that is cut off after its caller has left", () => {
  test("is lost: a retry is told to take a new key, and not to retry for ever", async () => {
    const real = setTimeout;
    const hurried = vi
      .spyOn(globalThis, "setTimeout")
      .mockImplementation(((run: () => void, after?: number) =>
        real(run, after === graceMs ? 20 : after)) as typeof setTimeout);
    const hanging = (signal: AbortSignal | null | undefined) =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          const chunk = 'data: {"choices":[{"index":0,"delta":{"content":"He"}}]}\n\n';
          controller.enqueue(new TextEncoder().encode(chunk));
          signal?.addEventListener("abort", () => controller.error(new Error("aborted")));
        },
      });
    const { ask, text, sent, caller } = await newClient({
      provider: [({ signal }) => new Response(hanging(signal), { headers: sse })],
    });
    const leaving = new AbortController();
    const asked = ask("k", hello, leaving.signal);
    await expect.poll(() => sent.length).toBe(1);
    leaving.abort();
    await (await asked).settled();
    hurried.mockRestore();
    expect(await caller.charges()).toMatchObject([{ outcome: "client_left" }]);
    const again = await text("k");
    expect([again.status, JSON.parse(again.text).error.code]).toEqual([409, "idempotency_answer_lost"]);
  });
});

describe("a request that died", () => {
  /** The database as seen by an edge that is killed at its n-th statement: nothing returns any more. */
  function dyingAfter(database: Database, statements: number) {
    let left = statements;
    const death = Promise.withResolvers<void>();
    const pass = <T>(work: () => Promise<T>): Promise<T> => {
      if (left-- > 0) return work();
      death.resolve();
      return new Promise<never>(() => {});
    };
    const dying: Database = {
      ...database,
      execute: (statement, values) => pass(() => database.execute(statement, values)),
      batch: (statements_, values) => pass(() => database.batch(statements_, values)),
    };
    return { database: dying, death: death.promise };
  }

  test.each([
    ["before it reserved", 2, 0],
    ["before it settled", 3, 0],
    ["after it was charged", 4, 1],
  ])("%s: its key is charged at most once", async (_, statements, charges) => {
    const { caller, database } = await newClient();
    const dying = dyingAfter(database, statements);
    void createTestApp({ database: dying.database }).chat(caller.apiKey, hello, { "idempotency-key": "k" });
    await dying.death;
    expect(await caller.charges()).toHaveLength(charges);
    let now = Date.now();
    const { chat } = createTestApp({ now: () => now });
    const ask = async () => {
      const response = await chat(caller.apiKey, hello, { "idempotency-key": "k" });
      return { status: response.status, body: await response.json() };
    };
    expect(await ask()).toMatchObject({ status: 409, body: { error: { code: "idempotency_in_progress" } } });
    now += 16 * 60_000;
    expect(await ask()).toMatchObject(
      charges === 0 ? { status: 200 } : { status: 409, body: { error: { code: "idempotency_answer_lost" } } },
    );
    expect(await caller.charges()).toHaveLength(1);
    expect(await caller.account()).toMatchObject({ openHolds: 0 });
  });

  /** The database, which fails some batches of a keyed request: the first claims the key, the second keeps the answer. */
  function failingAt(database: Database, batches: readonly number[]): Database {
    let seen = 0;
    return {
      ...database,
      execute: (statement, values) => database.execute(statement, values),
      batch: (statements, values) => {
        seen += 1;
        if (batches.includes(seen)) throw new DatabaseError("unreachable", true, "database unreachable");
        return database.batch(statements, values);
      },
    };
  }

  test.each([
    ["once: the answer is kept some seconds later", [2], 200, 0, "short"],
    ["twice: the answer is lost, and the log says so", [2, 3], 409, 1, "short"],
    // Until it is kept, nobody has claimed memory for it.
    ["once: an answer over 64 Ki characters is lost at once", [2], 409, 1, "long".repeat(17_000)],
  ])("a database that fails to keep the answer, %s", async (_, batches, status, lines, word) => {
    const { caller, database } = await newClient();
    const later = Promise.withResolvers<void>();
    const { chat, logs } = createTestApp({
      database: failingAt(database, batches),
      sleep: () => later.promise,
      provider: [() => openaiStream([word], openaiUsage(1, 1))],
    });
    const response = await chat(caller.apiKey, hello, { "idempotency-key": "k" });
    const text = await response.text();
    expect(response.status).toBe(200);
    const retry = () => createTestApp().chat(caller.apiKey, hello, { "idempotency-key": "k" });
    expect((await retry()).status).toBe(409);
    later.resolve();
    await response.settled();
    const again = await retry();
    expect(again.status).toBe(status);
    expect((await again.text()) === text).toBe(status === 200);
    expect(logs.filter(({ event }) => event === "answer_not_kept")).toHaveLength(lines);
    expect(await caller.charges()).toHaveLength(1);
  });
});

describe("what is kept", () => {
  test("is sealed: neither prompt, answer nor key can be read in the database", async () => {
    const { text, database, caller } = await newClient({
      provider: [() => openaiStream(["answer-canary"], openaiUsage(1, 1))],
    });
    await text("key-canary");
    const rows = await database.execute(
      prepare(build.all(sql`SELECT * FROM stored_answers WHERE account_id = ${caller.accountId}`)),
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(/canary/);
  });

  test("copied under another account does not open", async () => {
    const [one, two] = [await newClient(), await newClient()];
    await one.text("k");
    await two.text("k");
    const steal = sql`UPDATE stored_answers SET (answer, hold_id) = (
      SELECT answer, hold_id FROM stored_answers WHERE account_id = ${one.caller.accountId})
      WHERE account_id = ${two.caller.accountId}`;
    await one.database.execute(prepare(build.run(steal)));
    const refused = await two.text("k");
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("idempotency_answer_lost");
  });

  test("has an end: an answer over 4 MiB is given once and charged once", async () => {
    const piece = "x".repeat(64 * 1024);
    const { text, sent, caller } = await newClient({
      provider: [
        () =>
          openaiStream(
            Array.from({ length: 70 }, () => piece),
            openaiUsage(1, 50),
          ),
      ],
    });
    const first = await text("k", { ...hello, stream: true });
    expect(first.text.length).toBeGreaterThan(4 * 1024 * 1024);
    const second = await text("k", { ...hello, stream: true });
    expect(second.status).toBe(409);
    expect(second.text).toContain("idempotency_answer_lost");
    expect(sent).toHaveLength(1);
    expect(await caller.charges()).toHaveLength(1);
  });
});
