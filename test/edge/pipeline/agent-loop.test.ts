import { describe, expect, test } from "vitest";
import { type LoopContext, runAgentLoop } from "../../../edge/pipeline/agent-loop.ts";
import type { ChatEvent, EventOf } from "../../../shared/chat.ts";
import { GatewayError } from "../../../shared/errors.ts";
import type { PlanHistoryStep, PlanResponse } from "../../../shared/planning.ts";
import { requestOf } from "../support/chat-request.ts";

const request = requestOf([
  { role: "system", parts: [{ type: "text", text: "caller's words" }] },
  { role: "user", parts: [{ type: "text", text: "find and compare" }] },
]);

const planOf = (actions: string[], goalReached = 0): PlanResponse => ({
  steps: actions.map((actionName) => ({
    actionId: 10,
    actionName,
    category: "retrieval",
    probability: 0.5,
    confidence: "Medium",
    stateChange: 5,
  })),
  overallConfidence: 0.5,
  brainSignal: {
    actionType: actions[0] ?? "none",
    confidence: 0.5,
    planAhead: [],
    simulationConfirmed: false,
    goalProximity: 0,
  },
  goalReached,
  tokens: 5,
  timings: { queueMs: 0, modelMs: 1 },
});

const unsureOf = (actions: string[]): PlanResponse => {
  const plan = planOf(actions);
  return { ...plan, brainSignal: { ...plan.brainSignal, abstention: "unsure" } };
};

const usage = (input: number, output: number): ChatEvent => ({
  type: "usage",
  usage: { input, output, total: input + output, cachedInput: 0, cacheWrite: 0, reasoning: 0 },
});

/** A loop whose LLM answers "answer N" with usage 10 + 2; what it was asked is kept. */
function loop(plans: PlanResponse[], maxCalls: number, failAt = -1, words?: string) {
  const asked: { texts: string[]; purpose: string }[] = [];
  const histories: PlanHistoryStep[][] = [];
  const context: LoopContext = {
    request,
    plan: plans[0]!,
    model: "openai/gpt-4o",
    maxCalls,
    planBlock: true,
    call: async (prompted, purpose) => {
      const number = asked.push({
        purpose,
        texts: prompted.messages.flatMap(({ parts }) =>
          parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
        ),
      });
      if (number === failAt) throw new GatewayError("upstream_rejected", "no");
      async function* events(): AsyncGenerator<ChatEvent[], void, void> {
        yield [{ type: "text-delta", choice: 0, block: 0, text: words ?? `answer ${number}` }];
        yield [{ type: "finish", choice: 0, reason: "stop", raw: "stop" }, usage(10, 2)];
      }
      return { events: events(), unsupported: [] };
    },
    replan: async (history) => {
      histories.push([...history]);
      return plans[history.length] ?? planOf([]);
    },
  };
  return { asked, histories, run: () => runAgentLoop(context) };
}

async function read(events: AsyncGenerator<ChatEvent[], void, void>): Promise<ChatEvent[]> {
  const all: ChatEvent[] = [];
  for await (const batch of events) all.push(...batch);
  return all;
}

describe("the agent loop", () => {
  test("each planned action is one call fed with the results so far; the last call writes the answer", async () => {
    const { asked, histories, run } = loop(
      [planOf(["search", "compare"]), planOf(["compare"]), planOf([])],
      5,
    );
    const answer = await run();
    const events = await read(answer.events);
    expect(asked.map(({ purpose }) => purpose)).toEqual(["step", "step", "answer"]);
    expect(asked[0]?.texts.at(-1)).toContain("[svc step]");
    expect(asked[1]?.texts.join("\n")).toContain("[svc result 1] search: answer 1");
    expect(asked[2]?.texts.join("\n")).toContain("[svc result 2] compare: answer 2");
    expect(histories.at(-1)).toEqual([
      { action: "search", observation: "answer 1" },
      { action: "compare", observation: "answer 2" },
    ]);
    expect(events.filter(({ type }) => type === "text-delta")).toEqual([
      { type: "text-delta", choice: 0, block: 0, text: "answer 3" },
    ]);
    expect(answer.llmCalls()).toBe(3);
    expect(answer.trace().map(({ action }) => action)).toEqual(["search", "compare"]);
  });

  test("a step that says much is told on as far as it was held for, between two characters", async () => {
    const { asked, run } = loop([planOf(["search"]), planOf([])], 5, -1, "ä".repeat(5_000));
    await read((await run()).events);
    expect(asked[1]?.texts.at(-1)).toBe(`[svc result 1] search: ${"ä".repeat(2_048)}`);
  });

  test.each([
    ["the cap is used up", [planOf(["a"]), planOf(["b"]), planOf(["c"])], 2, 2],
    ["the goal is predicted reached", [planOf(["a"]), planOf(["b"], 0.95)], 5, 2],
    ["there is nothing to plan", [planOf([])], 5, 1],
    ["the plan ends", [planOf(["a", "end"]), planOf(["end", "b"])], 5, 2],
    ["the plan is unsure of its first step", [unsureOf(["a", "b"])], 5, 1],
    ["it is unsure of the next one", [planOf(["a"]), unsureOf(["b"])], 5, 2],
  ])("it stops when %s", async (_name, plans, maxCalls, calls) => {
    const { run } = loop(plans, maxCalls);
    const answer = await run();
    await read(answer.events);
    expect(answer.llmCalls()).toBe(calls);
  });

  test("a first call that is refused is an error before any event", async () => {
    await expect(loop([planOf(["a"])], 3, 1).run()).rejects.toThrow(GatewayError);
  });

  test.each<EventOf<"error">>([
    { type: "error", code: "context_length_exceeded", message: "too long" },
    { type: "error", code: "upstream_rate_limited", message: "busy" },
  ])("a step that fails inside its answer ends the events as the provider said: $code", async (failure) => {
    async function* failing(): AsyncGenerator<ChatEvent[], void, void> {
      yield [{ type: "text-delta", choice: 0, block: 0, text: "I " }];
      yield [failure];
    }
    const { events } = await runAgentLoop({
      request,
      plan: planOf(["a", "b"]),
      model: "openai/gpt-4o",
      maxCalls: 3,
      planBlock: true,
      call: async () => ({ events: failing(), unsupported: [] }),
      replan: async () => planOf([]),
    });
    expect(await read(events)).toEqual([failure]);
  });

  test("a later call that is refused ends the events with an error", async () => {
    const { run } = loop([planOf(["a", "b"]), planOf(["b"])], 4, 2);
    const events = await read((await run()).events);
    expect(events.map(({ type }) => type)).toEqual(["error"]);
  });

  test("each call repeats the bytes of the call before up to its task, the caller's own first", async () => {
    const { asked, run } = loop([planOf(["a"]), planOf(["b"]), planOf([])], 4);
    await read((await run()).events);
    const [first, second, last] = asked.map(({ texts }) => texts);
    expect(first?.slice(0, 2)).toEqual(["caller's words", "find and compare"]);
    expect(second?.slice(0, 2)).toEqual(first?.slice(0, 2));
    expect(last?.slice(0, 3)).toEqual(second?.slice(0, 3));
    expect(second?.slice(2)).toEqual(["[svc result 1] a: answer 1", expect.stringContaining("[svc step]")]);
  });
});
