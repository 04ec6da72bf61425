// Tools in namespaces, as Codex sends its MCP servers: what is accepted, what the hub gets, and how calls are written back.
import { describe, expect, test } from "vitest";
import { readResponsesRequest } from "../../../../../edge/dialects/caller/responses/read-request.ts";
import { ResponsesRequest } from "../../../../../edge/dialects/caller/responses/schema.ts";
import { buildResponse } from "../../../../../edge/dialects/caller/responses/write-reply.ts";
import { createResponseStreamWriter } from "../../../../../edge/dialects/caller/responses/write-stream.ts";
import { listCustomTools } from "../../../../../edge/dialects/custom-tools.ts";
import type { ChatEvent } from "../../../../../shared/chat.ts";
import { findResponseBreaks, parseResponseFrames } from "../../../../support/responses-stream.ts";
import { testEnvelope } from "./envelope.ts";

const parameters = { type: "object", properties: { repo: { type: "string" } } };
const func = (name: string) => ({
  type: "function",
  name,
  description: `Does ${name}`,
  parameters,
  strict: false,
});
const namespace = (name: string, ...tools: object[]) => ({ type: "namespace", name, tools });
const github = {
  ...namespace("mcp__github", func("list_issues"), func("get_issue")),
  description: "Issues.",
};
const agents = namespace("multi_agent_v1", func("spawn"), { type: "custom", name: "note" });

const parse = (fields: object) => ResponsesRequest.parse({ model: "m", input: "x", ...fields });
const read = (fields: object) => readResponsesRequest(parse(fields));
const refusal = (fields: object) =>
  ResponsesRequest.safeParse({ model: "m", input: "x", ...fields }).error?.issues[0];
const toolNames = (fields: object) => read(fields).request.tools.map(({ name }) => name);

describe("a namespace's tools", () => {
  test("are tools of the hub between the others, in order", () => {
    const { request, echo, unsupported } = read({ tools: [func("shell"), github, agents, func("last")] });
    expect(request.tools.map(({ name }) => name)).toEqual([
      "shell",
      "mcp__github__list_issues",
      "mcp__github__get_issue",
      "multi_agent_v1__spawn",
      "multi_agent_v1__note",
      "last",
    ]);
    expect(request.tools[2]).toEqual({
      name: "mcp__github__get_issue",
      description: "Does get_issue",
      parameters,
      strict: false,
    });
    expect(listCustomTools(request.tools)).toEqual(new Set(["multi_agent_v1__note"]));
    expect(echo.tools).toEqual([func("shell"), github, agents, func("last")]);
    expect(unsupported).toEqual([]);
  });

  test("have their namespace's description in the first tool's, unless that becomes too long", () => {
    const [first, second] = read({ tools: [github] }).request.tools;
    expect(first?.description).toBe("Does list_issues\n\nAbout all tools of mcp__github: Issues.");
    expect(second?.description).toBe("Does get_issue");
    const long = read({ tools: [{ ...github, description: "x".repeat(1_000) }] });
    expect(long.request.tools[0]?.description).toBe("Does list_issues");
    expect(long.unsupported).toEqual(["tools.namespace.description"]);
  });

  test("may be none", () => {
    const empty = [namespace("a"), { type: "namespace", name: "b" }, { ...namespace("c"), description: "C" }];
    expect(read({ tools: empty })).toMatchObject({ request: { tools: [] }, unsupported: [] });
  });

  test("of another kind, and those that are there twice, are left out and named", () => {
    const tools = [
      namespace("a", func("x"), { type: "web_search" }, namespace("inner", func("y"))),
      namespace("a", { ...func("x"), description: "Another" }, func("z")),
    ];
    const { request, unsupported } = read({ tools });
    expect(request.tools.map(({ name }) => name)).toEqual(["a__x", "a__z"]);
    expect(request.tools[0]?.description).toBe("Does x");
    expect(unsupported).toEqual([
      "tools.namespace.tools.web_search",
      "tools.namespace.tools.namespace",
      "tools.namespace.tools",
    ]);
  });

  test.each([
    ["a namespace without a name", [{ type: "namespace", tools: [] }], ["tools", 0, "name"]],
    ["a tool without a name", [namespace("a", { type: "function" })], ["tools", 0, "tools", 0, "name"]],
    ["tools that are no list", [{ type: "namespace", name: "a", tools: {} }], ["tools", 0, "tools"]],
  ])("are refused with the place: %s", (_name, tools, path) => {
    expect(refusal({ tools })?.path).toEqual(path);
  });

  test("are counted: 1,000 in all", () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => func(`t${at}`));
    expect(toolNames({ tools: many(1_000) })).toHaveLength(1_000);
    expect(toolNames({ tools: [namespace("a", ...many(600)), ...many(400), namespace("b")] })).toHaveLength(
      1_000,
    );
    expect(refusal({ tools: [namespace("a", ...many(600)), ...many(401)] })).toMatchObject({
      path: ["tools"],
    });
    expect(refusal({ tools: many(1_001) })).toMatchObject({ path: ["tools"] });
  });
});

describe("the history", () => {
  const call = (fields: object) => ({ type: "function_call", call_id: "c1", arguments: "{}", ...fields });
  const nameOf = (tools: object[], item: object) => {
    const { request } = read({ tools, input: [{ role: "user", content: "x" }, item] });
    const part = request.messages.at(-1)?.parts[0];
    return part?.type === "tool-call" ? part.name : undefined;
  };

  test.each([
    [
      "of a tool that is there",
      [github],
      call({ namespace: "mcp__github", name: "get_issue" }),
      "mcp__github__get_issue",
    ],
    ["of one that is gone", [], call({ namespace: "mcp__old", name: "read" }), "mcp__old__read"],
    [
      "of free text",
      [agents],
      { type: "custom_tool_call", call_id: "c1", namespace: "multi_agent_v1", name: "note", input: "x" },
      "multi_agent_v1__note",
    ],
    ["without its namespace", [github], call({ name: "get_issue" }), "mcp__github__get_issue"],
    ["with an empty one", [func("shell")], call({ namespace: "", name: "shell" }), "shell"],
  ])("has a call %s under its name in the hub", (_name, tools, item, name) => {
    expect(nameOf(tools, item)).toBe(name);
  });

  test("has the name that the tool has now, where two would be named alike", () => {
    const tools = [func("a__b"), namespace("a", func("b"))];
    const nested = toolNames({ tools })[1];
    expect(nested).not.toBe("a__b");
    expect(nameOf(tools, call({ namespace: "a", name: "b" }))).toBe(nested);
    expect(nameOf(tools, call({ name: "a__b" }))).toBe("a__b");
  });
});

describe("a choice", () => {
  const tools = [func("shell"), github, agents];

  test.each([
    ["both names", { namespace: "mcp__github", name: "get_issue" }],
    ["its own name", { name: "get_issue" }],
    ["both in one", { name: "mcp__github__get_issue" }],
  ])("forces a nested tool by %s", (_name, named) => {
    const { request, echo } = read({ tools, tool_choice: { type: "function", ...named } });
    expect(request.toolChoice).toEqual({ type: "tool", name: "mcp__github__get_issue" });
    expect(echo.tool_choice).toEqual({ type: "function", ...named });
  });

  test.each([
    ["nobody has", { name: "close_issue" }, "not in tools"],
    ["another namespace has", { namespace: "multi_agent_v1", name: "get_issue" }, "not in tools"],
    ["two namespaces have", { name: "list_issues" }, "several namespaces"],
  ])("of a tool that %s is refused", (_name, named, words) => {
    const two = [...tools, namespace("mcp__gitlab", func("list_issues"))];
    const issue = refusal({ tools: two, tool_choice: { type: "function", ...named } });
    expect(issue).toMatchObject({ path: ["tool_choice", "name"], message: expect.stringContaining(words) });
  });

  test("allows nested tools by name, and whole namespaces", () => {
    const allow = (...allowed: object[]) =>
      toolNames({ tools, tool_choice: { type: "allowed_tools", mode: "auto", tools: allowed } });
    const named = { type: "function", namespace: "mcp__github", name: "get_issue" };
    expect(allow(named, { type: "function", name: "spawn" })).toEqual([
      "mcp__github__get_issue",
      "multi_agent_v1__spawn",
    ]);
    expect(allow({ type: "namespace", name: "mcp__github" }, { type: "function", name: "shell" })).toEqual([
      "shell",
      "mcp__github__list_issues",
      "mcp__github__get_issue",
    ]);
  });
});

describe("a call", () => {
  const { request, toolNames: names } = read({ tools: [func("shell"), github, agents] });
  const envelope = testEnvelope({ toolNames: names, customTools: listCustomTools(request.tools) });
  const calling = (block: number, name: string, text: string): ChatEvent[] => [
    { type: "tool-call-start", choice: 0, block, id: `call_${block}`, name },
    { type: "tool-call-delta", choice: 0, block, arguments: text },
    { type: "tool-call-end", choice: 0, block },
  ];
  const events: ChatEvent[] = [
    ...calling(0, "mcp__github__get_issue", '{"repo":"a"}'),
    ...calling(1, "multi_agent_v1__note", '{"input":"Hm"}'),
    ...calling(2, "shell", "{}"),
    ...calling(3, "mcp__github__invented", "{}"),
    { type: "finish", choice: 0, reason: "tool-calls", raw: "tool_calls" },
  ];
  const written = [
    { type: "function_call", namespace: "mcp__github", name: "get_issue", arguments: '{"repo":"a"}' },
    { type: "custom_tool_call", namespace: "multi_agent_v1", name: "note", input: "Hm" },
    { type: "function_call", name: "shell" },
    { type: "function_call", name: "mcp__github__invented" },
  ];

  test("is written with both names in JSON, and goes back as it came", async () => {
    const { output } = await buildResponse(events, envelope, { svc: {}, provider: "openai" });
    expect(output).toMatchObject(written);
    expect(output[2]).not.toHaveProperty("namespace");
    const next = read({
      tools: [func("shell"), github, agents],
      input: JSON.parse(JSON.stringify(output)),
    });
    expect(next.request.messages[0]?.parts).toMatchObject(
      events.flatMap((event) =>
        event.type === "tool-call-start" ? [{ id: event.id, name: event.name }] : [],
      ),
    );
  });

  test("is written with both names in each event of a stream that carries it", async () => {
    const writer = createResponseStreamWriter(envelope, "openai");
    const text = writer.first({}) + writer.write(events) + (await writer.last({ svc: {} }));
    const frames = parseResponseFrames(text);
    expect(findResponseBreaks(frames)).toEqual([]);
    const named = written.map(({ type, name, namespace: own }) => ({
      type,
      name,
      ...(own && { namespace: own }),
    }));
    for (const type of ["response.output_item.added", "response.output_item.done"])
      expect(frames.flatMap((frame) => (frame.type === type ? [frame.item] : []))).toMatchObject(named);
    expect(frames.at(-1)).toMatchObject({ type: "response.completed", response: { output: named } });
    expect(frames.find(({ type }) => type === "response.function_call_arguments.done")).toMatchObject({
      name: "get_issue",
    });
  });
});
