// Idempotency-Key as a caller sees it: what a retry gets, and what it costs.
import { sql } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { build, prepare } from "../../../edge/db/client.ts";
import { graceMs } from "../../../edge/middleware/limit-concurrency.ts";
import {
  createTestApp,
  eventStream,
  openaiStream,
  openaiUsage,
  type TestAppOptions,
} from "../support/app.ts";
import { openStream } from "../support/open-stream.ts";
import { hello, newClient } from "../support/retrying-client.ts";

const replayed = (headers: Headers) => headers.get("idempotent-replayed");

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
    const provider = openStream();
    const { ask, text, sent } = await newClient({ provider: [provider.answer] });
    const body = { ...hello, stream };
    const first = ask("k", body);
    await provider.write("He");
    await expect.poll(() => sent.length).toBe(1);
    const refused = await text("k", body);
    expect(refused.status).toBe(409);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: "idempotency_in_progress" } });
    expect((await text("k", { ...body, max_tokens: 51 })).status).toBe(422);
    const firstText = first.then((response) => response.text());
    await provider.end(openaiStream(["Hel", "lo"], openaiUsage(12, 2)));
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
    const provider = openStream();
    const { ask, text, sent, caller } = await newClient({ provider: [provider.answer] });
    const body = { ...hello, stream };
    const leaving = new AbortController();
    const asked = ask("k", body, leaving.signal);
    await provider.write("He");
    if (stream) {
      const reader = (await asked).body!.getReader();
      await reader.read();
      leaving.abort();
      await reader.cancel();
    } else {
      await expect.poll(() => sent.length).toBe(1);
      leaving.abort();
    }
    await provider.end(openaiStream(["Hel", "lo"], openaiUsage(12, 2)));
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
      provider: [({ signal }) => eventStream(hanging(signal))],
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
