import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { type EmbedRequest, type EmbedResponse, maxEmbedLetters } from "../../../shared/embedding.ts";
import { GatewayError } from "../../../shared/errors.ts";
import { createTestApp, newCaller, type TestAppOptions } from "../support/app.ts";

const model = "svc-x1ac-base";

/** Each text's vector holds its length and its place. */
const vectorOf = (text: string, place: number) => [text.length, place, -0.5];
const pack = (values: number[]) =>
  btoa(String.fromCharCode(...new Uint8Array(Float32Array.from(values).buffer)));
const embed = async ({ texts }: EmbedRequest): Promise<EmbedResponse> => ({
  vectors: texts.map((text, place) => pack(vectorOf(text, place))),
  dimension: 3,
  tokens: texts.length * 10,
  timings: { queueMs: 0, modelMs: 1 },
});

async function start(options: TestAppOptions = {}, creditMicro = 1_000_000) {
  const caller = await newCaller(creditMicro);
  const asked: EmbedRequest[] = [];
  const app = createTestApp({
    embed: async (request) => {
      asked.push(request);
      return embed(request);
    },
    ...options,
  });
  const send = (body: unknown, headers?: Record<string, string>, signal?: AbortSignal) =>
    app.post("/v1/embeddings", caller.apiKey, body, headers, signal);
  const client = new OpenAI({
    apiKey: caller.apiKey,
    baseURL: "http://127.0.0.1/v1",
    maxRetries: 0,
    fetch: (url, init) => app.send(new URL(String(url)).pathname, init as RequestInit),
  });
  return { ...app, caller, asked, send, client };
}

describe("embeddings whose caller left", () => {
  test.each([
    ["are charged for what was done by then", [5, 12], 12],
    ["are charged no more than was held", [1_000_000], undefined],
    ["cost nothing where nothing was done", [], 0],
  ])("%s", async (_what, progress, tokens) => {
    const leaving = new AbortController();
    const slow: TestAppOptions["embed"] = (_request, { signal, onProgress }) => {
      for (const done of progress) onProgress?.(done);
      setTimeout(() => leaving.abort(), 20);
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    };
    const { send, caller } = await start({ embed: slow });
    const response = await send({ model, input: ["a text", "another"] }, {}, leaving.signal);
    await response.settled();
    const [row] = await caller.charges();
    expect(row).toMatchObject({
      outcome: "client_left",
      ...(tokens !== undefined && { planningTokens: tokens }),
    });
    expect(row!.planningTokens).toBeLessThan(1_000);
    expect(await caller.account()).toMatchObject({ openHolds: 0 });
  });
});

test("a worker that tells more tokens than the texts can have is believed up to the bound, as charged and as shown", async () => {
  const boasting = async (request: EmbedRequest) => ({ ...(await embed(request)), tokens: 1_000_000 });
  const { send, caller } = await start({ embed: boasting });
  const { usage } = (await (await send({ model, input: "a text" })).json()) as { usage: object };
  const [row] = await caller.charges();
  expect(row!.planningTokens).toBeLessThan(100);
  expect(usage).toMatchObject({ prompt_tokens: row!.planningTokens });
});

test.each([
  ["are named", { input_type: "query", truncate: "END" }, "input_type, truncate"],
  ["are not those of OpenAI", { user: "u1", encoding_format: "float", dimensions: null }, null],
])("fields of embeddings that have no effect %s", async (_what, fields, named) => {
  const { send } = await start();
  const response = await send({ model, input: "a text", ...fields });
  expect(response.status).toBe(200);
  expect(response.headers.get("x-svc-unsupported")).toBe(named);
});

describe("embeddings with a text that is too long", () => {
  const refused = (...progress: number[]): NonNullable<TestAppOptions["embed"]> => {
    return async (_request, { onProgress }) => {
      for (const done of progress) onProgress?.(done);
      throw new GatewayError("request_too_large", "The text at index 1 is longer than 2048 tokens.");
    };
  };

  test("are charged for what was read before it was found, and told so", async () => {
    const { send, caller } = await start({ embed: refused(40, 120) });
    const response = await send({ model, input: ["a text".repeat(50), "another"] });
    expect(response.status).toBe(413);
    expect(response.headers.get("x-svc-credits-charged")).toBe("0.000012");
    const [row] = await caller.charges();
    expect(row).toMatchObject({ outcome: "error", planningTokens: 120, amountMicro: -12 });
  });

  test("cost nothing where it was found first", async () => {
    const { send, caller } = await start({ embed: refused() });
    const response = await send({ model, input: ["a text", "another"] });
    expect(response.status).toBe(413);
    expect(response.headers.get("x-svc-credits-charged")).toBeNull();
    expect((await caller.account())?.balanceMicro).toBe(1_000_000);
  });
});

describe("embeddings", () => {
  test("of one text are a list of one, in numbers, and charged by the tokens read", async () => {
    const { send, caller, asked } = await start();
    const response = await send({ model, input: "a text" });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      object: "list",
      data: [{ object: "embedding", index: 0, embedding: [6, 0, -0.5] }],
      model,
      usage: { prompt_tokens: 10, total_tokens: 10 },
    });
    expect(asked).toEqual([{ size: "base", texts: ["a text"] }]);
    // 10 tokens x $0.10 / 1M = 1 micro-credit.
    expect(response.headers.get("x-svc-credits-charged")).toBe("0.000001");
    const [row] = await caller.charges();
    expect(row).toMatchObject({ amountMicro: -1, planningTokens: 10, model, outcome: "completed" });
    expect(await caller.account()).toMatchObject({ balanceMicro: 999_999, openHolds: 0 });
  });

  test("keep the order and the index of a hundred texts, in base64 of little-endian floats", async () => {
    const { send } = await start();
    const input = Array.from({ length: 100 }, (_, index) => "x".repeat(1 + ((index * 37) % 50)));
    const response = await send({ model, input, encoding_format: "base64" });
    const { data } = await response.json<{ data: { index: number; embedding: string }[] }>();
    expect(data.map(({ index }) => index)).toEqual(input.map((_, index) => index));
    expect(data.map(({ embedding }) => embedding)).toEqual(
      input.map((text, place) => pack(vectorOf(text, place))),
    );
  });

  test.each(["float", "base64", undefined] as const)(
    "are read by the official client, encoding_format %s",
    async (encoding_format) => {
      const { client } = await start();
      const list = await client.embeddings.create({
        model,
        input: ["one", "three"],
        ...(encoding_format && { encoding_format }),
      });
      const read = list.data.map(({ embedding }) => embedding as unknown);
      const wanted = [vectorOf("one", 0), vectorOf("three", 1)];
      expect(read).toEqual(encoding_format === "base64" ? wanted.map(pack) : wanted);
      expect(list.usage.total_tokens).toBe(20);
    },
  );

  test("of another width than asked for say so", async () => {
    const { send } = await start();
    const other = await send({ model, input: "a", dimensions: 2 });
    expect(other.status).toBe(400);
    expect(await other.json()).toMatchObject({ error: { param: "dimensions", message: /768/ as never } });
    const same = await send({ model, input: "a", dimensions: 768, user: "someone" });
    expect(same.headers.get("x-svc-unsupported")).toBeNull();
  });
});

test("token arrays are refused with the switch of the client that sends them", async () => {
  const { send } = await start();
  for (const input of [
    [1, 2, 3],
    [[1], [2, 3]],
  ]) {
    const response = await send({ model, input });
    expect(response.status).toBe(422);
    expect(await response.text()).toContain("check_embedding_ctx_length");
  }
});

describe("an embeddings request is refused", () => {
  const texts = (count: number) => Array.from({ length: count }, () => "x");
  test.each<[string, unknown, number, string | null]>([
    ["without texts", { model, input: [] }, 400, "invalid_request"],
    ["with an empty text", { model, input: ["a", ""] }, 400, "invalid_request"],
    ["with an empty string", { model, input: "" }, 400, "invalid_request"],
    ["with more than a hundred texts", { model, input: texts(101) }, 400, "invalid_request"],
    ["for a chat model", { model: "svc-x1ac-base-gpt-4o", input: "a" }, 400, "invalid_request"],
    ["for an unknown size", { model: "svc-x1ac-tiny", input: "a" }, 404, "model_not_found"],
    ["for no model of ours", { model: "text-embedding-3-small", input: "a" }, 404, "model_not_found"],
    ["for a size without a price", { model: "svc-x1ac-huge", input: "a" }, 503, "world_model_not_loaded"],
    ["without input", { model }, 422, null],
    ["without a model", { input: "a" }, 422, null],
    ["with numbers", { model, input: [1, 2] }, 422, null],
    ["in an unknown format", { model, input: "a", encoding_format: "hex" }, 422, null],
    ["that is no JSON", "{", 400, "invalid_json"],
  ])("%s", async (_name, body, status, code) => {
    const { send, caller, asked } = await start();
    const response = await send(body);
    expect(response.status).toBe(status);
    expect(response.headers.get("x-svc-credits-charged")).toBeNull();
    expect(await response.json()).toMatchObject({ error: { code, message: expect.any(String) } });
    expect(asked).toEqual([]);
    expect(await caller.account()).toMatchObject({ balanceMicro: 1_000_000, openHolds: 0 });
  });

  test("with a text past the limit: 413, its index, nothing charged", async () => {
    const tooLong = async () => {
      throw new GatewayError("request_too_large", "The text at index 3 is longer than 2048 tokens.", {
        param: "input.3",
      });
    };
    const { send, caller } = await start({ embed: tooLong });
    const response = await send({ model, input: ["a", "b", "c", "d"] });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("index 3") } });
    await response.settled();
    expect(await caller.account()).toMatchObject({ balanceMicro: 1_000_000, openHolds: 0 });
  });

  test("with a text of more letters than any of 2048 tokens has: 413, its index, no worker asked", async () => {
    const { send, caller, asked } = await start();
    // One word, so three tokens; and seconds of a worker's thread, in which nobody else was planned for.
    const word = "\u{d55c}".repeat(maxEmbedLetters + 1);
    const response = await send({ model, input: ["a", word] });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("index 1") } });
    expect(asked).toEqual([]);
    expect(await caller.charges()).toEqual([]);
    expect((await send({ model, input: word.slice(1) })).status).toBe(200);
  });

  test("without a key", async () => {
    const { send } = await start();
    expect((await send({ model, input: "a" }, { authorization: "" })).status).toBe(401);
  });

  test("when the account cannot pay for what its texts may cost", async () => {
    const { send, asked } = await start({}, 0);
    const response = await send({ model, input: "a" });
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({
      error: { required_credits: expect.any(Number), available_credits: 0 },
    });
    expect(asked).toEqual([]);
  });

  test("when no worker answers, and nothing is charged", async () => {
    const away = async () => {
      throw new GatewayError("world_model_unavailable", "Away.", { retryAfterSeconds: 5 });
    };
    const { send, caller } = await start({ embed: away });
    const response = await send({ model, input: "a" });
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
    await response.settled();
    expect(await caller.account()).toMatchObject({ balanceMicro: 1_000_000, openHolds: 0 });
  });
});
