// A validation error in an item or block names the field inside it, at any depth.
import { describe, expect, test } from "vitest";
import { CountTokensRequest } from "../../../edge/dialects/caller/anthropic/schema.ts";
import { ResponsesRequest } from "../../../edge/dialects/caller/responses/schema.ts";
import { parseBounded } from "../../../edge/dialects/json.ts";
import { describeIssues, findParam } from "../../../edge/middleware/describe-issues.ts";

const model = "svc-x1ac-base-gpt-4o";

describe("a wrong item of a response's input", () => {
  const tell = (item: object) =>
    describeIssues(parseBounded(ResponsesRequest, { model, input: [item] }).error!);

  test("is told by the field of its part", () => {
    const said = tell({ role: "user", content: [{ type: "input_text" }] });
    expect(said).toEqual(["input.0.content.0.text: is required"]);
  });

  test("is told with the types that are taken", () => {
    const said = tell({ type: "function_call_output", call_id: "call_1", output: { secret: 1 } });
    expect(said).toEqual(["input.0.output: Invalid input: expected string or array"]);
  });
});

test.each([
  ["missing", {}],
  ["none of the values", { role: "bot" }],
])(
  "a message's role that is %s is told by the values that it may have, without zod's words",
  (_name, role) => {
    const messages = [{ ...role, content: "hi" }];
    expect(describeIssues(parseBounded(CountTokensRequest, { model, messages }).error!)).toEqual([
      'messages.0.role: Invalid option: expected one of "user"|"assistant"|"system"',
    ]);
  },
);

test("the field that is wrong is told as a path; a wrong body has none", () => {
  const field = (body: unknown) => findParam(parseBounded(ResponsesRequest, body).error!).param;
  expect(field({ model, input: [{ role: "user", content: [{ type: "input_text" }] }] })).toBe(
    "input.0.content.0.text",
  );
  expect(field({ model, input: "x", temperature: "hot" })).toBe("temperature");
  expect(field([])).toBeUndefined();
});

describe("a wrong result of a tool among a message's blocks", () => {
  const tell = (content: unknown) => {
    const block = { type: "tool_result", tool_use_id: "toolu_1", content };
    return describeIssues(
      parseBounded(CountTokensRequest, { model, messages: [{ role: "user", content: [block] }] }).error!,
    );
  };

  test("is told by the field of its block", () => {
    expect(tell([{ type: "text" }])).toEqual(["messages.0.content.0.content.0.text: is required"]);
  });

  test("is told with the types that are taken", () => {
    expect(tell({ secret: 1 })).toEqual([
      "messages.0.content.0.content: Invalid input: expected string or array",
    ]);
  });
});
