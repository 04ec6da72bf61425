import { describe, expect, test } from "vitest";
import { alphaDialect } from "../../../../../edge/dialects/provider/openai/dialect.ts";

describe("a provider's words about a refusal", () => {
  test.each<[string, unknown, string | undefined]>([
    ["OpenAI", { error: { message: "No such model", type: "x", code: "y" } }, "No such model"],
    [
      "OpenRouter, with the vendor's own",
      {
        error: {
          code: 400,
          message: "Provider returned error",
          metadata: { raw: "too long", provider_name: "x" },
        },
      },
      "Provider returned error: too long",
    ],
    ["Google's list", [{ error: { message: "bad" } }], "bad"],
    ["plain text", { error: "nope" }, "nope"],
    ["FastAPI", { detail: "missing" }, "missing"],
    ["none", {}, undefined],
    ["not JSON", undefined, undefined],
  ])("%s", (_, body, expected) => {
    expect(alphaDialect.readRefusal(body).message).toBe(expected);
  });
});
