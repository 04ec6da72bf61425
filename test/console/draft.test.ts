import { describe, expect, test } from "vitest";
import { defaultModel } from "../../edge/console/api/model-names.ts";
import {
  type Draft,
  emptyParameters,
  openingMessages,
  readSettings,
  readTools,
} from "../../edge/console/playground/draft.ts";

const draft: Draft = {
  model: defaultModel,
  state: "",
  goal: "Hi",
  tools: "",
  parameters: emptyParameters,
  compare: false,
};
const withParameters = (parameters: Partial<Draft["parameters"]>): Draft => ({
  ...draft,
  parameters: { ...emptyParameters, ...parameters },
});

describe("the settings of a draft", () => {
  test("empty fields are left to the provider", () => {
    expect(readSettings(draft)).toEqual({ ok: true, value: { model: defaultModel } });
  });

  test("numbers go out under the API's names", () => {
    const read = readSettings(
      withParameters({ temperature: "0.2", topP: "0.9", maxTokens: "100", seed: "7" }),
    );
    expect(read).toMatchObject({ value: { temperature: 0.2, top_p: 0.9, max_tokens: 100, seed: 7 } });
  });

  test.each([
    [{ temperature: "3" }, "Temperature is a number from 0 to 2."],
    [{ temperature: "warm" }, "Temperature is a number from 0 to 2."],
    [{ maxTokens: "1.5" }, "Max tokens is a whole number from 1 to 1000000."],
    [{ maxLlmCalls: "11" }, "LLM calls is a whole number from 1 to 10."],
  ])("%o is refused in a sentence", (parameters, message) => {
    expect(readSettings(withParameters(parameters))).toEqual({ ok: false, message });
  });

  test("one LLM call is the default and not sent, more are sent in svc", () => {
    expect(readSettings(withParameters({ maxLlmCalls: "1" }))).toEqual(readSettings(draft));
    expect(readSettings(withParameters({ maxLlmCalls: "3" }))).toMatchObject({
      value: { svc: { max_llm_calls: 3 } },
    });
  });

  test("a tool choice is sent only with tools", () => {
    expect(readSettings(withParameters({ toolChoice: "required" }))).toEqual(readSettings(draft));
    const tools = '[{"name": "look"}]';
    expect(readSettings({ ...withParameters({ toolChoice: "required" }), tools })).toMatchObject({
      value: { tool_choice: "required", tools: [{ type: "function", function: { name: "look" } }] },
    });
  });
});

describe("tools", () => {
  test("are read with and without OpenAI's object around the function", () => {
    const bare = { name: "look", description: "Look around" };
    const framed = { type: "function" as const, function: bare };
    expect(readTools(JSON.stringify([bare, framed]))).toEqual({ ok: true, value: [framed, framed] });
  });

  test.each([
    ["[", "The tools are not valid JSON"],
    ["{}", "The tools are a JSON array"],
    ['[{"name": "a"}, {"description": "no name"}]', "Tool 2 has no name"],
    ["[null]", "Tool 1 has no name"],
    ['[{"function": 3}]', "Tool 1 has no name"],
  ])("%s is refused", (text, message) => {
    const read = readTools(text);
    expect(read.ok ? "" : read.message).toContain(message);
  });
});

test("a conversation begins with the state only where there is one", () => {
  const user = { role: "user", content: "Hi" };
  expect(openingMessages(draft)).toEqual([user]);
  expect(openingMessages({ ...draft, state: "At home" })).toEqual([
    { role: "system", content: "At home" },
    user,
  ]);
});
