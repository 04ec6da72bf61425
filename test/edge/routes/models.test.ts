import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { createTestApp, newCaller } from "../support/app.ts";

const path = "/v1/models";
type Entry = { id: string; created: number };
type Detail = Record<string, unknown> & { pricing: Record<string, number> };

async function start() {
  const app = createTestApp();
  const { apiKey } = await newCaller(1_000_000);
  const get = async <Body>(at: string, headers: Record<string, string> = {}) => {
    const response = await app.send(at, { headers: { authorization: `Bearer ${apiKey}`, ...headers } });
    return { status: response.status, headers: response.headers, body: await response.json<Body>() };
  };
  // An SDK's own fetch, with the app where the network would be.
  const send = (input: RequestInfo | URL, init?: RequestInit) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    return app.send(url.pathname + url.search, init);
  };
  return { app, apiKey, get, send: send as typeof fetch };
}

describe("the list of models", () => {
  test("has the loaded size first, every size after it, each name once", async () => {
    const { get } = await start();
    const { body } = await get<{ object: string; data: Entry[] }>(path);
    const sizes = body.data.map(({ id }) => /^svc-x1ac-([a-z]+)/.exec(id)![1]);
    expect([...new Set(sizes)]).toEqual(["base", "small", "large", "xl", "huge"]);
    expect(sizes.lastIndexOf("base")).toBeLessThan(sizes.indexOf("small"));
    expect(new Set(body.data.map(({ id }) => id)).size).toBe(body.data.length);
    // Clients without a chosen model take the first.
    expect(body.data[0]!.id).toMatch(/^svc-x1ac-base-./);
    expect(body.data[sizes.lastIndexOf("base")]).toEqual({
      id: "svc-x1ac-base",
      object: "model",
      created: expect.any(Number),
      owned_by: "svc",
    });
  });

  test("tells caches that its shape depends on the header, in both shapes", async () => {
    const { get } = await start();
    for (const at of [path, `${path}/svc-x1ac-base-gpt-4o`]) {
      for (const headers of [{}, { "anthropic-version": "2023-06-01" }])
        expect((await get(at, headers)).headers.get("vary")).toContain("anthropic-version");
    }
  });

  test("is of one size where one is asked for, under an ETag of its own", async () => {
    const { get, app, apiKey } = await start();
    const [whole, base] = [
      await get<{ data: Entry[] }>(path),
      await get<{ data: Entry[] }>(`${path}?size=base`),
    ];
    expect(base.body.data.length * 5).toBe(whole.body.data.length);
    expect(base.body.data.every(({ id }) => id.startsWith("svc-x1ac-base"))).toBe(true);
    const etag = base.headers.get("etag")!;
    expect(etag).not.toBe(whole.headers.get("etag"));
    const again = await app.send(`${path}?size=base`, {
      headers: { "x-api-key": apiKey, "if-none-match": etag },
    });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect(await get(`${path}?size=tiny`)).toMatchObject({ status: 400, body: { error: { param: "size" } } });
  });
});

describe("a client that takes gzip", () => {
  test("gets the list compressed, under a weak ETag that is then known in either form", async () => {
    const { app, apiKey } = await start();
    const ask = (headers: Record<string, string>) =>
      app.send(path, { headers: { "x-api-key": apiKey, ...headers } });
    const [plain, packed] = [await ask({}), await ask({ "accept-encoding": "gzip, br" })];
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(packed.headers.get("etag")).toBe(`W/${plain.headers.get("etag")}`);
    for (const { headers } of [plain, packed]) expect(headers.get("vary")).toMatch(/accept-encoding/i);
    for (const { headers } of [plain, packed])
      expect((await ask({ "if-none-match": headers.get("etag")! })).status).toBe(304);
  });
});

describe("one model", () => {
  test("tells its size, LLM, limits, prices on the pool, and what it takes", async () => {
    const { get } = await start();
    const { body } = await get<Detail>(`${path}/svc-x1ac-base-gpt-4o`);
    expect(body).toEqual({
      id: "svc-x1ac-base-gpt-4o",
      object: "model",
      created: expect.any(Number),
      owned_by: "svc",
      size: "base",
      llm: "gpt-4o",
      loaded: true,
      context_length: 128_000,
      max_output_tokens: 16_384,
      pricing: { planning: 0.125, prompt: 3.125, completion: 12.5, cache_read: 1.5625 },
      supported_parameters: expect.arrayContaining([
        "max_tokens",
        "temperature",
        "tools",
        "response_format",
        "seed",
      ]),
    });
    const claude = await get<Detail>(`${path}/svc-x1ac-xl-claude-sonnet-4-6`);
    expect(claude.body).toMatchObject({ size: "xl", loaded: false, llm: "claude-sonnet-4-6" });
    expect(claude.body.pricing).toMatchObject({ planning: 0.5, cache_write: expect.any(Number) });
    expect(claude.body.supported_parameters).not.toContain("seed");
  });

  test("with a slash in its name is found raw and as %2F, an older name names what runs", async () => {
    const { get } = await start();
    const { body } = await get<{ data: Entry[] }>(`${path}?size=base`);
    const { id } = body.data.find((entry) => entry.id.includes("/"))!;
    const raw = await get<Detail>(`${path}/${id}`);
    expect(raw).toMatchObject({ status: 200, body: { id, llm: id.slice("svc-x1ac-base-".length) } });
    expect((await get<Detail>(`${path}/${encodeURIComponent(id)}`)).body).toEqual(raw.body);
    expect(await get(`${path}/svc-x1ac-base-gpt-4`)).toMatchObject({
      body: { id: "svc-x1ac-base-gpt-4", llm: "gpt-5.6-sol" },
    });
  });

  test("without an LLM makes embeddings; a size without a price has none", async () => {
    const { get } = await start();
    expect(await get(`${path}/svc-x1ac-base`)).toMatchObject({
      body: { llm: null, context_length: 2048, pricing: { planning: 0.1 } },
    });
    expect(await get(`${path}/svc-x1ac-huge-gpt-4o`)).toMatchObject({
      body: { pricing: { planning: null } },
    });
  });

  test.each(["svc-x1ac-base-nonsense", "gpt-4o", "svc-x1ac-tiny-gpt-4o", "x%2Fy", "%"])(
    "named %s is 404",
    async (id) => {
      const { get } = await start();
      expect(await get(`${path}/${id}`)).toMatchObject({
        status: 404,
        body: { error: { code: "model_not_found" } },
      });
    },
  );

  test("every listed one can be asked for", async () => {
    const { get } = await start();
    const { body } = await get<{ data: Entry[] }>(`${path}?size=base`);
    const some = body.data.filter((_, index) => index % 40 === 0);
    const answers = await Promise.all(some.map(({ id }) => get<Entry>(`${path}/${id}`)));
    expect(answers.map(({ body }) => body.id)).toEqual(some.map(({ id }) => id));
  });

  test("takes GET only", async () => {
    const { app, apiKey } = await start();
    const headers = { "x-api-key": apiKey };
    const response = await app.send(`${path}/svc-x1ac-base-gpt-4o`, { method: "DELETE", headers });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

describe("to who speaks Anthropic", () => {
  const version = { "anthropic-version": "2023-06-01" };
  type Page = { data: { id: string }[]; has_more: boolean; first_id: string | null; last_id: string | null };

  test("the list comes in pages, forward and back", async () => {
    const { get } = await start();
    const all = (await get<{ data: Entry[] }>(path)).body.data.map(({ id }) => id);
    const first = (await get<Page>(path, version)).body;
    expect(first).toMatchObject({ has_more: true, first_id: all[0], last_id: all[19] });
    expect(first.data).toHaveLength(20);
    expect(first.data[1]).toEqual({
      type: "model",
      id: all[1],
      display_name: `${all[1]!.slice("svc-x1ac-base-".length)} (base)`,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      lifecycle: "active",
      deprecated_at: null,
      retires_at: null,
      line: null,
      capabilities: null,
      max_input_tokens: null,
      max_tokens: null,
    });
    const next = (await get<Page>(`${path}?limit=3&after_id=${all[19]}`, version)).body;
    expect(next.data.map(({ id }) => id)).toEqual(all.slice(20, 23));
    const back = (await get<Page>(`${path}?limit=5&before_id=${all[3]}`, version)).body;
    expect(back).toMatchObject({ has_more: false, first_id: all[0], last_id: all[2] });
    const last = (await get<Page>(`${path}?limit=1000&after_id=${all.at(-3)}`, version)).body;
    expect([last.data.length, last.has_more]).toEqual([2, false]);
    const none = (await get<Page>(`${path}?after_id=${all.at(-1)}`, version)).body;
    expect(none).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
  });

  test.each([
    "limit=0",
    "limit=1001",
    "limit=x",
    "after_id=nobody",
    "after_id=svc-x1ac-base&before_id=svc-x1ac-base",
  ])("%s is 400 in its words", async (query) => {
    const { get } = await start();
    expect(await get(`${path}?${query}`, version)).toMatchObject({
      status: 400,
      body: { type: "error", error: { type: "invalid_request_error" } },
    });
  });

  test("a model nobody knows is 404 in its words", async () => {
    const { get } = await start();
    const { status, body } = await get(`${path}/nobody`, version);
    expect([status, body]).toMatchObject([404, { type: "error", error: { type: "not_found_error" } }]);
  });
});

describe("official SDKs", () => {
  test("OpenAI's lists and retrieves, slash and all", async () => {
    const { apiKey, send, get } = await start();
    const client = new OpenAI({ apiKey, baseURL: "http://127.0.0.1/v1", fetch: send });
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual((await get<{ data: Entry[] }>(path)).body.data.map(({ id }) => id));
    const slashed = ids.find((id) => id.includes("/"))!;
    for (const id of [ids[1]!, slashed])
      expect(await client.models.retrieve(id)).toMatchObject({ id, object: "model" });
    await expect(client.models.retrieve("nobody")).rejects.toMatchObject({ status: 404 });
  });

  test("Anthropic's lists page by page and retrieves, slash and all", async () => {
    const { apiKey, send, get } = await start();
    const client = new Anthropic({ apiKey, baseURL: "http://127.0.0.1", fetch: send });
    // Its Python twin throws where one is missing, if asked to be strict.
    const required: Record<keyof Anthropic.ModelInfo, true> = {
      id: true,
      type: true,
      display_name: true,
      created_at: true,
      lifecycle: true,
      deprecated_at: true,
      retires_at: true,
      line: true,
      capabilities: true,
      max_input_tokens: true,
      max_tokens: true,
    };
    const ids: string[] = [];
    for await (const model of client.models.list({ limit: 500 })) {
      expect(model).toMatchObject({ type: "model", lifecycle: "active" });
      expect(Object.keys(model).toSorted()).toEqual(Object.keys(required).toSorted());
      ids.push(model.id);
    }
    expect(ids).toEqual((await get<{ data: Entry[] }>(path)).body.data.map(({ id }) => id));
    const slashed = ids.find((id) => id.includes("/"))!;
    expect(await client.models.retrieve(slashed)).toMatchObject({
      id: slashed,
      type: "model",
      display_name: `${slashed.slice("svc-x1ac-base-".length)} (base)`,
      max_input_tokens: expect.any(Number),
    });
    await expect(client.models.retrieve("nobody")).rejects.toMatchObject({ status: 404 });
  });
});
