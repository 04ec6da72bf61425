import { describe, expect, test } from "vitest";
import { boundPlanningTokens, buildPlanRequest, readHistory } from "../../../edge/planning/plan-request.ts";
import type { ChatMessage, ChatRequest, ContentPart } from "../../../shared/chat.ts";
import { PlanRequest } from "../../../shared/planning.ts";

const say = (role: ChatMessage["role"], text: string): ChatMessage => ({
  role,
  parts: [{ type: "text", text }],
});
const parts = (role: ChatMessage["role"], ...content: ContentPart[]): ChatMessage => ({
  role,
  parts: content,
});
const ask = (messages: ChatMessage[], more: Partial<ChatRequest> = {}): ChatRequest => ({
  messages,
  tools: [],
  stream: false,
  choices: 1,
  stop: [],
  extra: {},
  callerDialect: "openai",
  ...more,
});

const toolTurns: ChatMessage[] = [
  say("system", "You book trains."),
  say("user", "Get me to Berlin tomorrow"),
  parts(
    "assistant",
    { type: "tool-call", id: "c1", name: "find_trains", arguments: '{"to":"Berlin"}' },
    { type: "tool-call", id: "c2", name: "get_weather", arguments: "{}" },
  ),
  parts("tool", {
    type: "tool-result",
    toolCallId: "c1",
    content: [{ type: "text", text: "ICE 578 at 9:12" }],
  }),
];

describe("what the world model reads of a request", () => {
  test("the goal is the last user message that says something", () => {
    const request = ask([
      say("user", "old goal"),
      say("assistant", "done"),
      say("user", "new goal"),
      say("assistant", "hm"),
      parts("user", { type: "tool-result", toolCallId: "x", content: [] }),
    ]);
    expect(buildPlanRequest(request, "base").goal).toBe("new goal");
  });

  test("the state is system and developer text, then what has happened since", () => {
    const { state } = buildPlanRequest(ask([...toolTurns, say("developer", "Be brief.")]), "base");
    expect(state).toBe(
      'You book trains.\nBe brief.\nassistant: called find_trains {"to":"Berlin"}\ncalled get_weather {}\ntool: result ICE 578 at 9:12',
    );
  });

  test("steps already taken are the history, with what came back where it did", () => {
    expect(readHistory(toolTurns)).toEqual([
      { action: "find_trains", observation: "ICE 578 at 9:12" },
      { action: "get_weather", observation: "" },
    ]);
  });

  test("the newest is kept when the state is cut", () => {
    const turns = Array.from({ length: 2_000 }, (_, index) => say("assistant", `turn ${index}`));
    const { state } = buildPlanRequest(ask([say("user", "goal"), ...turns]), "base");
    expect(state.endsWith("assistant: turn 1999")).toBe(true);
    expect(state.length).toBeLessThanOrEqual(6_000);
  });

  test("tools are read by name, description and argument names; none when tool_choice is none", () => {
    const tools = [
      { name: "t", description: "does", parameters: { type: "object", properties: { a: {}, b: {} } } },
    ];
    expect(buildPlanRequest(ask([say("user", "x")], { tools }), "base").tools).toEqual([
      { name: "t", description: "does", parameters: ["a", "b"] },
    ]);
    expect(
      buildPlanRequest(ask([say("user", "x")], { tools, toolChoice: { type: "none" } }), "base").tools,
    ).toEqual([]);
  });

  test.each([
    ["nothing but a system message", ask([say("system", "x")])],
    [
      "an image without words",
      ask([parts("user", { type: "image", source: { kind: "url", url: "https://x.example/a.png" } })]),
    ],
    [
      "a hundred tools and long history",
      ask(
        [
          ...toolTurns,
          ...Array.from({ length: 400 }, (_, i) =>
            parts("assistant", { type: "tool-call", id: `h${i}`, name: "n", arguments: "{}" }),
          ),
        ],
        { tools: Array.from({ length: 100 }, (_, i) => ({ name: `t${i}` })) },
      ),
    ],
  ])("%s is still a valid plan request", (_name, request) => {
    expect(PlanRequest.safeParse(buildPlanRequest(request, "base")).success).toBe(true);
  });

  test("the token bound counts every text's bytes, so no tokenizer can pass it", () => {
    const plan = buildPlanRequest(ask([say("user", "héllo 世界")]), "base");
    expect(boundPlanningTokens(plan)).toBeGreaterThanOrEqual(new TextEncoder().encode("héllo 世界").length);
  });
});
