import { describe, expect, test } from "vitest";
import { describeFailure } from "../../../edge/providers/failure.ts";
import { describeRefusal, readRefusal } from "../../../edge/providers/refusal.ts";
import { pauseBefore, readRetryAfter } from "../../../edge/providers/retry-after.ts";
import { scrub } from "../../../edge/providers/scrub.ts";
import { pooled, reply, route } from "../support/refused-route.ts";

// github.com/2389-research/tracker/issues/547, github.com/langchain-ai/langchainjs/issues/1929
test("a 429 for credit says so, and that a retry does not help (failures 55)", async () => {
  const words = "You exceeded your current quota, please check your plan and billing details.";
  const error = { message: words, type: "insufficient_quota", param: null, code: "insufficient_quota" };
  const given = () => Response.json({ error }, { status: 429, headers: { "retry-after": "20" } });
  const own = describeRefusal(route, await readRefusal(given(), route), 0);
  expect(own.message).toEqual(
    expect.stringContaining(`answered 429: ${words} - add credit to your account at the provider.`),
  );
  expect([own.code, own.details]).toEqual([
    "upstream_rate_limited",
    { headers: { "x-should-retry": "false" } },
  ]);
  const ofPool = describeRefusal(pooled, await readRefusal(given(), pooled), 0);
  expect([ofPool.details.retryAfterSeconds, ofPool.message.includes(words)]).toEqual([20, false]);
});

// github.com/genkit-ai/genkit/pull/6303
test("a model that takes tools only by OpenAI's other API is to be had from OpenRouter", () => {
  const words =
    "Function tools with reasoning_effort are not supported for gpt-6-astra in /v1/chat/completions. To use function tools, use /v1/responses.";
  const { code, message } = describeRefusal(route, reply(400, words), 0);
  expect(code).toBe("upstream_rejected");
  expect(message).toContain(words.slice(0, -1));
  expect(message).toMatch(/send a key for OpenRouter \(x-router-key\) in place of the one for OpenAI/i);
  for (const other of [pooled, { ...pooled, keySource: "user" } as const])
    expect(describeRefusal(other, reply(400, words), 0).message).not.toContain("x-router-key");
});

// github.com/theopenco/llmgateway/pull/3297, github.com/dyad-sh/dyad/issues/3626
test.each([
  [
    "beta",
    400,
    {
      type: "error",
      error: { type: "invalid_request_error", message: "Your credit balance is too low to access it." },
    },
  ],
  [
    "gamma",
    429,
    { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "Your prepayment credits are depleted." } },
  ],
] as const)(
  "used-up credit is told by %s's own words in a %i (failures 55)",
  async (provider, status, body) => {
    const given = { ...route, provider };
    const error = describeRefusal(given, await readRefusal(Response.json(body, { status }), given), 0);
    expect(error.message).toContain(body.error.message.replace(/\.$/, ""));
    expect(error.message).toContain("add credit to your account at the provider");
    expect([error.code, error.details]).toEqual([
      "upstream_rate_limited",
      { headers: { "x-should-retry": "false" } },
    ]);
  },
);

describe("a provider's refusal", () => {
  test.each([
    [
      400,
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    ],
    [400, "Your input exceeds the context window of this model. Please adjust your input and try again."],
    [400, "prompt is too long: 205000 tokens > 200000 maximum"],
    [400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"],
    [400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
    [400, "the request exceeds the available context size, try increasing it"],
    [
      400,
      "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
    ],
    [413, "Prompt is too long"],
    // github.com/sst/opencode's and github.com/badlogic/pi-mono's lists of what servers say
    [400, "Please reduce the length of the messages or completion."],
    [400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
    [400, "Invalid request: Your request exceeded model token limit: 262144 (requested: 270000)"],
    [400, "The input (30000 tokens) is longer than the model's context length (4096 tokens)."],
    [400, "You passed 5000 input tokens. However, the model's context length is only 4096 tokens."],
    [400, "The decoder prompt (length 9000) is longer than the maximum model length of 4096."],
    [
      400,
      "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
    ],
    [400, "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it"],
    [400, "prompt too long; exceeded max context length by 4 tokens"],
    [400, "The input length exceeds the context length"],
    [400, "Input is too long for requested model."],
    [400, "InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]"],
    [500, "the input length exceeds the context length"],
    [500, "Context size has been exceeded."],
  ])("%i: %s is told by OpenAI's code, and in words that Claude Code knows (failures 45)", (status, said) => {
    const { code, status: ours, message } = describeRefusal(route, reply(status, said), 0);
    expect([code, ours]).toEqual(["context_length_exceeded", 400]);
    expect(message).toContain(said.replace(/\.$/, ""));
    expect(message).toContain("prompt is too long");
    for (const given of ["upstream_rejected", "upstream_error", "context_length_exceeded"] as const) {
      const late = describeFailure({ type: "error", code: given, message: said }, undefined);
      expect([late.code, late.message.includes("prompt is too long")]).toEqual([code, true]);
      expect(describeFailure(late, undefined)).toEqual(late);
    }
  });

  // openrouter.ai/docs/client-sdks/python/components/apierrortype, console.groq.com/docs/errors, github.com/ggml-org/llama.cpp/pull/13660
  test.each([
    ["OpenAI's code", { code: "context_length_exceeded", type: "invalid_request_error" }],
    ["llama.cpp's type", { code: 400, type: "exceed_context_size_error" }],
    ["the aggregator's type", { code: 400, metadata: { error_type: "context_length_exceeded" } }],
  ])("%s tells it, whatever the words are (failures 45)", async (_name, error) => {
    const response = Response.json(
      { error: { message: "Provider returned error", ...error } },
      { status: 400 },
    );
    const { code, message } = describeRefusal(pooled, await readRefusal(response, pooled), 0);
    expect([code, message.includes("prompt is too long")]).toEqual(["context_length_exceeded", true]);
  });

  test("the list by which FastAPI's servers name what is wrong is told", async () => {
    const detail = [
      {
        type: "missing",
        loc: ["body", "messages", 0, "content"],
        msg: "Field required",
        input: { role: "user" },
      },
      { loc: null, msg: "Extra inputs are not permitted" },
    ];
    const response = Response.json({ detail }, { status: 422 });
    const { message } = describeRefusal(route, await readRefusal(response, route), 0);
    expect(message).toContain(
      "answered 422: body.messages.0.content: Field required; Extra inputs are not permitted - ",
    );
  });

  // With any distance between them a megabyte of the first words took half a minute.
  test("the words of Gemini's refusal stand close to each other", () => {
    const message = `The input token count ${"of ".repeat(20)} exceeds`;
    const { code } = describeFailure({ type: "error", code: "upstream_rejected", message }, undefined);
    expect(code).toBe("upstream_rejected");
  });

  test("no other refusal is", () => {
    expect(describeRefusal(route, reply(429, "context window busy"), 0).code).toBe("upstream_rate_limited");
    expect(describeRefusal(route, reply(400, "max_tokens: 9000 > 4096"), 0).code).toBe("upstream_rejected");
    const ofOperator = describeRefusal(pooled, reply(402, "prompt is too long for your credit"), 0);
    expect(ofOperator.code).toBe("upstream_error");
  });

  test("a 400 quotes the provider, with every key scrubbed", () => {
    const { message } = describeRefusal(
      route,
      reply(400, "bad key sk-proj-canary-123456 and sk-or-v1-abcdefgh here"),
      0,
    );
    expect(message).toContain("bad key [key] and [key] here");
  });

  test.each([
    ["retry-after-ms", route, new Response("{}", { status: 429, headers: { "retry-after-ms": "7200" } })],
    [
      "the aggregator's own limit",
      pooled,
      Response.json(
        {
          error: {
            message: "free-models-per-min",
            code: 429,
            metadata: { headers: { "X-RateLimit-Reset": "8000" } },
          },
        },
        { status: 429 },
      ),
    ],
    [
      "the aggregator's host",
      pooled,
      Response.json(
        {
          error: {
            message: "Provider returned error",
            code: 429,
            metadata: { retry_after_seconds: 7.007, headers: { "Retry-After": "8" } },
          },
        },
        { status: 429 },
      ),
    ],
  ])("when to come back is read from %s (failures 46)", async (_name, of, response) => {
    const { details } = describeRefusal(of, await readRefusal(response, of), 0);
    expect(details.retryAfterSeconds).toBe(8);
  });

  // Bodies as Google sends them: a key that it does not know is 400 as a wrong request is, and when to come back is in the body.
  const ofGemini = { ...route, provider: "gamma" as const };
  const google = (status: number, name: string, ...details: object[]) =>
    Response.json({ error: { code: status, message: "words", status: name, details } }, { status });
  test.each([
    [google(400, "INVALID_ARGUMENT", { reason: "API_KEY_INVALID" }), "invalid_provider_key", undefined],
    [google(400, "INVALID_ARGUMENT", { reason: "OTHER" }), "upstream_rejected", undefined],
    [google(400, "INVALID_ARGUMENT"), "upstream_rejected", undefined],
    [google(429, "RESOURCE_EXHAUSTED", {}, { retryDelay: "13.2s" }), "upstream_rate_limited", 14],
    [google(429, "RESOURCE_EXHAUSTED", { retryDelay: "soon" }), "upstream_rate_limited", 1],
    [google(429, "RESOURCE_EXHAUSTED", { retryDelay: 5 }), "upstream_rate_limited", 1],
  ])("of Gemini's is read from its body (%#)", async (response, code, seconds) => {
    const error = describeRefusal(ofGemini, await readRefusal(response, ofGemini), 0);
    expect([error.code, error.details.retryAfterSeconds]).toEqual([code, seconds]);
  });

  test("what it says for clients beside its words travels, without a key and not without end", () => {
    const details = { limit: { name: "max sk-proj-canary-123456", "\nsk-ant-abcdef": [1, null, "ok"] } };
    const refuse = (status: number, given: Record<string, unknown>) =>
      describeRefusal(route, { ...reply(status), details: given }, 0).details.instructions;
    expect(refuse(400, details)).toEqual({ limit: { name: "max [key]", "\n[key]": [1, null, "ok"] } });
    expect(refuse(429, details)).toBeDefined();
    expect(refuse(401, details)).toBeUndefined();
    expect(refuse(400, { text: "x".repeat(4_000) })).toBeUndefined();
  });

  test.each([
    [429, "17", 17],
    [429, null, 1],
    [500, "17", 17],
    [503, "17", 17],
    [529, "17", 17],
    [529, null, undefined],
    [400, "17", undefined],
  ])("%i with Retry-After %s asks its caller to wait %s seconds", (status, header, seconds) => {
    const { details } = describeRefusal(route, reply(status, "later", header), 0);
    expect(details.retryAfterSeconds).toBe(seconds);
  });
});

test.each([
  ["12", 12],
  ["7.2", 8],
  ["Thu, 01 Jan 1970 00:00:30 GMT", 20],
  ["Thu, 01 Jan 1970 00:00:01 GMT", undefined],
  ["soon", undefined],
  ["-3", undefined],
  [null, undefined],
])("Retry-After %s is %s seconds", (header, seconds) => {
  expect(readRetryAfter(header, 10_000)).toBe(seconds);
});

test("scrubbing knows keys by shape and by value, and bounds the quote", () => {
  expect(scrub("AIzaSyA-1234567890 odd=secretvalue", "secretvalue")).toBe("[key] odd=[key]");
  expect(scrub("x".repeat(5_000), undefined)).toHaveLength(600);
});

test.each([
  [null, 250],
  ["0", 250],
  ["1", 1_000],
  ["2", 2_000],
  ["3", undefined],
])("a second try of ours after Retry-After %s waits %s ms", (header, pauseMs) => {
  expect(pauseBefore(header, 0)).toBe(pauseMs);
});
