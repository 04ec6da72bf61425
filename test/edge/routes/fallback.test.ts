// `models`: models that are tried next when the provider of `model` fails before the caller has read anything.
import { describe, expect, test } from "vitest";
import { newCaller, type Sent } from "../support/app.ts";
import {
  type Answer,
  type Ask,
  ask,
  errorFrame,
  fine,
  fineClaude,
  first,
  frames,
  hello,
  named,
  second,
  start,
  status,
  third,
} from "../support/ask-fallbacks.ts";

const silent: Answer = ({ signal }) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

describe("the next model answers", () => {
  test.each<[string, Answer]>([
    ["is busy", status(429)],
    ["is down", status(500)],
    ["is overloaded", status(503)],
    ["does not answer in time", silent],
    ["cannot be reached", () => Promise.reject(new TypeError("connect failed"))],
    [
      "says an error before a word",
      () => frames({ choices: [{ delta: { role: "assistant" } }] }, errorFrame),
    ],
    ["breaks off before a word", () => frames({ choices: [{ delta: { role: "assistant" } }] })],
  ])("where a provider %s", async (_, failing) => {
    const { response, json, tried, logs } = await ask({ "gpt-4o": failing });
    expect(response.status).toBe(200);
    expect(tried()).toEqual(["openai/gpt-4o", "anthropic/claude-sonnet-4.5"]);
    expect(json()).toMatchObject({
      model: first,
      choices: [{ message: { content: "Hello" } }],
      svc: { execution_llm: "anthropic/claude-sonnet-4.5", key_source: "pool" },
    });
    const fell = logs.filter(({ event }) => event === "model_fallback");
    expect(fell).toEqual([
      expect.objectContaining({ model: "openai/gpt-4o", next: "anthropic/claude-sonnet-4.5" }),
    ]);
  });

  test("where a model that may think says nothing for too long", async () => {
    const limits = {
      firstByteMs: 60,
      idleMs: 60,
      totalMs: 5_000,
      thinking: { aloneMs: 4_000, beforeNextMs: 90 },
    };
    const headers = { "x-alpha-key": "sk-own" };
    const body = { ...hello, model: named("gpt-5"), models: [named("claude-sonnet-4-5")] };
    const { response, tried, charge } = await ask({ "gpt-5": silent }, { body, headers, limits });
    expect(response.status).toBe(200);
    expect(tried()).toEqual(["gpt-5", "anthropic/claude-sonnet-4.5"]);
    expect(charge).toMatchObject({ executionLlm: "anthropic/claude-sonnet-4.5", keySource: "pool" });
  });

  test("in every dialect, streamed and not", async () => {
    const paths = {
      "/v1/chat/completions": hello,
      "/v1/messages": hello,
      "/v1/responses": { model: first, models: hello.models, input: "go" },
    };
    for (const [path, body] of Object.entries(paths)) {
      for (const stream of [false, true]) {
        const { response, text } = await ask({ "gpt-4o": status(500) }, { path, body: { ...body, stream } });
        expect(response.status).toBe(200);
        expect(text).toContain("Hello");
        const said = path === "/v1/messages" ? response.headers.get("x-svc-execution-llm") : text;
        expect(said).toContain("anthropic/claude-sonnet-4.5");
        expect(said).not.toContain("openai/gpt-4o");
      }
    }
  });

  test("down the list, in its order, each model once", async () => {
    const models = [first, second, second, third];
    const { tried, json, look } = await askAndLook(
      { "gpt-4o": status(500), claude: status(429) },
      { body: { ...hello, models } },
    );
    expect(tried()).toEqual(["openai/gpt-4o", "anthropic/claude-sonnet-4.5", "google/gemini-2.5-flash"]);
    expect(json().svc.execution_llm).toBe("google/gemini-2.5-flash");
    expect(await look()).toMatchObject({
      model: first,
      execution_llm: "google/gemini-2.5-flash",
      models_tried: [first, second, third],
    });
  });

  test("on its own terms: key, parameters and what it cannot honour", async () => {
    const body = { ...hello, models: [second], seed: 7 };
    const headers = { "x-beta-key": "sk-ant-own" };
    const { sent, response, json, charge } = await ask(
      { "gpt-4o": status(500), claude: fineClaude },
      { body, headers },
    );
    expect(json()).toMatchObject({
      choices: [{ message: { content: "Hello" } }],
      svc: { key_source: "user" },
    });
    expect(response.headers.get("x-svc-unsupported")).toBe("seed");
    const last = sent.at(-1)!;
    expect(last.url).toContain("anthropic.com");
    expect(last.headers.get("x-api-key")).toBe("sk-ant-own");
    for (const { body: given } of [sent[0]!, last]) expect(given).not.toHaveProperty("models");
    expect(charge).toMatchObject({ keySource: "user", markup: 0, outcome: "completed" });
  });

  test("after the failed model's calls for other choices were ended", async () => {
    const signals: Sent["signal"][] = [];
    let wasEnded: boolean | undefined;
    const claude: Answer = (sent) => (signals.push(sent.signal) === 1 ? silent(sent) : status(500)(sent));
    const gpt: Answer = (sent) => {
      wasEnded = signals[0]?.aborted;
      return fine(sent);
    };
    const { json } = await ask(
      { claude, "gpt-4o": gpt },
      {
        body: { ...hello, model: second, models: [first], n: 2 },
        headers: { "x-beta-key": "sk-ant-own" },
        limits: { firstByteMs: 5_000, idleMs: 5_000, totalMs: 20_000 },
      },
    );
    expect(json().svc.execution_llm).toBe("openai/gpt-4o");
    expect(wasEnded).toBe(true);
  });

  test("not at all where the first one answers", async () => {
    const { tried, json, look } = await askAndLook({});
    expect(tried()).toEqual(["openai/gpt-4o"]);
    expect(json().svc.execution_llm).toBe("openai/gpt-4o");
    expect((await look()).models_tried).toEqual([first]);
  });
});

async function askAndLook(answers: Record<string, Answer>, options: Ask = {}) {
  const asked = await ask(answers, options);
  const look = async () => {
    const { id } = asked.json();
    const found = await asked.send(`/v1/generation?id=${id}`, {
      headers: { authorization: `Bearer ${asked.caller.apiKey}` },
    });
    return (await found.json<{ data: Record<string, unknown> }>()).data;
  };
  return { ...asked, look };
}

describe("no other model is asked", () => {
  test.each([400, 404, 413, 422])("where the provider refuses the request itself with %i", async (code) => {
    const { response, tried } = await ask({ "gpt-4o": status(code) });
    expect(response.status).toBe(code === 422 ? 400 : code);
    expect(tried()).toEqual(["openai/gpt-4o"]);
  });

  test("where it refuses the caller's own key", async () => {
    const headers = { "x-alpha-key": "sk-own", "x-beta-key": "sk-ant-own", "x-gamma-key": "AIzaOwn" };
    const { response, tried } = await ask({ "gpt-4o": status(401) }, { headers });
    expect(response.status).toBe(401);
    expect(tried()).toEqual(["gpt-4o"]);
  });

  test("once a word was said", async () => {
    const begun: Answer = () => frames({ choices: [{ delta: { content: "Hel" } }] }, errorFrame);
    const { text, tried } = await ask({ "gpt-4o": begun }, { body: { ...hello, stream: true } });
    expect(text).toContain("Hel");
    expect(text).toContain("the host broke");
    expect(tried()).toEqual(["openai/gpt-4o"]);
  });

  test("when the client has left", async () => {
    const leaving = new AbortController();
    const left: Answer = (sent) => {
      setTimeout(() => leaving.abort(), 5);
      return silent(sent);
    };
    const { chat, tried } = start({ "gpt-4o": left });
    const caller = await newCaller(1_000_000);
    const response = await chat(caller.apiKey, hello, {}, leaving.signal);
    await response.settled();
    expect(tried()).toEqual(["openai/gpt-4o"]);
  });
});

test.each([true, false])(
  "when all fail the caller reads what the last one said (stream: %s)",
  async (stream) => {
    const answers = { "gpt-4o": status(500), claude: silent, gemini: status(429, { "retry-after": "7" }) };
    const { response, json, charge, tried, caller } = await ask(answers, { body: { ...hello, stream } });
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("7");
    expect(json().error).toMatchObject({ type: "rate_limit_error" });
    expect(tried()).toHaveLength(3);
    expect(charge).toMatchObject({ amountMicro: 0, outcome: "error" });
    expect(await caller.account()).toMatchObject({ openHolds: 0, balanceMicro: 1_000_000 });
  },
);

describe("a list is refused before anything is done", () => {
  const refused = async (models: unknown, options: Ask = {}) => {
    const { response, json, sent } = await ask({}, { body: { ...hello, models }, ...options });
    expect(sent).toEqual([]);
    return { status: response.status, error: json().error };
  };

  test("that names an unknown model: 404, as for model", async () => {
    const { status, error } = await refused([second, named("gpt-99")]);
    expect(status).toBe(404);
    expect(error).toMatchObject({ code: "model_not_found", param: "models" });
    expect(error.message).toContain("gpt-99");
  });

  test("that names no LLM: 400", async () => {
    expect(await refused(["svc-x1ac-base"])).toMatchObject({ status: 400, error: { param: "models" } });
  });

  test.each([
    ["a text", second],
    ["numbers", [7]],
    ["empty names", [""]],
    ["nine names", Array(9).fill(second)],
  ])("that is %s: 422, or 400 in Anthropic's dialect", async (_, models) => {
    expect(await refused(models)).toMatchObject({ status: 422, error: { type: "validation_error" } });
    const inMessages = await refused(models, { path: "/v1/messages" });
    expect(inMessages).toMatchObject({ status: 400, error: { type: "invalid_request_error" } });
  });

  test("of another size, as one plan is made: 422", async () => {
    const { status, error } = await refused(["svc-x1ac-large-gpt-4o-mini"]);
    expect(status).toBe(422);
    expect(error.message).toContain("models: every name must have the size of model (base)");
  });

  test("with a model that no key serves: 401, naming the header", async () => {
    const { status, error } = await refused([second], {
      pool: { on: false },
      headers: { "x-alpha-key": "sk-own" },
    } as Ask);
    expect(status).toBe(401);
    expect(error.message).toContain("x-beta-key");
  });

  test("null and an empty list are none", async () => {
    for (const models of [null, []]) {
      const { response } = await ask({}, { body: { ...hello, models } });
      expect(response.status).toBe(200);
    }
  });
});
