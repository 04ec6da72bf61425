import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listClosest, parseModelName, writeModelName } from "../../../edge/catalog/model-name.ts";
import { modelSizes } from "../../../shared/model-sizes.ts";

describe("model names", () => {
  it.each([
    ["svc-x1ac-base-gpt-4o", { kind: "chat", size: "base", llm: "gpt-4o" }],
    [
      "svc-x1ac-xl-meta-llama/llama-3.3-70b-instruct:free",
      { kind: "chat", size: "xl", llm: "meta-llama/llama-3.3-70b-instruct:free" },
    ],
    ["svc-x1ac-small-~openai/gpt-latest", { kind: "chat", size: "small", llm: "~openai/gpt-latest" }],
    ["svc-x1ac-huge", { kind: "embedding", size: "huge" }],
    ["svc-x1ac-medium-gpt-4o", { kind: "unknown", reason: "size" }],
    ["svc-x1ac-constructor", { kind: "unknown", reason: "size" }],
    ["gpt-4o", { kind: "unknown", reason: "format" }],
    ["svc-x1ac-", { kind: "unknown", reason: "format" }],
    ["svc-x1ac-base-", { kind: "unknown", reason: "format" }],
    ["", { kind: "unknown", reason: "format" }],
  ])("reads %j", (name, expected) => {
    expect(parseModelName(name)).toEqual(expected);
  });

  it("reads back every name it writes", () => {
    fc.assert(
      fc.property(fc.constantFrom(...modelSizes), fc.string({ minLength: 1 }), (size, llm) => {
        expect(parseModelName(writeModelName(size, llm))).toEqual({ kind: "chat", size, llm });
      }),
    );
  });

  it("suggests the nearest ids first and nothing far away", () => {
    const ids = ["gpt-4o", "gpt-4o-mini", "claude-sonnet-5"];
    expect(listClosest("gpt4o", ids)[0]).toBe("gpt-4o");
    expect(listClosest("claude-sonet-5", ids)).toEqual(["claude-sonnet-5"]);
    expect(listClosest("zzzzzz", ids)).toEqual([]);
  });
});
