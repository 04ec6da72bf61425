// `models`: models that are tried next when the provider of `model` fails before the caller has read anything.
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

const named = (llm: string) => `svc-x1ac-base-${llm}`;
const first = named("gpt-4o");
const second = named("claude-sonnet-4-5");
const third = named("gemini-2.5-flash");
const messages = [{ role: "user", content: "find me a flight to Oslo" }];
const hello = { model: first, models: [second, third], messages, max_tokens: 50 };

type Answer = (sent: Sent) => Response | Promise<Response>;
const fine: Answer = () => openaiStream(["Hello"], openaiUsage(12, 2));
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response(JSON.stringify({ error: { message: `no: ${code}` } }), { status: code, headers });
const frames = (...values: object[]): Response =>
  eventStream(values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join(""));
const silent: Answer = ({ signal }) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
/** In Anthropic's own words. */
const fineClaude: Answer = () =>
  Response.json({
    id: "m",
    type: "message",
    role: "assistant",
    model: "claude",
    content: [{ type: "text", text: "Hello" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 9, output_tokens: 3 },
  });
const errorFrame = { error: { code: 502, message: "the host broke" } };

/** Answers by the model that is asked for, as each provider names it. */
function start(answers: Record<string, Answer>, options: TestAppOptions = {}) {
  const asked: string[] = [];
  const provider: Answer = (sent) => {
    const model = String(sent.body.model ?? /models\/([^:]+)/.exec(sent.url)?.[1]);
    asked.push(model);
    const key = Object.keys(answers).find((part) => model.includes(part));
    return (key ? answers[key]! : fine)(sent);
  };
  const limits = { firstByteMs: 60, idleMs: 60, totalMs: 2_000 };
  const app = createTestApp({ provider: [provider], limits, ...options });
  /** The models asked, each once however often its provider was tried. */
  const tried = () => asked.filter((model, at) => model !== asked[at - 1]);
  return { ...app, tried };
}

async function ask(
  answers: Record<string, Answer>,
  {
    body = hello,
    path = "/v1/chat/completions",
    headers = {},
    creditMicro = 1_000_000,
    ...options
  }: Ask = {},
) {
  const app = start(answers, options);
  const caller = await newCaller(creditMicro);
  const response = await app.post(path, caller.apiKey, body, headers);
  const text = await response.text();
  await response.settled();
  const [charge] = await caller.charges();
  return { ...app, caller, response, text, charge, json: () => JSON.parse(text) };
}
type Ask = TestAppOptions & {
  body?: object;
  path?: string;
  headers?: Record<string, string>;
  creditMicro?: number;
};

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

describe("money", () => {
  const required = async (body: object) => {
    const { response, json } = await ask({}, { body, creditMicro: 1 });
    expect(response.status).toBe(402);
    return json().error.required_credits as number;
  };

  test("the hold covers the dearest model, wherever it stands", async () => {
    const cheap = named("gpt-4o-mini");
    const [dear, alone] = [named("claude-opus-4-1"), { messages, max_tokens: 50 }];
    const ofDear = await required({ ...alone, model: dear });
    expect(await required({ ...alone, model: cheap })).toBeLessThan(ofDear);
    expect(await required({ ...alone, model: cheap, models: [first, dear] })).toBe(ofDear);
    expect(await required({ ...alone, model: dear, models: [cheap] })).toBe(ofDear);
  });

  test("the price is that of the model that ran", async () => {
    const { charge, response } = await ask({ "gpt-4o": status(500) });
    // Claude Sonnet 4.5: 12 x 3 + 2 x 15; 20 planning tokens at 0.10: 2; a quarter more.
    expect(charge).toMatchObject({
      amountMicro: -85,
      model: first,
      executionLlm: "anthropic/claude-sonnet-4.5",
      inputTokens: 12,
      outputTokens: 2,
      outcome: "completed",
      flag: null,
    });
    expect(Number(response.headers.get("x-svc-credits-charged"))).toBe(0.000085);
  });

  const reporting: Answer = () => frames({ choices: [], usage: openaiUsage(100, 0) }, errorFrame);

  test("what an earlier one reported before it failed is owed too, at its own price", async () => {
    const { charge, json } = await ask({ "gpt-4o": reporting });
    // 100 x 2.50 of gpt-4o beside the 68 above.
    expect(charge).toMatchObject({ amountMicro: -Math.ceil((66 + 2 + 250) * 1.25), inputTokens: 12 });
    expect(charge!.prices).toMatchObject({
      earlier: [{ model: "openai/gpt-4o", usage: { input: 100 }, prices: { input: 2_500_000 } }],
    });
    expect(json().usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 2 });
    expect(json().usage.cost).toBe(json().svc.credits_charged);
  });

  /** A model that thinks up to its cap, reports it, and fails before the first word. */
  const spending: Answer = () => frames({ choices: [], usage: openaiUsage(20, 2_000) }, errorFrame);
  const whole: Answer = () => openaiStream(["Hello"], openaiUsage(20, 2_000));
  const long = { model: first, models: [named("gpt-4.1"), named("gpt-5")], messages, max_tokens: 2_000 };

  test("all that they reported is charged, though each alone may use the whole hold", async () => {
    const answers = { "gpt-4o": spending, "gpt-4.1": spending, "gpt-5": whole };
    const { charge, caller, json } = await ask(answers, { body: long });
    expect(json().choices[0].message.content).toBe("Hello");
    // 20 and 2,000 tokens at 2.50 and 10 (gpt-4o), 2 and 8 (gpt-4.1), 1.25 and 10 (gpt-5); planning 2; a quarter more.
    const micro = 50 + 20_000 + 40 + 16_000 + 25 + 20_000 + 2;
    expect(charge).toMatchObject({ amountMicro: -Math.ceil(micro * 1.25), flag: null });
    expect(await caller.account()).toMatchObject({ openHolds: 0 });
  });

  /** The aggregator's report is a chunk of its own, the last one, also where the model's call could not be read. */
  const unreadable: Answer = () =>
    frames(
      { choices: [{ delta: {}, finish_reason: "function_call_filter: MALFORMED_FUNCTION_CALL" }] },
      { choices: [], usage: openaiUsage(20, 2_000) },
    );

  test("a report that comes after the failure is charged", async () => {
    const body = { ...long, models: [named("gpt-5")] };
    const { charge, json } = await ask({ "gpt-4o": unreadable, "gpt-5": whole }, { body });
    expect(json().choices[0].message.content).toBe("Hello");
    expect(charge).toMatchObject({ amountMicro: -Math.ceil((20_050 + 20_025 + 2) * 1.25), flag: null });
  });

  test("a report that comes after the failure is charged where no model is left", async () => {
    const { response, charge } = await ask({ "gpt-4o": unreadable }, { body: { ...long, models: [] } });
    expect(response.status).toBe(502);
    expect(charge).toMatchObject({ amountMicro: -Math.ceil(20_052 * 1.25), outputTokens: 2_000, flag: null });
  });

  test.each(["in one packet", "in two"])(
    "a report after the failure that bills nothing is no reason to charge the call, nor to end there (%s)",
    async (how) => {
      const report = { choices: [], usage: { ...openaiUsage(20, 0), cost: 0 } };
      const texts = [errorFrame, report].map((value) => `data: ${JSON.stringify(value)}\n\n`);
      const packets = how === "in two" ? texts : [texts.join("")];
      const free: Answer = () => {
        const left = packets.map((text) => new TextEncoder().encode(text));
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            const next = left.shift();
            if (next === undefined) controller.close();
            else controller.enqueue(next);
          },
        });
        return eventStream(body);
      };
      const body = { ...long, models: [named("gpt-5")] };
      const { charge, json } = await ask({ "gpt-4o": free, "gpt-5": whole }, { body });
      expect(json().choices[0].message.content).toBe("Hello");
      expect(charge).toMatchObject({ amountMicro: -Math.ceil((20_025 + 2) * 1.25), flag: null });
    },
  );

  const nothing = { choices: [], usage: { ...openaiUsage(20, 0), cost: 0 } };
  test.each<[string, object[]]>([
    ["before the failure", [nothing, errorFrame]],
    ["after it", [errorFrame, nothing]],
    ["in its chunk", [{ ...nothing, ...errorFrame }]],
  ])("a call is free whose report says that nothing is billed, %s", async (_where, sent) => {
    const answers = { "gpt-4o": () => frames(...sent), "gpt-5": whole };
    const last = await ask(answers, { body: { ...long, models: [] } });
    expect(last.response.status).toBe(502);
    // Planning alone.
    expect(last.charge).toMatchObject({ amountMicro: -Math.ceil(2 * 1.25), inputTokens: null, flag: null });
    const { charge } = await ask(answers, { body: { ...long, models: [named("gpt-5")] } });
    expect(charge).toMatchObject({ amountMicro: -Math.ceil((20_025 + 2) * 1.25), flag: null });
  });

  test("it is not where the operator's own key at the host is billed, which costs the aggregator nothing", async () => {
    const report = { choices: [], usage: { ...openaiUsage(20, 2_000), cost: 0, is_byok: true } };
    const answers = { "gpt-4o": () => frames(errorFrame, report) };
    const { charge } = await ask(answers, { body: { ...long, models: [] } });
    expect(charge).toMatchObject({ amountMicro: -Math.ceil(20_052 * 1.25), outputTokens: 2_000 });
  });

  test("without credit for one more the failure stands, and is charged", async () => {
    const { response, charge, caller, tried } = await ask(
      { "gpt-4o": spending, "gpt-4.1": whole },
      { body: long, creditMicro: 40_000 },
    );
    expect(response.status).toBe(502);
    expect(tried()).toEqual(["openai/gpt-4o"]);
    expect(charge).toMatchObject({ amountMicro: -Math.ceil(20_052 * 1.25), flag: null });
    expect(await caller.account()).toMatchObject({ openHolds: 0 });
  });

  test.each([
    ["reported no tokens", 0, {}, 0],
    ["reported little", 5, {}, 50 + 50],
    ["was on the caller's own key", 2_000, { "x-alpha-key": "sk-own" }, 0],
  ])(
    "no credit is needed beside what is charged where the failed one %s",
    async (_what, output, headers, earlier) => {
      const body = { ...long, models: [second] };
      const reported: Answer = () =>
        frames({ choices: [], usage: openaiUsage(output && 20, output) }, errorFrame);
      const creditMicro = (await required(body)) * 1_000_000 + earlier * 1.25;
      const { response, charge } = await ask({ "gpt-4o": reported }, { body, creditMicro, headers });
      expect(response.status).toBe(200);
      expect(charge).toMatchObject({ amountMicro: -Math.ceil((66 + 2 + earlier) * 1.25), flag: null });
    },
  );

  test("the pool's share bears its markup where the caller's own key took over", async () => {
    const headers = { "x-beta-key": "sk-ant-own" };
    const { charge, json } = await ask(
      { "gpt-4o": reporting, claude: fineClaude },
      { headers, body: { ...hello, models: [second] } },
    );
    expect(json()).toMatchObject({
      choices: [{ message: { content: "Hello" } }],
      svc: {
        key_source: "user",
        pool_markup_applied: null,
        execution_llm: expect.stringContaining("claude"),
      },
    });
    // 2 of planning as they are, 250 of the pool's with a quarter more.
    expect(charge).toMatchObject({ amountMicro: -Math.ceil(2 + 250 * 1.25), keySource: "user", markup: 0 });
  });

  test("a key that may not use a model may not fall back on it", async () => {
    const app = start({});
    const caller = await newCaller(1_000_000, { models: [first] });
    const response = await app.chat(caller.apiKey, hello);
    expect(response.status).toBe(403);
    expect(app.sent).toEqual([]);
  });
});
