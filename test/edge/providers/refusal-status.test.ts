// Whose fault a provider's refusal is, by its status and the key that was used.
import { describe, expect, test } from "vitest";
import { routerDialect } from "../../../edge/dialects/provider/openai/dialect.ts";
import { describeRefusal, readRefusal } from "../../../edge/providers/refusal.ts";
import { pooled, reply, route } from "../support/refused-route.ts";

describe("a provider's refusal", () => {
  test.each([
    [400, "upstream_rejected", 400],
    [401, "invalid_provider_key", 401],
    [403, "invalid_provider_key", 401],
    [402, "upstream_rejected", 400],
    [404, "model_not_found", 404],
    [408, "upstream_timeout", 504],
    [413, "request_too_large", 413],
    [422, "upstream_rejected", 400],
    [429, "upstream_rate_limited", 429],
    [500, "upstream_error", 502],
    [502, "upstream_error", 502],
    [302, "upstream_error", 502],
    [503, "upstream_overloaded", 502],
    [504, "upstream_error", 502],
    [529, "upstream_overloaded", 502],
  ])("%i on a caller's key is %s", (status, code, ours) => {
    const error = describeRefusal(route, reply(status), 0);
    expect([error.code, error.status]).toEqual([code, ours]);
  });

  test.each([
    [401, "your provider key"],
    [403, "your provider key"],
    [402, "your account at the provider"],
  ])("%i on a caller's key is told from our own by its words", (status, words) => {
    const { message } = describeRefusal(route, reply(status), 0);
    expect(message).toContain(words);
    expect(message).not.toContain("canary");
  });

  // github.com/home-assistant/core/issues/120072
  test("403 on a caller's key says what is missing; 401 does not repeat what is said of the key", () => {
    const words = "Country, region, or territory not supported";
    expect(describeRefusal(route, reply(403, words), 0).message).toContain(`answered 403: ${words} - check`);
    expect(describeRefusal(route, reply(401, words), 0).message).not.toContain(words);
  });

  test.each([
    ["a guardrail's", { message: "Request blocked: prompt injection patterns detected", code: 403 }],
    ["its type's", { message: "x", code: 403, metadata: { error_type: "content_policy_violation" } }],
    ["moderation's", { message: "x", code: 403, metadata: { reasons: ["violence"] } }],
  ])("a 403 for the content of a request is no key's: %s", async (_name, error) => {
    const response = Response.json({ error }, { status: 403 });
    expect(describeRefusal(pooled, await readRefusal(response, pooled), 0).code).toBe("upstream_rejected");
    const event = routerDialect.readReply({ error })[0];
    expect(event).toMatchObject({ type: "error", code: "upstream_rejected" });
  });

  test("a 403 by a firewall before the pool's provider stays this service's fault", async () => {
    const response = Response.json({ error: "Request blocked by the firewall" }, { status: 403 });
    const { code, message } = describeRefusal(pooled, await readRefusal(response, pooled), 0);
    expect([code, message.includes("firewall")]).toEqual(["upstream_error", false]);
  });

  test.each([
    "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64.",
    "max_tokens is too large: 100000. This model supports at most 16384 completion tokens.",
    "`max_tokens` must be at most `8192`; it is less than the `context_window` for this model",
    "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum",
    "Please reduce your request rate.",
    "Tool description is too long: maximum length is 1024",
    "Range of max_tokens should be [1, 8192]",
    "the maximum prompt length is a number",
  ])("is another mistake of the request: %s", (words) => {
    expect(describeRefusal(route, reply(400, words), 0).code).toBe("upstream_rejected");
  });

  test("429 on a caller's key says which of the caller's limits it is; on the pool they are the operator's", () => {
    const words = "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 34567.";
    expect(describeRefusal(route, reply(429, words), 0).message).toContain(words.slice(0, -1));
    expect(describeRefusal(pooled, reply(429, words), 0).message).not.toContain("TPM");
  });

  test.each([401, 402, 403])(
    "%i on the pool's key is the operator's trouble, not the caller's key",
    (status) => {
      const error = describeRefusal(pooled, reply(status), 0);
      expect(error.message).toContain("only this service's operator can mend it");
      expect([error.code, error.message.includes("words of the provider")]).toEqual([
        "upstream_error",
        false,
      ]);
    },
  );

  test.each([
    ["a caller's key", { ...route, provider: "router" as const }],
    ["the pool's key", pooled],
  ])("an input that the aggregator flags is the caller's to change, on %s", (_, given) => {
    const { code, message } = describeRefusal(given, { ...reply(403), flagged: true }, 0);
    expect([code, message.includes("words of the provider")]).toEqual(["upstream_rejected", true]);
  });
});
