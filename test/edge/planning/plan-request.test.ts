import { describe, expect, test } from "vitest";
import { buildPlanRequest, cutRollout, readHistory } from "../../../edge/planning/plan-request.ts";
import type { ChatMessage, ChatRequest, ContentPart } from "../../../shared/chat.ts";
import { maxNeedsPerTool, PlanRequest } from "../../../shared/planning.ts";
import { leastMs } from "../../support/least-ms.ts";
import { chatRequest } from "../dialects/replay.ts";
import { say, toolTurns } from "../support/conversation.ts";

const ask = (messages: ChatMessage[], more: Partial<ChatRequest> = {}) => chatRequest({ messages, ...more });

describe("what the world model reads of a request", () => {
  test("the goal of an answer to the assistant's question is what was asked before, unless there are tools", () => {
    const messages = [
      say("user", "Book a tennis court"),
      say("assistant", "For which day?"),
      say("user", "on Friday"),
      say("assistant", "And at what time?"),
      say("user", "at six"),
    ];
    expect(buildPlanRequest(ask(messages), "base").goal).toBe("Book a tennis court, on Friday, at six");
    const tools = [{ name: "book_court", description: "", parameters: {} }];
    expect(buildPlanRequest(ask(messages, { tools }), "base").goal).toBe("at six");
  });

  test("the goal is the last user message that says something", () => {
    const request = ask([
      say("user", "old goal"),
      say("assistant", "done"),
      say("user", "new goal"),
      say("assistant", "hm"),
      say("user", { type: "tool-result", toolCallId: "x", content: [] }),
    ]);
    expect(buildPlanRequest(request, "base").goal).toBe("new goal");
  });

  test("a program's note in the user's turn is no goal and no turn", () => {
    const note = "<system-reminder>\nConsider the to-do list.\n</system-reminder>";
    const messages = [say("user", `${note}\nfix the typo`), ...toolTurns.slice(2), say("user", note)];
    expect(buildPlanRequest(ask(messages), "base").goal).toBe("fix the typo");
    const { goal, turns } = buildPlanRequest(ask(messages, { tools: [{ name: "edit" }] }), "base");
    expect(goal).toBe("fix the typo");
    expect(turns.filter(({ kind }) => kind === "user")).toEqual([{ kind: "user", text: "fix the typo" }]);
  });

  test("a call that is asked for by tool_choice is told to the world model", () => {
    const tools = [{ name: "a" }, { name: "b" }];
    const duty = (toolChoice: NonNullable<ChatRequest["toolChoice"]>) =>
      buildPlanRequest(ask([say("user", "x")], { tools, toolChoice }), "base").mustCall;
    expect(duty({ type: "tool", name: "b" })).toEqual({ tool: "b" });
    expect(duty({ type: "required" })).toEqual({});
    expect(duty({ type: "auto" })).toBeUndefined();
    expect(duty({ type: "tool", name: "other" })).toBeUndefined();
  });

  test("an agent in its plan mode says with its tools that nothing may be changed yet", () => {
    const mode = "<system-reminder>\nPlan mode is active. You MUST NOT make any edits.\n</system-reminder>";
    const changesNothing = (text: string) =>
      buildPlanRequest(ask([say("user", text)], { tools: [{ name: "edit" }] }), "base").changesNothing;
    expect(changesNothing(`${mode}\nadd a flag`)).toBe(true);
    expect(changesNothing("add a flag")).toBeUndefined();
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

  test("tools are read with the names of the parameters that they need, whatever stands under `required`", () => {
    const needsOf = (required: unknown) => {
      const tools = [{ name: "t", parameters: { type: "object", required } }];
      return buildPlanRequest(ask([say("user", "x")], { tools }), "base").tools[0]!.needs;
    };
    expect(needsOf(["order_id", "reason"])).toEqual(["order_id", "reason"]);
    expect(needsOf(["order_id", 7, null, { a: 1 }])).toEqual(["order_id"]);
    expect([needsOf("order_id"), needsOf(undefined), needsOf([])]).toEqual([undefined, undefined, undefined]);
    expect(needsOf(Array.from({ length: 99 }, (_, place) => `p${place}`))).toHaveLength(maxNeedsPerTool);
    expect(needsOf(["n".repeat(65), "order_id"])).toEqual(["order_id"]);
  });

  test("tools are read by name and description, without other parameters; none when tool_choice is none", () => {
    const tools = [
      { name: "t", description: "does", parameters: { type: "object", properties: { a: {}, b: {} } } },
    ];
    expect(buildPlanRequest(ask([say("user", "x")], { tools }), "base").tools).toEqual([
      { name: "t", description: "does" },
    ]);
    expect(
      buildPlanRequest(ask([say("user", "x")], { tools, toolChoice: { type: "none" } }), "base").tools,
    ).toEqual([]);
  });

  test.each([
    ["nothing but a system message", ask([say("system", "x")])],
    [
      "an image without words",
      ask([say("user", { type: "image", source: { kind: "url", url: "https://x.example/a.png" } })]),
    ],
    [
      "a hundred tools and long history",
      ask(
        [
          ...toolTurns,
          ...Array.from({ length: 400 }, (_, i) =>
            say("assistant", { type: "tool-call", id: `h${i}`, name: "n", arguments: "{}" }),
          ),
        ],
        { tools: Array.from({ length: 100 }, (_, i) => ({ name: `t${i}` })) },
      ),
    ],
  ])("%s is still a valid plan request", (_name, request) => {
    expect(PlanRequest.safeParse(buildPlanRequest(request, "base")).success).toBe(true);
  });
});

describe("a conversation of ten megabytes of elements", () => {
  test("is read in no time, its last message whole", async () => {
    const old = Array.from({ length: 50 }, () => say("user", "<a></a>".repeat(28_500)));
    const goal = `${"<document>x</document>\n".repeat(5_000)}Summarise these`;
    const request = ask([...old, say("user", goal)], { tools: [{ name: "read", parameters: {} }] });
    expect(buildPlanRequest(request, "base").goal).toBe("Summarise these");
    expect(await leastMs(700, () => buildPlanRequest(request, "base"))).toBeLessThan(700);
  });
});

describe("a request with more tools than are planned over", () => {
  const many = Array.from({ length: 200 }, (_, at) => ({ name: `tool_${at}` }));
  const namesOf = (messages: ChatMessage[], tools = many) =>
    buildPlanRequest(ask(messages, { tools }), "base").tools.map(({ name }) => name);
  const firstNames = (count: number) => many.slice(0, count).map(({ name }) => name);

  test("is planned over the first of them", () => {
    expect(namesOf([say("user", "go")])).toEqual(firstNames(128));
    expect(namesOf([say("user", "go")], many.slice(0, 128))).toEqual(firstNames(128));
  });

  test("is planned over the first of each name", () => {
    const twice = [{ name: "a" }, { name: "b" }, { name: "a", description: "again" }];
    const { tools } = buildPlanRequest(ask([say("user", "go")], { tools: twice }), "base");
    expect(tools).toEqual([
      { name: "a", description: "" },
      { name: "b", description: "" },
    ]);
  });

  test.each([
    ["Reserved placeholder that keeps loading active; never call this tool.", false],
    ["Runs a command. Never call this tool twice at once.", true],
  ])("is planned over a tool that says %j: %s", (description, isPlanned) => {
    const { tools } = buildPlanRequest(
      ask([say("user", "go")], { tools: [{ name: "a", description }] }),
      "base",
    );
    expect(tools).toHaveLength(isPlanned ? 1 : 0);
  });

  test("keeps those that were called, in the caller's order", () => {
    const calls = ["tool_3", "tool_190", "tool_150"].map(
      (name, at): ContentPart => ({ type: "tool-call", id: `c${at}`, name, arguments: "{}" }),
    );
    const names = namesOf([say("user", "go"), say("assistant", ...calls)]);
    expect(names).toEqual([...firstNames(126), "tool_150", "tool_190"]);
    const forced = ask([say("user", "go")], { tools: many, toolChoice: { type: "tool", name: "tool_199" } });
    expect(PlanRequest.parse(buildPlanRequest(forced, "base")).tools.at(-1)!.name).toBe("tool_199");
  });
});

describe("a request with tools", () => {
  const tools = [{ name: "find_trains" }];

  test("is its turns, with the instructions alone as the state and no history beside them", () => {
    const plan = buildPlanRequest(ask(toolTurns, { tools }), "base");
    expect(plan).toMatchObject({ goal: "Get me to Berlin tomorrow", state: "You book trains.", history: [] });
    expect(plan.turns.map(({ kind }) => kind)).toEqual(["user", "call", "result", "call"]);
  });

  test("without tools is told by state and history, and has no turns", () => {
    const plan = buildPlanRequest(ask(toolTurns), "base");
    expect(plan.turns).toEqual([]);
    expect(plan.history).toHaveLength(2);
    expect(plan.state).toContain("called find_trains");
  });

  test("that may not use them is told as one without", () => {
    const plan = buildPlanRequest(ask(toolTurns, { tools, toolChoice: { type: "none" } }), "base");
    expect(plan.turns).toEqual([]);
    expect(plan.history).toHaveLength(2);
  });

  test("keeps the newest 64 turns of a long session, and the beginning of long instructions", () => {
    const talk = Array.from({ length: 300 }, (_, at) =>
      say(at % 2 === 0 ? "user" : "assistant", `turn ${at}`),
    );
    const rules = say("system", `Role first. ${"rule ".repeat(2_000)}`);
    const plan = buildPlanRequest(ask([rules, ...talk], { tools }), "base");
    expect(plan.turns).toHaveLength(64);
    expect(plan.turns.at(-1)!.text).toBe("turn 299");
    expect(plan.goal).toBe("turn 298");
    expect(plan.state.length).toBeLessThanOrEqual(1_200);
    expect(PlanRequest.safeParse(plan).success).toBe(true);
  });
});

test("the newest 64 steps are the history, whatever was called before", () => {
  const parts = Array.from(
    { length: 70 },
    (_, at): ContentPart => ({ type: "tool-call", id: `c${at}`, name: `call_${at}`, arguments: "{}" }),
  );
  const history = readHistory([say("assistant", ...parts)]);
  expect([history.length, history[0]!.action, history.at(-1)!.action]).toEqual([64, "call_6", "call_69"]);
});

test("goal and state of a rollout are cut: the goal keeps both ends, the state its end, and a blank one is none", () => {
  const long = `first${"x".repeat(9_000)}last`;
  const { goal, state } = cutRollout(long, ` ${long} `);
  expect(goal).toHaveLength(1_999);
  expect(goal).toMatch(/^first.*\n…\n.*last$/s);
  expect(state).toBe(long.slice(-6_000));
  expect(cutRollout("g", " \n")).toEqual({ goal: "g" });
  expect(cutRollout("g", undefined)).toEqual({ goal: "g" });
});

test("the name of a call is cut: nothing says that it is that of a tool", () => {
  const name = "N".repeat(3_000_000);
  const called = say("assistant", { type: "tool-call", id: "c", name, arguments: "{}" });
  const tool = { name: "f" };
  const plain = buildPlanRequest(ask([say("user", "go"), called]), "base");
  const withTools = buildPlanRequest(ask([say("user", "go"), called], { tools: [tool] }), "base");
  for (const request of [plain, withTools]) expect(JSON.stringify(request).length).toBeLessThan(10_000);
});
