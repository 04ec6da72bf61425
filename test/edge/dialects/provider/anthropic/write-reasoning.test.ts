import { describe, expect, it } from "vitest";
import { anthropicDialect } from "../../../../../edge/dialects/provider/anthropic/dialect.ts";
import { readModelQuirks } from "../../../../../edge/dialects/provider/anthropic/model-quirks.ts";
import type { ChatRequest } from "../../../../../shared/chat.ts";
import { chatRequest } from "../../replay.ts";

type Reasoning = NonNullable<ChatRequest["reasoning"]>;
const write = (fields: Partial<ChatRequest>, model: string, maxOutputTokens = 20_000) => {
  const { body, unsupported } = anthropicDialect.writeRequest(chatRequest(fields), {
    model,
    maxOutputTokens,
  });
  return { thinking: body.thinking, output_config: body.output_config, unsupported };
};
const adaptive = { type: "adaptive", display: "summarized" };
const budget = (budget_tokens: number) => ({ type: "enabled", budget_tokens });

describe("reasoning in a Messages request", () => {
  it.each<[Reasoning, string, unknown, unknown, string[]]>([
    // A token budget: the models before 4.6.
    [{ effort: "medium" }, "claude-sonnet-4-5", budget(8_192), undefined, []],
    [{ effort: "xhigh" }, "claude-sonnet-4-5", budget(15_000), undefined, []],
    [{ budgetTokens: 5_000 }, "claude-3-7-sonnet-20250219", budget(5_000), undefined, []],
    [{ budgetTokens: 100 }, "claude-opus-4-1", budget(1_024), undefined, ["reasoning_effort"]],
    [{ budgetTokens: 64_000 }, "claude-opus-4-1", budget(19_999), undefined, ["reasoning_effort"]],
    [{ effort: "none" }, "claude-sonnet-4-5", undefined, undefined, []],
    [{ effort: "high" }, "claude-3-5-haiku-20241022", undefined, undefined, ["reasoning_effort"]],
    // Either: 4.6.
    [{ effort: "high" }, "claude-opus-4-6", adaptive, { effort: "high" }, []],
    [{ effort: "xhigh" }, "claude-sonnet-4-6", adaptive, { effort: "max" }, []],
    [{ budgetTokens: 5_000 }, "claude-sonnet-4-6", budget(5_000), undefined, []],
    // Adaptive only: 4.7 and later.
    [{ effort: "minimal" }, "claude-opus-4-7", adaptive, { effort: "low" }, []],
    [{ effort: "xhigh" }, "claude-sonnet-5", adaptive, { effort: "xhigh" }, []],
    [{ effort: "max" }, "claude-opus-4-6", adaptive, { effort: "max" }, []],
    [{ effort: "max" }, "claude-opus-4-7", adaptive, { effort: "max" }, []],
    [{ effort: "max" }, "claude-sonnet-4-5", budget(15_000), undefined, []],
    [{ budgetTokens: 10_000 }, "claude-opus-5", adaptive, { effort: "medium" }, ["reasoning_effort"]],
    [{ effort: "none" }, "claude-opus-4-8", undefined, undefined, []],
    [{ effort: "none" }, "claude-opus-5", { type: "disabled" }, undefined, []],
    [{ effort: "none" }, "claude-sonnet-5-5", { type: "between_tools" }, undefined, []],
    [{ effort: "none" }, "claude-fable-5-1", undefined, { effort: "low" }, ["reasoning_effort"]],
  ])("%j to %s", (reasoning, model, thinking, outputConfig, unsupported) => {
    expect(write({ reasoning }, model)).toEqual({ thinking, output_config: outputConfig, unsupported });
  });

  it("is left to the model where the caller does not ask", () => {
    expect(write({}, "claude-opus-5")).toEqual({
      thinking: undefined,
      output_config: undefined,
      unsupported: [],
    });
  });

  it("is left out where max_tokens leaves no room for the smallest budget", () => {
    expect(write({ reasoning: { effort: "low" } }, "claude-haiku-4-5", 1_200)).toEqual({
      thinking: undefined,
      output_config: undefined,
      unsupported: ["reasoning_effort"],
    });
  });

  it.each([
    ["claude-haiku-4-5", undefined, ["reasoning_effort"]],
    ["claude-opus-4-7", undefined, ["reasoning_effort"]],
    ["claude-opus-5", adaptive, []],
  ])("is left out beside a forced tool where %s takes only one of them", (model, thinking, unsupported) => {
    const fields: Partial<ChatRequest> = {
      reasoning: { effort: "high" },
      tools: [{ name: "f" }],
      toolChoice: { type: "required" },
    };
    expect(write(fields, model)).toMatchObject({ thinking, unsupported });
  });

  const toolTurn = (signed: boolean): ChatRequest["messages"] => [
    { role: "user", parts: [{ type: "text", text: "Go" }] },
    {
      role: "assistant",
      parts: [
        ...(signed ? [{ type: "reasoning" as const, text: "Hm", signature: "c2VhbA==" }] : []),
        { type: "tool-call", id: "c1", name: "f", arguments: "{}" },
      ],
    },
    {
      role: "tool",
      parts: [{ type: "tool-result", toolCallId: "c1", content: [{ type: "text", text: "ok" }] }],
    },
  ];

  it.each([
    ["with its thinking", "claude-sonnet-4-5", true, budget(8_192), []],
    [
      "without it, where a budget would be refused",
      "claude-sonnet-4-5",
      false,
      undefined,
      ["reasoning_effort"],
    ],
    ["without it, where thinking is adaptive", "claude-opus-5", false, adaptive, []],
  ])("in a tool loop sent back %s", (_name, model, signed, thinking, unsupported) => {
    const fields = {
      messages: toolTurn(signed),
      tools: [{ name: "f" }],
      reasoning: { effort: "medium" as const },
    };
    expect(write(fields, model)).toMatchObject({ thinking, unsupported });
  });

  it("is sent after a tool loop that is over", () => {
    const messages: ChatRequest["messages"] = [
      ...toolTurn(false),
      { role: "assistant", parts: [{ type: "text", text: "Done" }] },
      { role: "user", parts: [{ type: "text", text: "Next" }] },
    ];
    expect(write({ messages, reasoning: { effort: "low" } }, "claude-sonnet-4-5").thinking).toEqual(
      budget(2_048),
    );
  });
});

describe("an Anthropic caller's own thinking", () => {
  const high = { effort: "high" };
  const format = { type: "json_schema", schema: {} };
  it.each<[string, NonNullable<ChatRequest["verbatim"]>, Reasoning, string, unknown, unknown, string[]]>([
    [
      "a budget",
      { thinking: budget(5_000) },
      { budgetTokens: 5_000 },
      "claude-opus-4-6",
      budget(5_000),
      undefined,
      [],
    ],
    [
      "adaptive",
      { thinking: { type: "adaptive" } },
      { effort: "medium" },
      "claude-opus-5",
      { type: "adaptive" },
      undefined,
      [],
    ],
    [
      "a form of its own",
      { thinking: { type: "later" } },
      { effort: "none" },
      "claude-fable-5-1",
      { type: "later" },
      undefined,
      [],
    ],
    ["an effort", { output_config: high }, { effort: "high" }, "claude-haiku-4-5", undefined, high, []],
    // 400 "thinking.type.enabled" is not supported for this model.
    [
      "a budget",
      { thinking: budget(5_000) },
      { budgetTokens: 5_000 },
      "claude-opus-4-8",
      adaptive,
      { effort: "low" },
      ["thinking"],
    ],
    [
      "a budget beside an effort and a format",
      { thinking: budget(5_000), output_config: { ...high, format } },
      { budgetTokens: 5_000, effort: "high" },
      "claude-opus-5",
      adaptive,
      { ...high, format },
      [],
    ],
    // 400 adaptive thinking is not supported on this model.
    [
      "adaptive",
      { thinking: { type: "adaptive" }, output_config: high },
      { effort: "high" },
      "claude-haiku-4-5",
      budget(15_000),
      undefined,
      [],
    ],
    // How it is shown holds in either form.
    [
      "adaptive, hidden",
      { thinking: { type: "adaptive", display: "omitted" } },
      { effort: "low" },
      "claude-haiku-4-5",
      { ...budget(2_048), display: "omitted" },
      undefined,
      [],
    ],
    [
      "a budget, hidden",
      { thinking: { ...budget(5_000), display: "omitted" } },
      { budgetTokens: 5_000 },
      "claude-opus-4-8",
      { type: "adaptive", display: "omitted" },
      { effort: "low" },
      ["thinking"],
    ],
    [
      "off",
      { thinking: { type: "disabled" } },
      { effort: "none" },
      "claude-opus-5",
      { type: "disabled" },
      undefined,
      [],
    ],
    // 400, with the advice to send the other.
    [
      "off",
      { thinking: { type: "disabled" }, output_config: { effort: "max" } },
      { effort: "none" },
      "claude-sonnet-5-5",
      { type: "between_tools" },
      undefined,
      [],
    ],
    [
      "between tools",
      { thinking: { type: "between_tools" } },
      { effort: "none" },
      "claude-sonnet-5-5",
      { type: "between_tools" },
      undefined,
      [],
    ],
    [
      "between tools",
      { thinking: { type: "between_tools" } },
      { effort: "none" },
      "claude-sonnet-5",
      { type: "disabled" },
      undefined,
      [],
    ],
    [
      "off",
      { thinking: { type: "disabled" } },
      { effort: "none" },
      "claude-opus-5-5",
      undefined,
      { effort: "low" },
      ["thinking"],
    ],
  ])(
    "%s (%j, %j) to %s (failures 74)",
    (_name, verbatim, reasoning, model, thinking, outputConfig, unsupported) => {
      const fields = { callerDialect: "anthropic", verbatim, reasoning } as const;
      expect(write(fields, model)).toEqual({ thinking, output_config: outputConfig, unsupported });
    },
  );
});

describe("model quirks", () => {
  it.each([
    ["claude-3-5-sonnet-20241022", { sampling: "free", thinking: "unsupported", structuredOutput: false }],
    ["claude-opus-4-20250514", { sampling: "free", thinking: "budget", structuredOutput: false }],
    ["claude-opus-4-1-20250805", { sampling: "one-of", thinking: "budget", structuredOutput: true }],
    ["claude-haiku-4-5-20251001", { sampling: "one-of", thinking: "budget", forcedTool: "without-thinking" }],
    [
      "claude-haiku-5-5",
      { sampling: "none", thinking: "adaptive", thinkingOff: "disabled", forcedTool: "yes" },
    ],
    [
      "claude-mythos-preview",
      { sampling: "none", thinking: "adaptive", thinkingOff: "never", xhighEffort: false },
    ],
    ["claude-opus-5-5", { thinkingOff: "never", forcedTool: "no" }],
    ["claude-something-new-7", { sampling: "none", thinking: "adaptive", forcedTool: "yes" }],
    ["claude-2.1", { sampling: "free", thinking: "unsupported" }],
  ])("of %s", (model, quirks) => {
    expect(readModelQuirks(model)).toMatchObject(quirks);
  });
});
