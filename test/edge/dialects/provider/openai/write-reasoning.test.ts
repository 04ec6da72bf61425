// How much a model of OpenAI's is asked to think, by name, effort and tools.
import { describe, expect, test } from "vitest";
import { toAlpha, toRouter } from "./written-request.ts";

describe("reasoning efforts", () => {
  test("gpt-5 cannot stop reasoning, so it takes no temperature either", () => {
    const { body, unsupported } = toAlpha({ temperature: 0, reasoning: { effort: "none" } }, "gpt-5");
    expect(body).toMatchObject({ reasoning_effort: "minimal" });
    expect(body).not.toHaveProperty("temperature");
    expect(unsupported).toEqual(["temperature", "reasoning_effort"]);
  });

  test.each([
    ["gpt-5", "none", "minimal", true],
    ["gpt-5-mini", "xhigh", "high", true],
    ["gpt-5.1", "minimal", "low", true],
    ["gpt-5.1", "none", "none", false],
    ["gpt-5.2", "xhigh", "xhigh", false],
    ["gpt-5-pro", "low", "high", true],
    ["o3", "none", "low", true],
    ["gpt-6-luna", "none", "none", false],
    ["gpt-6-sol", "max", "max", false],
    ["gpt-6-astra", "none", "low", true],
    ["gpt-6-astra", "max", "xhigh", true],
    ["gpt-6.1-sol", "none", "low", true],
    ["gpt-6.2-sol", "minimal", "low", true],
    ["gpt-6.2-astra", "xhigh", "xhigh", false],
    ["o4-mini", "medium", "medium", false],
  ] as const)("%s is asked for %s as %s", (model, effort, sent, named) => {
    const { body, unsupported } = toAlpha({ reasoning: { effort } }, model);
    expect(body.reasoning_effort).toBe(sent);
    expect(unsupported).toEqual(named ? ["reasoning_effort"] : []);
  });
});

describe("function tools beside reasoning, which chat completions of newer models refuse", () => {
  const tools = [{ name: "f" }];
  test.each([
    ["gpt-5.6-sol", {}, "none", false],
    ["gpt-5.6-terra", { reasoning: { effort: "high" } }, "none", true],
    ["gpt-5.4", { reasoning: { effort: "none" } }, "none", false],
    ["gpt-6-sol", { reasoning: { effort: "max" } }, "none", true],
    // Refused with every effort, and "none" is none of theirs.
    ["gpt-6-astra", {}, undefined, false],
    ["gpt-6.1-sol", { reasoning: { effort: "high" } }, "high", false],
    ["gpt-5.2", { reasoning: { effort: "high" } }, "high", false],
    ["gpt-5.6-chat-latest", {}, undefined, false],
    ["gpt-4o", {}, undefined, false],
  ] as const)("%s, asked for %j, is asked for %s", (model, fields, sent, named) => {
    const { body, unsupported } = toAlpha({ tools, ...fields }, model);
    expect(body.reasoning_effort).toBe(sent);
    expect(unsupported).toEqual(named ? ["reasoning_effort"] : []);
  });

  test("without tools the same models reason", () => {
    expect(toAlpha({ reasoning: { effort: "high" } }, "gpt-5.6-sol").body.reasoning_effort).toBe("high");
    expect(toAlpha({}, "gpt-5.6-sol").body).not.toHaveProperty("reasoning_effort");
  });

  test("with reasoning off they take a temperature", () => {
    const { body, unsupported } = toAlpha({ tools, temperature: 0.2 }, "gpt-5.6-sol");
    expect(body.temperature).toBe(0.2);
    expect(unsupported).toEqual([]);
  });

  test("the aggregator is asked for the effort, since it asks OpenAI another way", () => {
    const { body } = toRouter({ tools, reasoning: { effort: "high" } }, "openai/gpt-5.6-sol");
    expect(body).toMatchObject({ reasoning: { effort: "high" } });
    expect(body).not.toHaveProperty("reasoning_effort");
  });
});

test.each([
  ["gpt-5", "high", true],
  ["gpt-5.4", "xhigh", true],
  ["o3", "high", true],
  ["local-model", "max", false],
] as const)("effort max is sent to %s as %s", (model, sent, named) => {
  const { body, unsupported } = toAlpha({ reasoning: { effort: "max" } }, model);
  expect(body.reasoning_effort).toBe(sent);
  expect(unsupported).toEqual(named ? ["reasoning_effort"] : []);
});

test("effort max is sent to the aggregator as it is", () => {
  const { body, unsupported } = toRouter({ reasoning: { effort: "max" } }, "openai/gpt-5.6-sol");
  expect(body).toMatchObject({ reasoning: { effort: "max" } });
  expect(unsupported).toEqual([]);
});
