import { expect, test } from "vitest";
import { fitTools } from "../../../edge/dialects/fit-tools.ts";
import { alphaDialect } from "../../../edge/dialects/provider/openai/dialect.ts";
import type { ChatRequest, ToolDefinition } from "../../../shared/chat.ts";

const fit = (tools: ToolDefinition[]) => {
  const request: ChatRequest = {
    messages: [],
    tools,
    stream: true,
    choices: 1,
    stop: [],
    extra: {},
    callerDialect: "openai",
  };
  return fitTools(request, alphaDialect.toolNames).request.tools;
};

test("of tools that say the same the first stays; one of the same name that says something else does, too", () => {
  const tools = ["a", "b", "a"].map((description) => ({ name: "look", description }));
  expect(fit(tools)).toEqual(tools.slice(0, 2));
});

test("a tool is written as JSON once, however many share its name", () => {
  let written = 0;
  const parameters = { toJSON: () => `schema ${++written}` };
  const others = Array.from({ length: 99 }, (_, index) => ({ name: "look", description: `${index}` }));
  fit([{ name: "look", parameters }, ...others]);
  expect(written).toBe(1);
});
